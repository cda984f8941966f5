#include "train/slices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nn/params.h"

using namespace bert;
using train::Slice;

namespace {

constexpr int64_t kLongest = 1 << 16;

nn::Layout layout_of(const std::vector<int64_t>& counts) {
  nn::Layout layout;
  for (const int64_t count : counts) layout.add_plain(std::to_string(layout.entries().size()), {count});
  return layout;
}

}  // namespace

TEST_CASE("slices cover the whole array in order, and none spans two tensors") {
  const auto layout = layout_of({5, kLongest, 3 * kLongest + 1, 64, 0, 2 * kLongest - 64});
  const nn::Params params(layout);
  int64_t end = 0;
  for (const auto& slice : train::slices_of(layout)) {
    CHECK(slice.start == end);
    CHECK(slice.count > 0);
    CHECK(slice.count <= kLongest);
    CHECK(slice.count % 64 == 0);
    CHECK(slice.offset == slice.start - static_cast<int64_t>(params.start(slice.tensor)));
    CHECK(slice.offset < layout.entries()[static_cast<size_t>(slice.tensor)].count());
    end += slice.count;
  }
  CHECK(end == static_cast<int64_t>(params.all().size()));
}

TEST_CASE("the parts of a tensor's slices are the tensor") {
  const auto layout = layout_of({7, 2 * kLongest + 65});
  std::vector<float> tensor(2 * kLongest + 65);
  std::vector<size_t> sizes;
  for (const Slice& slice : train::slices_of(layout)) {
    if (slice.tensor != 1) continue;
    const auto part = train::part_of(tensor, slice);
    sizes.push_back(part.size());
    for (float& number : part) ++number;
  }
  CHECK(sizes == std::vector<size_t>{kLongest, kLongest, 65});
  CHECK(std::ranges::all_of(tensor, [](float number) { return number == 1; }));
}
