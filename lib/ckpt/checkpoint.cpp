#include "ckpt/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "ckpt/column_major.h"
#include "ckpt/names.h"
#include "ckpt/safetensors.h"
#include "ckpt/shards.h"

namespace bert::ckpt {
namespace {

namespace fs = std::filesystem;

constexpr auto kSingle = "model.safetensors";
constexpr auto kIndex = "model.safetensors.index.json";

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

// The first file of `directory` that holds weights in a form we do not read; "" when there is none.
std::string other_form(const fs::path& directory) {
  for (const auto* name :
       {"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack"}) {
    if (is_file(directory / name)) return name;
  }
  std::vector<std::string>
      indexes;  // of TensorFlow checkpoints: bert_model.ckpt.index, model.ckpt-1000.index
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory, failure)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(".index") || name.ends_with(".ckpt")) indexes.push_back(name);
  }
  return indexes.empty() ? "" : *std::min_element(indexes.begin(), indexes.end());
}

// The file to open for `path`, a model directory or a file.
std::string weights_of(const std::string& path) {
  if (is_file(path)) return path;
  const fs::path directory(path);
  if (std::error_code failure; !fs::is_directory(directory, failure)) {
    throw Error(path, ": no such model directory");
  }
  for (const auto* name : {kSingle, kIndex}) {
    if (is_file(directory / name)) return (directory / name).string();
  }
  const auto other = other_form(directory);
  if (other.empty()) throw Error(path, ": has no weights, expected ", kSingle);
  throw Error(path, ": has its weights in ", other, ", a form that cannot be read yet; expected ", kSingle);
}

template <class Tensor>
bool by_name(const Tensor& a, const Tensor& b) {
  return a.name < b.name;
}

// Gives all tensors their canonical names and drops the buffers.
template <class Tensor>
void make_canonical(std::vector<Tensor>& tensors) {
  for (auto& tensor : tensors) tensor.name = canonical_name(tensor.name);
  std::erase_if(tensors, [](const Tensor& tensor) { return is_buffer(tensor.name); });
}

// The bias of the masked-language head is one parameter with two names, so a file may have it twice: a second
// copy is dropped when it is the same. Sorts `tensors`.
void merge_aliases(std::vector<StoredTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(), by_name<StoredTensor>);
  const auto same = [](const StoredTensor& a, const StoredTensor& b) {
    return a.name == "cls.predictions.bias" && a.name == b.name && equal(a, b);
  };
  tensors.erase(std::unique(tensors.begin(), tensors.end(), same), tensors.end());
}

// `read` and `unread` together must not have one name for two tensors.
void check_unique(const Contents& contents) {
  std::vector<std::pair<std::string_view, std::string_view>> names;  // name, file
  for (const auto& tensor : contents.tensors) names.emplace_back(tensor.name, tensor.file);
  for (const auto& tensor : contents.unread) names.emplace_back(tensor.name, tensor.file);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == names.end()) return;
  throw Error(twice->second, ": two different tensors are both ", twice->first,
              " (the prefixes bert. and module. left out, gamma and beta read as weight and bias)");
}

}  // namespace

int64_t StoredTensor::count() const { return static_cast<int64_t>(data.size() / size_of(dtype)); }

void to_f32(const StoredTensor& tensor, std::span<float> to) {
  if (!tensor.transposed) {
    bert::to_f32(tensor.dtype, tensor.data.data(), to);
    return;
  }
  const ColumnMajor matrix(tensor.shape, tensor.data);
  std::vector<std::byte> rows;
  for (int64_t first = 0; first < matrix.rows; first += matrix.block_rows()) {
    const int64_t end = std::min(first + matrix.block_rows(), matrix.rows);
    matrix.read_rows(first, end, rows);
    const auto part = to.subspan(static_cast<size_t>(first * matrix.cols), rows.size() / matrix.width);
    bert::to_f32(tensor.dtype, rows.data(), part);
  }
}

bool equal(const StoredTensor& a, const StoredTensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape || a.data.size() != b.data.size()) return false;
  if (a.data.empty()) return true;
  if (a.transposed == b.transposed) return std::memcmp(a.data.data(), b.data.data(), a.data.size()) == 0;
  const auto &columns = a.transposed ? a : b, &rows = a.transposed ? b : a;
  std::vector<std::byte> copy;
  const ColumnMajor matrix(columns.shape, columns.data);
  matrix.read_rows(0, matrix.rows, copy);
  return std::memcmp(copy.data(), rows.data.data(), copy.size()) == 0;
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

Checkpoint::Checkpoint(std::string path, std::vector<MappedFile> files, Contents contents)
    : path_(std::move(path)), files_(std::move(files)), contents_(std::move(contents)) {
  std::sort(contents_.tensors.begin(), contents_.tensors.end(), by_name<StoredTensor>);
}

Checkpoint Checkpoint::open(const std::string& path) {
  auto weights = weights_of(path);
  std::vector<MappedFile> files;
  Contents contents;
  if (weights.ends_with(kIndex)) {
    contents = read_shards(weights, files);
  } else {
    files.emplace_back(weights);
    contents = read_safetensors(files.back());
  }
  make_canonical(contents.tensors);
  make_canonical(contents.unread);
  merge_aliases(contents.tensors);
  check_unique(contents);
  return Checkpoint(std::move(weights), std::move(files), std::move(contents));
}

Checkpoint Checkpoint::open_file(const std::string& path) {
  std::vector<MappedFile> files;
  files.emplace_back(path);
  auto contents = read_safetensors(files.back());
  return Checkpoint(path, std::move(files), std::move(contents));
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
  const auto& all = tensors();
  const auto place =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const StoredTensor& tensor, std::string_view key) { return tensor.name < key; });
  return place != all.end() && place->name == name ? &*place : nullptr;
}

const StoredTensor& Checkpoint::get(std::string_view name, std::span<const int64_t> shape) const {
  constexpr auto kFormats = ", expected F32, F16, BF16 or F64";
  const auto* tensor = find(name);
  if (tensor == nullptr) {
    for (const auto& unread : contents_.unread) {
      if (unread.name == name) throw Error(unread.file, ": tensor ", name, " is ", unread.dtype, kFormats);
    }
    throw Error(path_, ": tensor ", name, " ", shape_text(shape), " is missing");
  }
  if (!is_floating(tensor->dtype)) {
    throw Error(tensor->file, ": tensor ", name, " is ", name_of(tensor->dtype), kFormats);
  }
  if (!std::ranges::equal(tensor->shape, shape)) {
    throw Error(tensor->file, ": tensor ", name, " has shape ", shape_text(tensor->shape), ", expected ",
                shape_text(shape));
  }
  return *tensor;
}

void require_weights(const std::string& directory) { weights_of(directory); }

}  // namespace bert::ckpt
