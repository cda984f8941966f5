// Adds to each sentence the words around it in its document, see document_context.h.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "io/cutter.h"
#include "io/document_context.h"

namespace bert::io {

class ContextCutter {
 public:
  // `most`: words on each side. References must outlive this object.
  ContextCutter(Cutter& cutter, const Source& source, int64_t most, SentenceReader::Options options)
      : cutter_(cutter), source_(source), most_(most), reader_(std::move(options)) {}

  // As Cutter::fill, except that a record waits until the words after it have been read, and that
  // chunk.contexts has an element for each cut.
  bool fill(Chunk& chunk);

 private:
  struct Entry {
    std::string bytes;
    int64_t line;
    Sentence sentence;
  };
  bool is_complete() const;  // whether the words after the next sentence have been read
  void emit(Chunk& chunk);
  void forget();

  Cutter& cutter_;
  const Source& source_;
  const int64_t most_;
  SentenceReader reader_;
  Chunk inner_;

  std::deque<Entry> entries_;
  size_t next_ = 0;  // index in entries_ of the next one to emit
  bool ended_ = false;
};

}  // namespace bert::io
