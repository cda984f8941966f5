#include "task/task.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "task/sentence_head.h"

using namespace bert::task;
using bert::model::Config;
using bert::model::ProblemType;

namespace {

TaskKind classifier(size_t labels, std::optional<ProblemType> type, bool cross_encoder) {
  Config config = {.architectures = {"BertForSequenceClassification"}, .labels = {}, .problem_type = type};
  for (size_t k = 0; k < labels; ++k) config.labels.push_back("label " + std::to_string(k));
  config.cross_encoder = cross_encoder;
  return task_of(config);
}

Window window(size_t tokens, std::vector<float> logits) {
  Window window;
  window.features.ids.assign(tokens, 1);
  window.rows.push_back({.logits = std::move(logits)});
  return window;
}

}  // namespace

TEST_CASE("an architecture says the task") {
  CHECK(task_of({.architectures = {"BertForPreTraining"}}) == TaskKind::fill);
  CHECK(task_of({.architectures = {"BertForMaskedLM"}}) == TaskKind::fill);
  CHECK(task_of({.architectures = {"BertForNextSentencePrediction"}}) == TaskKind::next);
  CHECK(task_of({.architectures = {"BertForTokenClassification"}}) == TaskKind::tag);
  CHECK(task_of({.architectures = {"BertForQuestionAnswering"}}) == TaskKind::answer);
  CHECK(task_of({.architectures = {"BertForMultipleChoice"}}) == TaskKind::choose);
}

TEST_CASE("a classifier's task is its problem type, else goes by its labels and its settings") {
  CHECK(classifier(3, {}, false) == TaskKind::classify);
  CHECK(classifier(1, {}, false) == TaskKind::regress);
  CHECK(classifier(1, {}, true) == TaskKind::rank);
  CHECK(classifier(3, {}, true) == TaskKind::classify);
  CHECK(classifier(3, ProblemType::multi_label, false) == TaskKind::multilabel);
  CHECK(classifier(1, ProblemType::multi_label, false) == TaskKind::multilabel);
  CHECK(classifier(1, ProblemType::regression, true) == TaskKind::regress);
  CHECK(classifier(2, ProblemType::single_label, false) == TaskKind::classify);
}

TEST_CASE("a bare encoder is for nothing in particular, and the error names what there is") {
  for (const std::string name : {"BertModel", ""}) {
    try {
      task_of({.architectures = {name}});
      FAIL("no error");
    } catch (const bert::Error& error) {
      const std::string what = error.what();
      for (const auto task :
           {"fill", "next", "classify", "regress", "multilabel", "choose", "rank", "perplexity"}) {
        CHECK_MESSAGE(what.find(task) != std::string::npos, what);
      }
    }
  }
}

TEST_CASE("the logits of one window come back to the last bit") {
  const std::vector<float> logits = {0.1f, -3e-7f, 12345.678f};
  for (const size_t tokens : {1, 3, 7, 511}) {
    CHECK(mean_logits(std::vector{window(tokens, logits)}) == logits);
  }
}

TEST_CASE("the logits of several windows are averaged by their tokens") {
  const std::vector<Window> windows = {window(30, {1, 0}), window(10, {-1, 4})};
  CHECK(mean_logits(windows) == std::vector<float>{0.5f, 1});
}

TEST_CASE("a logit that is no number is an error") {
  CHECK_THROWS_WITH_AS(mean_logits(std::vector{window(2, {1, NAN})}),
                       "logit 1 is nan, expected a finite number", bert::Error);
}

TEST_CASE("labels are keys, so none may stand twice") {
  CHECK_NOTHROW(require_labels({.labels = {"a", "b"}}, TaskKind::classify, 2));
  CHECK_THROWS_AS(require_labels({.labels = {"a", "b", "a"}}, TaskKind::classify, 2), bert::Error);
  CHECK_THROWS_AS(require_labels({.labels = {"a"}}, TaskKind::classify, 2), bert::Error);
}
