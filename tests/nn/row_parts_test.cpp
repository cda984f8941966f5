#include "nn/row_parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "base/pool.h"
#include "nn/encoder_layer.h"
#include "nn/onednn.h"
#include "nn/panels.h"

using namespace bert;
using namespace bert::nn;

namespace {

// The kinds of layers, one bit each.
enum : unsigned { kNormsFirst = 1, kNormsAgain = 2, kGated = 4, kSelected = 8, kKinds = 16 };

void fill(std::mt19937& random, std::span<float> numbers, float scale) {
  std::normal_distribution<float> normal(0, scale);
  for (float& number : numbers) number = normal(random);
}

bool same_rows(const Tensor& a, int64_t first, const Tensor& b, int64_t from, int64_t count) {
  bool same = true;
  for (int64_t i = 0; i < count; ++i)
    same = same && std::ranges::equal(a.values(first + i), b.values(from + i));
  return same;
}

// Of a sequence alone, or of several.
std::vector<int64_t> offsets_of(std::span<const int64_t> lengths) {
  std::vector<int64_t> offsets = {0};
  for (const int64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

}  // namespace

TEST_CASE("rows are computed in parts if each part has enough of them for its weights") {
  if (has_amx()) {
    MESSAGE("skipped: no parts with AMX");
    return;
  }
  Layout layout;
  const Params params(layout);
  const Weights weights(params);
  const auto parts = [&](int threads, Dtype dtype, int64_t rows, int64_t numbers, bool keeps = false) {
    Pool pool(threads);
    Context context(pool);
    return parts_of_rows({.context = context, .weights = weights, .offsets = {}, .keeps = keeps}, dtype, rows,
                         numbers);
  };
  CHECK(parts(2, Dtype::i8, 16, 1000) == 2);
  CHECK(parts(2, Dtype::i8, 15, 1000) == 1);
  CHECK(parts(2, Dtype::i8, 144, 1000) == 2);
  CHECK(parts(2, Dtype::i8, 145, 1000) == 4);
  CHECK(parts(4, Dtype::i8, 64, 1000) == 4);
  CHECK(parts(4, Dtype::i8, 63, 1000) == 1);
  CHECK(parts(32, Dtype::i8, 2048, 1000) == 32);
  CHECK(parts(32, Dtype::i8, 1535, 1000) == 1);
  CHECK(parts(2, Dtype::i8, 40, 12'000'000) == 2);
  CHECK(parts(2, Dtype::i8, 39, 12'000'000) == 1);
  CHECK(parts(2, Dtype::bf16, 40, 6'000'000) == 2);
  CHECK(parts(2, Dtype::bf16, 39, 6'000'000) == 1);
  CHECK(parts(1, Dtype::i8, 2048, 1000) == 1);
  CHECK(parts(2, Dtype::f32, 2048, 1000) == 1);
  CHECK(parts(2, Dtype::i8, 2048, 1000, true) == 1);
}

TEST_CASE("parts have all rows, about as many each") {
  Layout layout;
  const Params params(layout);
  const Weights weights(params);
  Pool pool(3);
  Context context(pool);
  std::vector<int> seen(100);
  std::vector<int64_t> sizes(7);
  std::vector<char> is_alone(7);
  for_parts_of_rows({.context = context, .weights = weights, .offsets = {}}, 7, 100,
                    [&](const Pass& pass, const RowPart& part) {
                      const auto number = static_cast<size_t>(part.first * 7 / 100 + (part.first > 0));
                      is_alone[number] =
                          pass.context.pool().size() == 1 && &pass.context == &context.alone(part.thread);
                      sizes[number] = part.rows;
                      for (int64_t i = 0; i < part.rows; ++i) ++seen[static_cast<size_t>(part.first + i)];
                    });
  CHECK(std::ranges::count(seen, 1) == 100);
  CHECK(std::ranges::count(is_alone, 1) == 7);
  CHECK(std::ranges::min(sizes) >= 14);
  CHECK(std::ranges::max(sizes) <= 15);
}

// A sequence of seven tokens is never computed in parts.
TEST_CASE("a layer gives a sequence the same bits alone and in a batch that is computed in parts") {
  std::mt19937 random(5);
  const std::vector<int64_t> lengths = {7, 130, 1, 64, 9};
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    if (kind & kNormsFirst && kind & kNormsAgain) continue;
    CAPTURE(kind);
    Layout layout;
    const EncoderLayer layer("encoder.layer.0",
                             {.attention = {.hidden = 64, .heads = 2},
                              .feed_forward = {.hidden = 64, .width = 200, .gated = (kind & kGated) != 0},
                              .norms_first = (kind & kNormsFirst) != 0,
                              .norms_again = (kind & kNormsAgain) != 0},
                             layout);
    Params params(layout);
    fill(random, params.all(), 0.3f);
    const auto& entries = layout.entries();
    const auto find = [&](const LayoutEntry& entry) {
      const auto place = std::ranges::find(entries, entry.name, &LayoutEntry::name) - entries.begin();
      return Stored{.data = std::as_bytes(params.tensor(static_cast<int>(place))).data()};
    };
    const auto all = offsets_of(lengths);
    Tensor x(all.back(), 64);
    for (int64_t row = 0; row < x.rows(); ++row) fill(random, {x.row(row), 64}, 1);
    for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::i8}) {
      if (dtype == Dtype::bf16 && !has_bf16()) continue;
      const auto forward = [&](int threads, const Tensor& from, std::span<const int64_t> offsets) {
        Pool pool(threads);
        Context context(pool);
        const Weights weights(layout, {.find = find, .release = [](std::span<const std::byte>) {}}, context,
                              dtype);
        const Pass pass = {.context = context, .weights = weights, .offsets = offsets};
        if (dtype != Dtype::f32 && threads == 2 && !has_amx())
          CHECK((parts_of_rows(pass, dtype, from.rows(), 64 * 456) > 1) == (from.rows() >= 16));
        std::vector<int64_t> rows, row_offsets = {0};  // every third one
        for (size_t s = 0; s + 1 < offsets.size(); ++s) {
          for (int64_t row = offsets[s]; row < offsets[s + 1]; row += 3) rows.push_back(row);
          row_offsets.push_back(std::ssize(rows));
        }
        std::optional<RowSelection> selection;
        if (kind & kSelected) selection.emplace(RowSelection{rows, row_offsets});
        EncoderLayer::Workspace workspace;
        EncoderLayer::Saved saved;
        Tensor z;
        layer.forward(pass, from, selection, workspace, saved, z);
        return z;
      };
      const Tensor expected = forward(1, x, all);
      for (const int threads : {2, 3, 40}) {
        const Tensor z = forward(threads, x, all);
        REQUIRE(z.rows() == expected.rows());
        CHECK(same_rows(z, 0, expected, 0, z.rows()));
      }
      for (int64_t s = 0, row = 0; s < std::ssize(lengths); ++s) {
        const int64_t length = lengths[static_cast<size_t>(s)], first = all[static_cast<size_t>(s)];
        Tensor some;
        some.copy(x.part(first, length));
        const Tensor z = forward(2, some, std::vector<int64_t>{0, length});
        CHECK(same_rows(z, 0, expected, row, z.rows()));
        row += z.rows();
      }
    }
  }
}
