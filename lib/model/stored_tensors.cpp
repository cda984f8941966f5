#include "model/stored_tensors.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "base/error.h"
#include "ckpt/column_major.h"
#include "ckpt/naming.h"
#include "model/heads.h"

namespace bert::model {
namespace {

// The parts of a tensor, one after another by rows.
ckpt::TensorToWrite joined(const std::string& name, const std::vector<ckpt::TensorToWrite>& parts) {
  auto whole = parts.front();
  whole.name = name;
  whole.data = {};
  whole.transposed = false;
  whole.shape.front() = 0;
  for (const auto& part : parts) {
    if (part.dtype != whole.dtype)
      throw Error("tensor ", part.name, " is ", name_of(part.dtype), ", ", parts.front().name, " is ",
                  name_of(whole.dtype), "; expected one format, because the file joins them");
    whole.shape.front() += part.shape.front();
    if (&part != &parts.front())
      whole.scales.insert(whole.scales.end(), part.scales.begin(), part.scales.end());
  }
  auto bytes = std::make_shared<std::vector<std::byte>>();
  whole.load = [parts, bytes]() -> std::span<const std::byte> {
    bytes->clear();
    for (const auto& part : parts) {
      std::vector<std::byte> matrix;
      const auto data = part.load ? part.load() : part.data;
      const auto rows = ckpt::row_major(part.shape, data, part.transposed, matrix);
      bytes->insert(bytes->end(), rows.begin(), rows.end());
    }
    return *bytes;
  };
  return whole;
}

}  // namespace

std::vector<float> floats_of(const ckpt::TensorToWrite& tensor) {
  std::vector<std::byte> matrix;
  const auto data = tensor.load ? tensor.load() : tensor.data;
  const auto bytes = ckpt::row_major(tensor.shape, data, tensor.transposed, matrix);
  std::vector<float> values(bytes.size() / size_of(tensor.dtype));
  to_f32(tensor.dtype, bytes.data(), values);
  return values;
}

std::string stored_name(const Config& config, const std::string& canonical) {
  const bool is_bare = config.has_architecture(architecture_of({}, config));
  const auto with_head = config.architectures.empty() ? config.type->classes : config.architectures.front();
  return ckpt::stored_name(canonical, config.type->name, is_bare ? "" : with_head);
}

std::vector<ckpt::TensorToWrite> as_stored(const Config& config, std::vector<ckpt::TensorToWrite> tensors) {
  std::map<std::string, std::map<size_t, ckpt::TensorToWrite>> parts;
  std::vector<ckpt::TensorToWrite> stored;
  for (auto& tensor : tensors) {
    auto name = stored_name(config, tensor.name);
    const auto [place, count] = ckpt::place_of_part(tensor.name, config.type->name);
    if (count == 1) {
      stored.push_back(std::move(tensor));
      stored.back().name = std::move(name);
      continue;
    }
    auto& found = parts[name];
    found.emplace(place, std::move(tensor));
    if (found.size() < count) continue;
    std::vector<ckpt::TensorToWrite> all;
    for (auto& [at, part] : found) all.push_back(std::move(part));
    stored.push_back(joined(name, all));
  }
  return stored;
}

std::vector<ckpt::TensorToWrite> saved_tensors(const Config& config, const nn::Params& params) {
  std::vector<ckpt::TensorToWrite> tensors;
  const auto& entries = params.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place)
    tensors.push_back({.name = entries[place].name,
                       .shape = entries[place].shape,
                       .data = std::as_bytes(params.tensor(place))});
  return as_stored(config, std::move(tensors));
}

}  // namespace bert::model
