// Adds to each sentence the words around it in its document (Devlin et al. 2018, section 5.3, "maximal
// document context"), for CoNLL and for JSONL records with words and a field "document".
//
// A document is a run of adjacent records: in CoNLL up to the next -DOCSTART-, in JSONL those with the same
// "document". After its own bytes, a record then has a NUL and the words before and after it, as JSON:
//
//   {"document":7,"words":["b"]} NUL [["a"],["c","d"]]
//
// If tags are wanted, there are two more arrays with the tags of these words, converted to BIO; null for all
// words of a record whose tags cannot be read:
//
//   {"document":7,"words":["b"],"tags":["O"]} NUL [["a"],["c","d"],["O"],["B-LOC","I-LOC"]]
//
// Fields::context() returns them. A record without words or "document" separates documents; after its NUL, it
// has the reason as a JSON string.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/cutter.h"
#include "io/document_context.h"
#include "io/record.h"
#include "json/json.h"

namespace bert::io {

class ContextCutter {
 public:
  struct Options {
    int64_t most = 0;             // words on each side
    std::string text_field = {};  // has the words if they are not in "words", see Fields::words
    std::string tag_field = {};   // has the tags; "": no tags
    InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
    bool apart = false;  // emit stored() sentences, each as soon as it is read
  };

  // References must outlive this object.
  ContextCutter(Cutter& cutter, const Source& source, Options options)
      : cutter_(cutter), source_(source), options_(std::move(options)) {}

  // As Cutter::fill, except that a record waits until the words after it have been read.
  bool fill(Chunk& chunk);

 private:
  void add(std::string_view bytes, const Cut& cut);
  // Sets words and document; throws Error if the record has none.
  void read(ContextSentence& sentence, const Cut& cut);
  void read_tags(const Fields& record, std::vector<ContextWord>& words) const;
  bool is_complete() const;  // whether the words after the next sentence have been read
  void emit(Chunk& chunk);
  void forget();

  Cutter& cutter_;
  const Source& source_;
  const Options options_;
  json::Document parser_;
  Chunk inner_;

  std::deque<ContextSentence> sentences_;
  size_t next_ = 0;  // index in sentences_ of the next one to emit
  int64_t document_ = 0;
  std::string id_;  // JSONL: "document" of the last record
  bool ended_ = false;
};

}  // namespace bert::io
