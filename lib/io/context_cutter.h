// Adds to each sentence the words around it in its document, see document_context.h.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "io/document_context.h"
#include "io/record_cutter.h"

namespace bert::io {

class ContextCutter final : public RecordCutter {
 public:
  // `most`: words on each side. `source` must outlive this object.
  ContextCutter(std::unique_ptr<RecordCutter> cutter, const Source& source, int64_t most,
                SentenceReader::Options options)
      : cutter_(std::move(cutter)), source_(source), most_(most), reader_(std::move(options)) {}

  // A record waits until the words after it have been read. chunk.contexts has an element for each cut.
  bool fill(Chunk& chunk) override;

 private:
  struct Entry {
    std::string bytes;  // of the record, and of lines around it that are kept
    Cut cut;            // of the record in them
    Sentence sentence;
  };
  void add_entries();
  bool is_complete() const;  // whether the words after the next sentence have been read
  void emit(Chunk& chunk);
  void forget();

  std::unique_ptr<RecordCutter> cutter_;
  const Source& source_;
  const int64_t most_;
  SentenceReader reader_;
  Chunk inner_;

  std::deque<Entry> entries_;
  size_t next_ = 0;    // index in entries_ of the next one to emit
  std::string lines_;  // that are kept, but not in an entry yet
  bool ended_ = false;
};

}  // namespace bert::io
