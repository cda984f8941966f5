#include "predict/predictor.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"

using namespace bert::predict;

namespace {

Window window(size_t tokens, std::vector<float> logits) {
  Window window;
  window.features.ids.assign(tokens, 1);
  window.rows.push_back({.logits = std::move(logits)});
  return window;
}

}  // namespace

TEST_CASE("the mean over one window returns its logits bit for bit") {
  const std::vector<float> logits = {0.1f, -3e-7f, 12345.678f};
  for (const size_t tokens : {1, 3, 7, 511}) {
    CHECK(mean_logits(std::vector{window(tokens, logits)}) == logits);
  }
}

TEST_CASE("logits of several windows are averaged, weighted by their tokens") {
  const std::vector<Window> windows = {window(30, {1, 0}), window(10, {-1, 4})};
  CHECK(mean_logits(windows) == std::vector<float>{0.5f, 1});
}

TEST_CASE("a logit that is not finite is an error") {
  CHECK_THROWS_WITH_AS(mean_logits(std::vector{window(2, {1, NAN})}),
                       "logit 1 is nan, expected a finite number", bert::Error);
}

TEST_CASE("labels must be unique because they are JSON keys") {
  CHECK_NOTHROW(require_labels({.labels = {"a", "b"}}, bert::task::Task::classify, 2));
  CHECK_THROWS_AS(require_labels({.labels = {"a", "b", "a"}}, bert::task::Task::classify, 2), bert::Error);
  CHECK_THROWS_AS(require_labels({.labels = {"a"}}, bert::task::Task::classify, 2), bert::Error);
}
