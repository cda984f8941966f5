// Ids back to text: the field input_ids becomes the text field.
#pragma once

#include <string>
#include <vector>

#include "io/filter.h"
#include "io/record_writer.h"
#include "text/tokenizer.h"

namespace bert::data {

// Special tokens are left out, as by the decode() of Hugging Face's fast tokenizers. Text input and TSV give
// ids as numbers with spaces between: the output of bert-tokenize --format ids.
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

}  // namespace bert::data
