#include "train/moments.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

using namespace bert;
using train::Moment;
using train::Moments;

namespace {

// Slices: 64 numbers of the first tensor, then 65536, 65536 and 128 of the second.
nn::Layout small_layout() {
  nn::Layout layout;
  layout.add_plain("a", {3, 7});
  layout.add_plain("b", {131'072 + 100});
  return layout;
}

std::vector<float> counting(size_t count, float first) {
  std::vector<float> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::vector<float> read(const Moments& moments, Moment moment, int tensor, size_t count) {
  std::vector<float> numbers(count, -1.0f);
  moments.read(moment, tensor, numbers);
  return numbers;
}

}  // namespace

TEST_CASE("memory is used only for the slices held, without gaps") {
  const auto layout = small_layout();
  const Moments all(layout), some(layout, {true, false, true, true}),
      none(layout, {false, false, false, false});
  for (const Moment moment : {Moment::m, Moment::v}) {
    CHECK(all.all(moment).size() == 64 + 65'536 + 65'536 + 128);
    CHECK(some.all(moment).size() == 64 + 65'536 + 128);
    CHECK(none.all(moment).empty());
    CHECK(some.slice(moment, 0).data() == some.all(moment).data());
    CHECK(some.slice(moment, 0).size() == 64);
    CHECK(some.slice(moment, 1).empty());
    CHECK(some.slice(moment, 2).data() == some.all(moment).data() + 64);
    CHECK(some.slice(moment, 3).data() == some.all(moment).data() + 64 + 65'536);
    CHECK(some.slice(moment, 3).size() == 128);
    CHECK(std::ranges::all_of(some.all(moment), [](float number) { return number == 0; }));
  }
  CHECK_FALSE(some.holds(1));
  CHECK(some.holds(2));
  CHECK(some.slices().size() == 4);
}

TEST_CASE("a tensor is filled and read where its slices are held; the rest is ignored and read as 0") {
  const auto layout = small_layout();
  constexpr size_t kCount = 131'072 + 100;
  Moments moments(layout, {true, true, false, true});
  const auto first = counting(21, 1), second = counting(kCount, 1), other = counting(kCount, 1e6f);
  moments.fill(Moment::m, 0, std::as_bytes(std::span(first)));
  moments.fill(Moment::v, 1, std::as_bytes(std::span(other)));
  std::vector<std::byte> odd(kCount * sizeof(float) + 1);  // files align numbers to bytes only
  std::memcpy(odd.data() + 1, second.data(), kCount * sizeof(float));
  moments.fill(Moment::m, 1, std::span(odd).subspan(1));

  CHECK(read(moments, Moment::m, 0, 21) == first);
  CHECK(read(moments, Moment::v, 0, 21) == std::vector<float>(21));
  auto expected = second;
  std::fill_n(expected.begin() + 65'536, 65'536, 0.0f);
  CHECK(read(moments, Moment::m, 1, kCount) == expected);
  expected = other;
  std::fill_n(expected.begin() + 65'536, 65'536, 0.0f);
  CHECK(read(moments, Moment::v, 1, kCount) == expected);

  const auto last = moments.slice(Moment::m, 3);  // 100 numbers and the zeros after the tensor
  CHECK(std::ranges::equal(last.first(100), std::span(second).last(100)));
  CHECK(std::ranges::all_of(last.subspan(100), [](float number) { return number == 0; }));
}
