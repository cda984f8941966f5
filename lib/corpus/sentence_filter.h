// Splits documents into sentences of ids: bert-tokenize --sentences.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/filter.h"
#include "text/sentences.h"
#include "text/tokenizer.h"

namespace bert::corpus {

struct SentenceOptions {
  std::string text_field{io::kTextField};
  std::string locale = "root";  // for sentence boundaries; documents input has one sentence per line
  io::DropList drop;
};

// Adds `sentences`, an array of arrays of ids without special tokens. Sentences without tokens are skipped.
// Text records have only this field in the output; JSONL and TSV records keep their fields.
class SentenceFilter : public io::Filter {
 public:
  // Throws Error if the locale is unknown. `tokenizer` must outlive the filter.
  SentenceFilter(const text::Tokenizer& tokenizer, SentenceOptions options);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, io::Output& out) const override;

 private:
  // Working memory of a thread, reused for the next record.
  struct Workspace {
    text::SentenceSplitter splitter;
    std::vector<std::string_view> sentences = {};
    text::Tokens tokens = {};
  };
  struct Prepared;
  std::unique_ptr<Workspace> borrow_workspace() const;
  void append_sentences(std::string& out, Workspace& workspace) const;

  const text::Tokenizer& tokenizer_;
  const SentenceOptions options_;
  const io::DropList text_drop_;  // for records that are only a text
  mutable std::mutex workspaces_mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_workspaces_;
};

}  // namespace bert::corpus
