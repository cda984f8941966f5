// Questions with their answers as training examples, a window each (Devlin et al. 2018, sections 4.2 and
// 4.3):
//
//   question, context
//   answers    {"text": […], "answer_start": […]}, as Hugging Face has SQuAD; starts are code points of the
//              context. Empty arrays: there is no answer. What is learned is the first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/answer_windows.h"
#include "data/example.h"
#include "data/overflow.h"
#include "text/tokenizer.h"

namespace bert::data {

// What windows of a record share that is to be evaluated.
struct AnsweredText {
  std::string context;
  std::vector<text::Span> offsets;   // of the context's tokens, in code points
  std::vector<std::string> answers;  // all right ones
};

struct AnswerExample : Example {
  // The first and the last token of the answer; both 0, which is [CLS], where it is not whole in this window.
  int32_t start = 0, end = 0;

  // Of a dev set:
  std::shared_ptr<const AnsweredText> answered;
  int64_t text_begin = 0;  // the token at which the context's part begins
  Window text;             // the context's tokens in it
  bool last = false;       // of the record's windows
};

class AnswerReader : public ExampleReader {
 public:
  enum class For { learning, evaluation };

  // `tokenizer` outlives the reader. require_room(rule) was no Error.
  AnswerReader(const text::Tokenizer& tokenizer, const AnswerRule& rule, For use);

  // Error of an answer that does not stand in the context where it is said to. White space there and in the
  // answer may differ in kind and amount, and around the answer does not count.
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const text::Tokenizer& tokenizer_;
  const AnswerRule rule_;
  const For use_;
};

}  // namespace bert::data
