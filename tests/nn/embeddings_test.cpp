#include "nn/embeddings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/pool.h"
#include "nn/params.h"

using namespace bert;
using namespace bert::nn;

namespace {

constexpr int64_t kHidden = 8, kPositions = 5, kWords = 4;

// Embeddings whose position table has `first` rows before that of the first token.
struct Subject {
  Pool pool{2};
  Context context{pool};
  Layout layout;
  Embeddings embeddings;
  Params params{layout}, gradients{layout};
  Weights weights{params};
  std::vector<float> words, dwords = std::vector<float>(kWords * kHidden);
  Embeddings::Saved saved;
  Tensor x;
  Batch batch;

  explicit Subject(int64_t first, int32_t padding = -1)
      : embeddings({.hidden = kHidden,
                    .positions = kPositions,
                    .first_position = first,
                    .padding = padding,
                    .norm_epsilon = 1e-3f},
                   layout) {
    for (int64_t i = 0; i < kWords * kHidden; ++i) words.push_back(static_cast<float>(i * i % 11));
    for (size_t place = 0; place < layout.entries().size(); ++place) {
      auto tensor = params.tensor(static_cast<int>(place));
      const bool positions = layout.entries()[place].shape[0] == first + kPositions;
      const int64_t before = positions ? first * kHidden : 0;
      std::fill_n(tensor.begin(), before, 100.0f);
      for (int64_t i = before; i < std::ssize(tensor); ++i)
        tensor[static_cast<size_t>(i)] = static_cast<float>((i - before) * (i - before + 3) % 7) / 7;
    }
    weights.refresh(context);
    batch.add(std::vector<int32_t>{2, 0, 1, 3, 3}, std::vector<int32_t>{0, 0, 0, 1, 1});
    batch.add(std::vector<int32_t>{1}, std::vector<int32_t>{0});
    const Pass pass = {.context = context, .weights = weights, .offsets = batch.offsets, .keeps = true};
    const auto look_up = [&](int32_t id, std::span<float> row) {
      std::copy_n(words.begin() + id * kHidden, kHidden, row.begin());
    };
    embeddings.forward(pass, look_up, batch, saved, x);
    Tensor dx(batch.tokens(), kHidden);
    for (int64_t row = 0; row < dx.rows(); ++row)
      for (int64_t i = 0; i < kHidden; ++i) dx.row(row)[i] = static_cast<float>((row + i * i) % 5) - 2;
    embeddings.backward(pass, batch, saved, dx, dwords, gradients);
  }

  std::span<const float> row_of(Params& from, std::string_view name, int64_t row) {
    for (size_t place = 0; place < layout.entries().size(); ++place)
      if (layout.entries()[place].name.find(name) != std::string::npos)
        return from.tensor(static_cast<int>(place)).subspan(row * kHidden, kHidden);
    return {};
  }
};

}  // namespace

TEST_CASE("rows of the position table before the first position are neither read nor trained") {
  Subject plain(0), offset(2);
  for (int64_t row = 0; row < plain.x.rows(); ++row)
    CHECK(std::ranges::equal(plain.x.values(row), offset.x.values(row)));
  CHECK(plain.dwords == offset.dwords);
  for (size_t place = 0; place < plain.layout.entries().size(); ++place) {
    const auto expected = plain.gradients.tensor(static_cast<int>(place));
    const auto found = offset.gradients.tensor(static_cast<int>(place));
    const auto before = found.size() - expected.size();
    CHECK(std::ranges::equal(expected, found.subspan(before)));
    CHECK(std::ranges::all_of(found.first(before), [](float x) { return x == 0; }));
  }
}

// As transformers counts: cumsum(id != padding) + padding, and padding where it stands.
TEST_CASE("padding inside a sequence has the row before the first position and does not count") {
  Subject subject(2, 1);
  const int64_t expected[] = {2, 3, 1, 4, 5, 1};  // of ids 2, 0, 1, 3, 3 and 1
  for (int64_t token = 0; token < subject.batch.tokens(); ++token) {
    const auto positions = subject.row_of(subject.params, "position", expected[token]);
    const auto types = subject.row_of(subject.params, "token_type", subject.batch.types[token]);
    REQUIRE(!positions.empty());
    REQUIRE(!types.empty());
    for (int64_t i = 0; i < kHidden; ++i) {
      const float word = subject.words[subject.batch.ids[token] * kHidden + i];
      CHECK(subject.saved.s.row(token)[i] == doctest::Approx(word + types[i] + positions[i]));
    }
  }
  const auto is_zero = [](float x) { return x == 0; };
  for (const int64_t unread : {0, 6})
    CHECK(std::ranges::all_of(subject.row_of(subject.gradients, "position", unread), is_zero));
  CHECK_FALSE(std::ranges::all_of(subject.row_of(subject.gradients, "position", 1), is_zero));
}

TEST_CASE("embeddings are projected between their sum and their normalization") {
  Pool pool(2);
  Context context(pool);
  Layout layout;
  constexpr int64_t kWidth = 3;
  const Embeddings embeddings(
      {.hidden = kHidden, .projected = kWidth, .positions = 0, .types = 0, .norm_epsilon = 1e-3f}, layout);
  REQUIRE(layout.entries().size() == 3);
  Params params(layout);
  for (size_t place = 0; place < 3; ++place) {
    const auto tensor = params.tensor(static_cast<int>(place));
    for (int64_t i = 0; i < std::ssize(tensor); ++i)
      tensor[static_cast<size_t>(i)] = static_cast<float>(i * i % 7) - static_cast<float>(place);
  }
  Weights weights(params);
  weights.refresh(context);
  Batch batch;
  batch.add(std::vector<int32_t>{2, 0, 1}, std::vector<int32_t>{0, 0, 0});
  const auto look_up = [&](int32_t id, std::span<float> row) {
    for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(id + 1) * static_cast<float>(i % 3);
  };
  Pass pass = {.context = context, .weights = weights, .offsets = batch.offsets, .keeps = true};
  Embeddings::Saved saved, unused;
  Tensor x, again;
  embeddings.forward(pass, look_up, batch, saved, x);
  pass.keeps = false;
  embeddings.forward(pass, look_up, batch, unused, again);
  const auto matrix = params.tensor(0), gain = params.tensor(1), bias = params.tensor(2);
  for (int64_t token = 0; token < batch.tokens(); ++token) {
    std::vector<double> s(kWidth);
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < kWidth; ++i) {
      for (int64_t j = 0; j < kHidden; ++j)
        s[i] += double{matrix[i * kHidden + j]} * (batch.ids[token] + 1) * (j % 3);
      mean += s[i] / kWidth;
    }
    for (const double value : s) variance += (value - mean) * (value - mean) / kWidth;
    for (int64_t i = 0; i < kWidth; ++i)
      CHECK(x.row(token)[i] ==
            doctest::Approx((s[i] - mean) / std::sqrt(variance + 1e-3) * gain[i] + bias[i]).epsilon(1e-5));
    CHECK(std::ranges::equal(x.values(token), again.values(token)));
  }
}

TEST_CASE("without other tables and normalization, embeddings are those of the words") {
  Pool pool(2);
  Context context(pool);
  Layout layout;
  const Embeddings embeddings({.hidden = kHidden, .types = 0, .words_only = true}, layout);
  CHECK(layout.entries().empty());
  const Params params(layout);
  Params gradients(layout);
  const Weights weights(params);
  Batch batch;
  for (const auto& ids : {std::vector<int32_t>{2, 2}, {}, {0}})
    batch.add(ids, std::vector<int32_t>(ids.size()));
  const Pass pass = {.context = context, .weights = weights, .offsets = batch.offsets, .keeps = true};
  Embeddings::Saved saved;
  Tensor x;
  embeddings.forward(
      pass, [](int32_t id, std::span<float> row) { std::ranges::fill(row, static_cast<float>(id) + 1); },
      batch, saved, x);
  REQUIRE(x.rows() == 3);
  for (int64_t row = 0; row < 3; ++row) CHECK(x.row(row)[kHidden - 1] == (row < 2 ? 3 : 1));
  std::vector<float> dwords(kWords * kHidden, 0.5f);
  embeddings.backward(pass, batch, saved, x, dwords, gradients);
  for (int64_t id = 0; id < kWords; ++id)
    CHECK(dwords[id * kHidden] == std::vector<float>{1.5f, 0.5f, 6.5f, 0.5f}[id]);
}
