#include "search/duplicates.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/checksum.h"

namespace bert::search {

std::vector<Duplicate> find_duplicates(const Vectors& vectors, Pool& pool) {
  nn::Memory unused;  // rows stay where they are
  const auto bytes = [&](int64_t row) {
    return std::as_bytes(std::span(vectors.row(row, unused), vectors.width()));
  };
  std::vector<std::pair<uint64_t, uint32_t>> rows(vectors.rows());  // and their checksums
  pool.run_grid(vectors.blocks(), [&](int64_t b, int) {
    for (int64_t row = b * kBlock; row < std::min(vectors.rows(), (b + 1) * kBlock); ++row) {
      Checksum checksum;
      checksum.add(bytes(row));
      rows[row] = {checksum.value(), row};
    }
  });
  std::ranges::sort(rows);
  std::vector<Duplicate> duplicates;
  for (size_t i = 0, first = 0; i < rows.size(); ++i) {
    if (rows[i].first != rows[first].first) first = i;
    if (i == first || !std::ranges::equal(bytes(rows[i].second), bytes(rows[first].second))) continue;
    duplicates.push_back({.of = rows[first].second, .row = rows[i].second});
  }
  std::ranges::sort(duplicates);
  return duplicates;
}

std::vector<bool> marked(std::span<const Duplicate> duplicates, int64_t count) {
  std::vector<bool> marks(count);
  for (const auto& [of, row] : duplicates) {
    if (of >= row || row >= count || marks[row]) return {};
    marks[row] = true;
  }
  const auto repeats_one = [&](const Duplicate& duplicate) { return marks[duplicate.of]; };
  if (std::ranges::any_of(duplicates, repeats_one) || !std::ranges::is_sorted(duplicates)) return {};
  return marks;
}

}  // namespace bert::search
