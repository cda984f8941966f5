#include "nn/weights.h"

#include <doctest/doctest.h>

#include <cstring>
#include <mutex>
#include <random>
#include <vector>

using namespace bert;
using namespace bert::nn;

namespace {

// The panels of a matrix stored as these bytes, at an odd address if `odd`.
std::vector<float> packed(const LayoutEntry& entry, Stored stored, std::span<const std::byte> bytes,
                          size_t odd, Context& context) {
  std::vector<std::byte> file(bytes.size() + odd);
  std::memcpy(file.data() + odd, bytes.data(), bytes.size());
  stored.data = file.data() + odd;
  Layout layout;
  layout.add_matrix(entry.name, entry.shape[0], entry.shape[1]);
  size_t released = 0;
  const Weights weights(layout,
                        {.find = [&](const LayoutEntry&) { return stored; },
                         .release =
                             [&](std::span<const std::byte> part) {
                               static std::mutex mutex;
                               const std::lock_guard lock(mutex);
                               released += part.size();
                               CHECK(part.data() >= stored.data);
                               CHECK(part.data() + part.size() <= file.data() + file.size());
                             }},
                        context);
  CHECK(released == bytes.size());
  const Panels panels = weights.forward(0);
  const auto* const numbers = reinterpret_cast<const float*>(panels.data);
  return {numbers, numbers + panels.count() * panels.bytes() / 4};
}

}  // namespace

TEST_CASE("a matrix stored transposed gives the same panels") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Pool pool(2);
  Context context(pool);
  for (const auto& [n, k] : {std::pair<int64_t, int64_t>{1, 1},
                             {3, 5},
                             {64, 16},
                             {65, 17},
                             {127, 40},
                             {700, 900},
                             {2, 3000},
                             {3000, 2}}) {
    for (const auto dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
      const auto count = static_cast<size_t>(n * k);
      std::vector<float> rows(count), columns(count);
      for (float& number : rows) number = normal(random);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < k; ++j) {
          columns[static_cast<size_t>(j * n + i)] = rows[static_cast<size_t>(i * k + j)];
        }
      }
      std::vector<std::byte> row_bytes(count * size_of(dtype)), column_bytes(row_bytes.size());
      from_f32(rows, dtype, row_bytes.data());
      from_f32(columns, dtype, column_bytes.data());
      const LayoutEntry entry = {.name = "w", .shape = {n, k}};
      const auto expected = packed(entry, {.dtype = dtype}, row_bytes, 0, context);
      for (const size_t odd : {0, 1}) {
        CAPTURE(entry.shape[0]);
        CAPTURE(entry.shape[1]);
        CHECK(packed(entry, {.dtype = dtype, .transposed = true}, column_bytes, odd, context) == expected);
      }
    }
  }
}
