#include "ckpt/quantized.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace bert::ckpt {
namespace {

bool is_zero(std::byte b) { return b == std::byte{0}; }

std::vector<float> scales_of(const StoredTensor& matrix, const StoredTensor& tensor) {
  const int64_t rows = matrix.shape.front();
  std::vector<float> scales(static_cast<size_t>(tensor.count()));
  if (tensor.count() != rows && tensor.count() != 1)
    throw Error(tensor.file, ": tensor ", tensor.name, " has shape ", shape_text(tensor.shape), ", expected ",
                rows, " scales, one for each row of ", matrix.name);
  to_f32(tensor, scales);
  scales.resize(rows, scales.front());
  return scales;
}

}  // namespace

void join_scales(Contents& contents) {
  auto& tensors = contents.tensors;
  if (std::ranges::none_of(tensors, [](const auto& tensor) { return tensor.dtype == Dtype::i8; })) return;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < tensors.size(); ++i) places.emplace(tensors[i].name, i);
  std::vector<bool> joined(tensors.size());
  for (auto& tensor : tensors) {
    if (tensor.dtype != Dtype::i8 || tensor.shape.size() < 2 || tensor.data.empty() || tensor.transposed)
      continue;
    const auto scale = places.find(tensor.name + std::string(kScale));
    if (scale == places.end() || !is_floating(tensors[scale->second].dtype)) continue;
    const auto zero = places.find(tensor.name + std::string(kZeroPoint));
    if (zero != places.end()) {
      if (!std::ranges::all_of(tensors[zero->second].data, is_zero)) continue;
      joined[zero->second] = true;
    }
    tensor.scales = scales_of(tensor, tensors[scale->second]);
    joined[scale->second] = true;
  }
  std::vector<StoredTensor> rest;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!joined[i]) rest.push_back(std::move(tensors[i]));
  tensors = std::move(rest);
}

void widen(std::span<const std::byte> integers, std::span<const float> scales, std::span<float> to) {
  const size_t width = integers.size() / scales.size();
  for (size_t row = 0; row < scales.size(); ++row)
    for (size_t i = row * width; i < (row + 1) * width; ++i)
      to[i] = static_cast<float>(static_cast<int8_t>(integers[i])) * scales[row];
}

}  // namespace bert::ckpt
