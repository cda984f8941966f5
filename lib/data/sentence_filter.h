// Documents to the ids of their sentences: bert-tokenize --sentences.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/filter.h"
#include "io/record_writer.h"
#include "text/sentences.h"
#include "text/tokenizer.h"

namespace bert::data {

struct SentenceOptions {
  std::string text_field = "text";
  std::string locale = "root";  // of the sentence boundaries; documents input has a sentence a line
  std::vector<std::string> drop;
};

// Adds `sentences`, an array of arrays of ids without specials; a sentence without tokens is left out. A
// record of text has that field alone, JSONL and TSV keep theirs.
class SentenceFilter : public io::Filter {
 public:
  // Error when the locale is not known. `tokenizer` outlives the filter.
  SentenceFilter(const text::Tokenizer& tokenizer, SentenceOptions options);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, std::string& out) const override;

 private:
  // What a thread needs for a record, used again for the next.
  struct Desk {
    text::SentenceSplitter splitter;
    std::vector<std::string_view> sentences = {};
    text::Tokens tokens = {};
  };
  struct Prepared;
  std::unique_ptr<Desk> borrow_desk() const;
  void append_sentences(std::string& out, Desk& desk) const;

  const text::Tokenizer& tokenizer_;
  const SentenceOptions options_;
  const io::RecordWriter writer_, text_writer_;
  mutable std::mutex desks_mutex_;
  mutable std::vector<std::unique_ptr<Desk>> idle_desks_;
};

}  // namespace bert::data
