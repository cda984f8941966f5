// CoNLL that is written back with predicted tags: all lines of a FILE stay as they are, but for the tags.
//
//   -DOCSTART- -X- O       -DOCSTART- -X- O O
//
//   EU NNP B-ORG           EU NNP B-ORG B-LOC      a new last column
//   rejects VBZ O          rejects VBZ O O
//
// CoNLL-U keeps its columns; a tag replaces what is in the column that the tags are read from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "io/conll.h"

namespace bert::io {

// The lines of a FILE that belong to a sentence, in this order. Those in `between` also stay if the sentence
// is a bad record: blank lines, and those that start a document.
struct ConllLines {
  std::string between, comments;
  std::string_view sentence;  // lives as long as its chunk
  std::string after;          // the end of the last line, and a blank line
};

// Where the comments before a sentence begin, from `end`, the end of the last word before them, to `begin`,
// where the sentence begins.
size_t begin_of_comments(std::string_view data, size_t end, size_t begin);

// Takes the lines of the sentences out of a run of bytes, from front to back.
class ConllLineReader {
 public:
  explicit ConllLineReader(std::string_view data) : data_(data) {}

  // The next sentence is data[begin, begin + size).
  ConllLines take(size_t begin, size_t size, const ConllColumns& read);
  std::string rest(const ConllColumns& read);  // the lines after the last sentence
  size_t position() const { return position_; }

 private:
  std::string_view data_;
  size_t position_ = 0;  // behind the blank line after the last sentence
};

// Appends the lines of a sentence with the tags of its words.
void append_tagged(std::string& out, std::string_view sentence, std::span<const std::string_view> tags,
                   const ConllColumns& read);

}  // namespace bert::io
