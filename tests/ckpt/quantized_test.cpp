#include "ckpt/quantized.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <span>

#include "base/error.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

const std::string kName = "encoder.layer.0.output.dense.weight";
const std::string kIntegers{'\x7f', '\x01', '\0', '\x80', '\xff', '\x02'};  // 127 1 0, -128 -1 2

Checkpoint checkpoint_of(const Folder& folder, std::vector<WrittenTensor> tensors) {
  tensors.push_back({kName, "I8", {2, 3}, kIntegers});
  folder.write("model.safetensors", safetensors(tensors));
  return Checkpoint::open(folder.path());
}

std::vector<float> numbers_of(const Checkpoint& checkpoint) {
  const int64_t shape[] = {2, 3};
  std::vector<float> numbers(6);
  to_f32(checkpoint.get(kName, shape), numbers);
  return numbers;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("integers are multiplied by the scale of their row, or of the matrix") {
  const Folder folder;
  CHECK(numbers_of(checkpoint_of(folder, {f32(kName + "_scale", {2, 1}, {0.5, 2})})) ==
        std::vector<float>{63.5, 0.5, 0, -256, -2, 4});
  CHECK(numbers_of(checkpoint_of(folder, {f32(kName + "_scale", {2}, {0.5, 2})})) ==
        std::vector<float>{63.5, 0.5, 0, -256, -2, 4});
  CHECK(numbers_of(checkpoint_of(folder, {f32(kName + "_scale", {1}, {2})})) ==
        std::vector<float>{254, 2, 0, -256, -2, 4});
  const auto half = checkpoint_of(folder, {{kName + "_scale", "F16", {2, 1}, std::string("\0\x38\0\x40", 4)},
                                           {kName + "_zero_point", "I8", {2, 1}, std::string(2, '\0')}});
  CHECK(numbers_of(half) == std::vector<float>{63.5, 0.5, 0, -256, -2, 4});
  CHECK(half.tensors().size() == 1);
  CHECK(fault_of(half).empty());
}

TEST_CASE("scales that are not those of the rows are refused") {
  const Folder folder;
  CHECK(error_of([&] {
          checkpoint_of(folder, {f32(kName + "_scale", {3}, {1, 2, 3})});
        }).ends_with(kName + "_scale has shape [3], expected 2 scales, one for each row of " + kName));
  constexpr auto kUnread = " is I8, expected F32, F16, BF16 or F64";
  CHECK(error_of([&] { numbers_of(checkpoint_of(folder, {})); }).ends_with(kName + kUnread));
  // Other zero points belong to another kind of quantization.
  CHECK(error_of([&] {
          numbers_of(checkpoint_of(folder, {f32(kName + "_scale", {2, 1}, {1, 1}),
                                            {kName + "_zero_point", "I8", {2, 1}, std::string("\0\1", 2)}}));
        }).ends_with(kName + kUnread));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(fault_of(checkpoint_of(folder, {f32(kName + "_scale", {2}, {1, nan})}))
            .ends_with(kName + " contains nan"));
}

TEST_CASE("parts of a fused matrix have the scales of their rows") {
  const Folder folder;
  folder.write("model.safetensors",
               safetensors({{"layers.0.attn.Wqkv.weight", "I8", {3, 1}, "\1\2\3"},
                            f32("layers.0.attn.Wqkv.weight_scale", {3, 1}, {10, 20, 30})}));
  const auto checkpoint = Checkpoint::open(folder.path());
  REQUIRE(checkpoint.tensors().size() == 3);
  std::vector<float> numbers;
  for (const auto* part : {"query", "key", "value"}) {
    const int64_t shape[] = {1, 1};
    float number = 0;
    to_f32(checkpoint.get("encoder.layer.0.attention.self." + std::string(part) + ".weight", shape),
           {&number, 1});
    numbers.push_back(number);
  }
  CHECK(numbers == std::vector<float>{10, 40, 90});
}
