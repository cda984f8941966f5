// Training examples for question answering, one for each window (Devlin et al. 2018, sections 4.2 and 4.3):
//
//   question, context
//   answers    {"text": […], "answer_start": […]}, as in Hugging Face's SQuAD; starts are code points of the
//              context. Empty arrays: no answer. Training uses the first answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "examples/example.h"
#include "features/answer_windows.h"
#include "features/overflow.h"
#include "text/tokenizer.h"

namespace bert::examples {

// Shared by the windows of a record, for evaluation.
struct AnsweredText {
  std::string context;
  std::vector<text::Span> offsets;   // of the context's tokens, in code points
  std::vector<std::string> answers;  // all reference answers
};

struct AnswerExample : Example {
  // First and last token of the answer. Both are 0 ([CLS]) unless the whole answer is in this window.
  int32_t start = 0, end = 0;

  // Set for evaluation only:
  std::shared_ptr<const AnsweredText> answered;
  int64_t text_begin = 0;  // first token of the context part
  features::Window text;   // the context tokens in this window
  bool last = false;       // last window of the record
};

class AnswerReader : public ExampleReader {
 public:
  enum class For { learning, evaluation };

  // `tokenizer` must outlive the reader. `rule` must satisfy features::require_room.
  AnswerReader(const text::Tokenizer& tokenizer, const features::AnswerRule& rule, For use);

  // Throws Error if an answer is not found in the context at its start. White space may differ in kind and
  // amount between the two; white space around the answer is ignored.
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const text::Tokenizer& tokenizer_;
  const features::AnswerRule rule_;
  const For use_;
};

}  // namespace bert::examples
