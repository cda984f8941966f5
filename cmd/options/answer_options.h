// Options of question answering, in prediction and in training.
#pragma once

#include "base/option.h"
#include "cli/app.h"
#include "options/task_choices.h"
#include "predict/predictor.h"

namespace bert::cmd {

inline void answer_options(cli::App& app, heads::AnswerOptions& answer) {
  app.section("Task answer");
  const auto add = [](cli::Declaration& option) {
    option.only_for = tasks({task::Task::answer});
    option.is_kept = true;
  };
  add(app.number({opt::stride, "N", "Step from one window of the context to the next, in tokens."},
                 {.min = 1}, answer.stride));
  add(app.number({opt::max_question_length, "N",
                  "Truncate questions to N tokens (default 64, at most half a sequence)."},
                 {.min = 1}, answer.max_question_length));
  add(app.number({"--max-answer-length", "N", "Maximum length of an answer in tokens."}, {.min = 1},
                 answer.max_answer_length));
  add(app.real(
      {opt::no_answer_threshold, "T",
       "Predict no answer if its score exceeds that of the best answer by more than T (default: always "
       "answer)."},
      {.min = -1e6, .max = 1e6}, answer.no_answer_threshold));
}

}  // namespace bert::cmd
