// What bert-nsp-pairs does: documents of sentences to training instances, in bounded memory.
//
// A document waits until its block is complete, so that the other documents of the block can lend it
// sentences. Then the documents of the block leave one by one with the records that come in, so that threads
// share the work and no output is larger than that of a document:
//
//   records in      0 1 … 63 | 64 65 66 67 …        block of 64: 65 shows that 64 is not alone in its block
//   documents out                  0  1  2 …
//
// Blocks are of places, so that those of a shard are those of the whole. A document that is alone in its
// block joins the block before it; two blocks of one, one behind the other, are a block. Only the first of
// all is joined by the block behind it. So a shard that begins with a block of one is not part of the whole:
// an Error, rather than other instances than those of one run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "data/pairs.h"
#include "io/filter.h"
#include "text/tokenizer.h"

namespace bert::data {

struct PairOptions {
  PairRule rule;
  int64_t dupe_factor = 1;  // passes over each document
  int64_t block = 64;       // places of a block
  int64_t first_place = 0;  // of a shard; with Mode::next a multiple of block
  uint64_t seed = 0;
  std::vector<std::string> drop;
};

// A document needs the field sentences; one without tokens makes no instance and lends nothing. Says at the
// end how many instances there are, with which labels.
class PairFilter : public io::Filter {
 public:
  // `tokenizer` and `log` outlive the filter.
  PairFilter(const text::Tokenizer& tokenizer, PairOptions options, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record&) const override { return 1; }  // all go through compute, which keeps order
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, std::string& out) const override;
  bool release(Ending ending, std::string& out) override;
  void end(std::string& out) override;

 private:
  enum Field { ids, types, label, place, number, id, kFields };
  struct Prepared;
  // A document that can leave.
  struct Ready {
    std::shared_ptr<const DocumentBlock> block;
    size_t document;
  };
  struct Counts {
    std::atomic<int64_t> documents = 0, instances = 0, random = 0;
  };

  void check(const Document& document) const;
  void take(Document document);
  void begin_block();
  void check_first(const Document& document) const;
  void complete_all(Ending ending);
  void complete(DocumentBlock& block);
  bool begin_field(Field field, std::string& out) const;
  void append_document(const Ready& ready, std::string& out) const;
  void append_instance(const Document& document, const Instance& instance, int64_t number,
                       std::string& out) const;

  const PairOptions options_;
  const int32_t cls_, sep_, size_;
  Log& log_;
  std::array<bool, kFields> kept_;  // fields that are not dropped
  mutable Counts counts_;

  // Of the driver. before_ is kept until block_ has two documents of one block of places; it is empty or has
  // two itself.
  DocumentBlock before_, block_;
  std::deque<Ready> ready_;
  bool ended_ = false;
};

}  // namespace bert::data
