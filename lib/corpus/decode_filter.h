// Decodes ids to text: replaces the field input_ids by the text field.
#pragma once

#include <string>
#include <vector>

#include "io/filter.h"
#include "io/record_writer.h"
#include "text/tokenizer.h"

namespace bert::corpus {

// Skips special tokens, like decode() of Hugging Face's fast tokenizers. In text and TSV input, ids are
// numbers separated by spaces, as written by bert-tokenize --format ids.
class DecodeFilter : public io::Filter {
 public:
  DecodeFilter(const text::Tokenizer& tokenizer, std::string text_field, std::vector<std::string> drop);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, std::string& out) const override;

 private:
  struct Prepared;
  const text::Tokenizer& tokenizer_;
  const std::string text_field_;
  const io::RecordWriter writer_;
};

}  // namespace bert::corpus
