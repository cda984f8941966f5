// bert-nsp-pairs: makes training instances from documents of sentences, in bounded memory.
//
// A document is held until its block is complete, because random sentences come from the other documents of
// the block. The documents of a complete block are then released one by one with later input records. This
// spreads the work over threads and limits each output to one document:
//
//   records in      0 1 … 63 | 64 65 66 67 …        block of 64: 65 shows that 64 is not alone in its block
//   documents out                  0  1  2 …
//
// Blocks are defined by place, so a shard has the same blocks as the whole input. A document that is alone in
// its block joins the previous block; two such documents in a row form a block. If the first block of the
// input has one document, the next block joins it. A shard cannot begin with such a block, since the results
// would differ from a single run; this is an Error. Mode::full has no blocks; each shard begins a new
// instance.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "corpus/full_sentences.h"
#include "corpus/pairs.h"
#include "io/filter.h"
#include "text/tokenizer.h"

namespace bert::corpus {

struct PairOptions {
  PairRule rule;
  int64_t dupe_factor = 1;  // passes over each document
  int64_t block = 64;       // size of a block, in places
  int64_t first_place = 0;  // of a shard; a multiple of block if seconds are drawn
  uint64_t seed = 0;
  io::DropList drop;
};

// Requires the field sentences. A document without tokens makes no instances and provides no random
// sentences. Reports the numbers of instances and labels at the end.
class NspPairsFilter : public io::Filter {
 public:
  // `tokenizer` and `log` must outlive the filter.
  NspPairsFilter(const text::Tokenizer& tokenizer, PairOptions options, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record&) const override { return 1; }  // compute sees all records, in order
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  bool release(Ending ending, io::Output& out) override;
  void end(io::Output& out) override;

 private:
  struct Prepared;
  // A document that can be released.
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
  void append_document(const Ready& ready, io::Output& out) const;
  // Where an instance is from.
  struct Origin {
    int64_t document, number;
    std::string_view id;
  };
  void add_instance(const Origin& origin, const Instance& instance, io::Added& added) const;
  void append_packed(const Packed& packed, io::Output& out) const;

  const PairOptions options_;
  const int32_t cls_, sep_, size_;
  const text::Layout layout_;
  Log& log_;
  mutable Counts counts_;

  // Used by the driver thread only. before_ is empty or has at least two documents. It is held until block_
  // has two documents with the same block number, because a single one would join it.
  DocumentBlock before_, block_;
  std::deque<Ready> ready_;
  FullSentences full_;
  bool ended_ = false;
};

}  // namespace bert::corpus
