#include "predict/predictor.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "text/tokenizer.h"

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

TEST_CASE("a perplexity that f32 cannot hold is the largest f32") {
  const bert::text::Tokenizer tokenizer({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"}, {}, "vocab");
  const auto task = make_predictor({.task = bert::task::Task::perplexity}, {}, tokenizer);
  const auto perplexity = [&](double log_probability) {
    Reading reading;
    reading.windows.push_back({.rows = {{.log_probability = log_probability}, {}}});
    return task->numbers(reading).front();
  };
  CHECK(perplexity(-2) == std::exp(1.0f));
  CHECK(perplexity(-2 * 88.7) < std::numeric_limits<float>::max());
  CHECK(perplexity(-2 * 88.8) == std::numeric_limits<float>::max());
  CHECK(perplexity(-1e300) == std::numeric_limits<float>::max());
}
