#include "ckpt/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "ckpt/column_major.h"
#include "ckpt/forms.h"
#include "ckpt/names.h"
#include "ckpt/naming.h"
#include "ckpt/quantized.h"
#include "ckpt/zip.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

template <class Tensor>
bool by_name(const Tensor& a, const Tensor& b) {
  return a.name < b.name;
}

// Sets canonical names and removes buffers.
void make_canonical(Contents& contents) {
  std::vector<std::string_view> names;
  for (auto& tensor : contents.tensors)
    names.push_back(tensor.name = without_wrappers(std::move(tensor.name)));
  const auto prefix = wrapper_prefix(names);
  // Older files of RoBERTa have an unused pooler beside the layer that the classifier has in its place.
  if (std::ranges::any_of(names, [&](auto name) {
        return name.starts_with(prefix) && name.substr(prefix.size()).starts_with("classifier.dense.");
      }))
    std::erase_if(contents.tensors, [](const auto& tensor) {
      return tensor.name.ends_with("pooler.dense.weight") || tensor.name.ends_with("pooler.dense.bias");
    });
  const auto rename = [&](auto& tensors) {
    for (auto& tensor : tensors) {
      const auto name = without_wrappers(std::move(tensor.name));
      tensor.name =
          canonical_name(std::string_view(name).substr(name.starts_with(prefix) ? prefix.size() : 0));
    }
    std::erase_if(tensors, [](const auto& tensor) { return is_buffer(tensor.name); });
  };
  rename(contents.tensors);
  rename(contents.unread);
}

// Divides tensors that are several here; the parts are in the same memory.
void split(Contents& contents) {
  std::vector<StoredTensor> tensors;
  for (auto& tensor : contents.tensors) {
    const auto names = parts_of(tensor.name);
    const int64_t count = std::ssize(names);
    if (count == 0 || tensor.shape.empty() || tensor.shape.front() % count != 0 || tensor.transposed) {
      tensors.push_back(std::move(tensor));
      continue;
    }
    const size_t bytes = tensor.data.size() / count;
    for (int64_t i = 0; i < count; ++i) {
      auto& part = tensors.emplace_back(tensor);
      part.name = names[i];
      part.shape.front() /= count;
      part.data = tensor.data.subspan(i * bytes, bytes);
      if (!tensor.scales.empty())
        part.scales = std::vector(tensor.scales.begin() + i * part.shape.front(),
                                  tensor.scales.begin() + (i + 1) * part.shape.front());
    }
  }
  contents.tensors = std::move(tensors);
}

// What a file has that does not look like BERT: up to three names, for a message about a missing one.
std::string names_in(const std::vector<StoredTensor>& tensors) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < tensors.size() && i < kShown; ++i)
    text += (i == 0 ? "; the file has " : ", ") + json::in_quotes(tensors[i].name);
  return text + (tensors.size() > kShown ? ", ..." : "");
}

// If `name` is in a layer after the last one of the file: how many layers there are.
std::string layers_in(const std::vector<StoredTensor>& tensors, std::string_view name) {
  constexpr std::string_view kLayer = "encoder.layer.";
  const auto number_of = [&](std::string_view tensor) {
    int64_t number = -1;
    if (tensor.starts_with(kLayer)) std::from_chars(tensor.begin() + kLayer.size(), tensor.end(), number);
    return number;
  };
  int64_t last = -1;
  for (const auto& tensor : tensors) last = std::max(last, number_of(tensor.name));
  if (last < 0 || number_of(name) <= last) return "";
  return "; the file has " + counted(last + 1, "layer", "layers") +
         ", fewer than num_hidden_layers of config.json";
}

// The bias of the masked-LM head is one parameter with two names, so a file may contain it twice. An
// identical second copy is removed. Sorts `tensors`.
void merge_aliases(std::vector<StoredTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(), by_name<StoredTensor>);
  const auto same = [](const StoredTensor& a, const StoredTensor& b) {
    return a.name == "cls.predictions.bias" && a.name == b.name && equal(a, b);
  };
  tensors.erase(std::unique(tensors.begin(), tensors.end(), same), tensors.end());
}

// No two tensors, read or unread, may have the same name.
void check_unique(const Contents& contents) {
  std::vector<std::pair<std::string_view, std::string_view>> names;  // name, file
  for (const auto& tensor : contents.tensors) names.emplace_back(tensor.name, tensor.file);
  for (const auto& tensor : contents.unread) names.emplace_back(tensor.name, tensor.file);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == names.end()) return;
  throw Error(twice->second, ": two different tensors are both ", twice->first,
              " (without the prefixes bert. and module.; gamma and beta mean weight and bias)");
}

using Names = std::set<std::string, std::less<>>;

// Whether this is the name of a file in the same directory, without control characters.
bool is_plain(std::string_view name) {
  const auto control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; };
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         std::none_of(name.begin(), name.end(), control);
}

// The tensors listed in the index, by file. Shards must be in the directory of the index; other paths are
// rejected.
std::map<std::string, Names> read_index(const std::string& path) {
  const json::File index(path);
  const auto weight_map = index.find("weight_map");
  if (!weight_map) throw Error(path, ": \"weight_map\" is missing");
  std::map<std::string, Names> shards;
  try {
    for (const auto& [name, value] : weight_map->members()) {
      const std::string file(value.string());
      if (!is_plain(file)) {
        throw Error("has the file ", json::in_quotes(file), ", expected a file name without a directory");
      }
      if (!shards[file].insert(std::string(name)).second)
        throw Error("has ", json::in_quotes(name), " twice");
    }
  } catch (const Error& error) {
    throw Error(path, ": \"weight_map\" ", error.what());
  }
  if (shards.empty()) throw Error(path, ": \"weight_map\" names no file");
  return shards;
}

// Removes `name`, found in `file`, from the tensors that the index lists for this file.
void expect(Names& promised, const std::string& name, const std::string& file, const std::string& index) {
  if (promised.erase(name) == 0) {
    throw Error(file, ": tensor ", json::in_quotes(name), " is in this file, but not according to ", index);
  }
}

}  // namespace

int64_t StoredTensor::count() const { return data.size() / size_of(dtype); }

void to_f32(const StoredTensor& tensor, std::span<float> to) {
  if (to.empty()) return;
  if (!tensor.scales.empty()) return widen(tensor.data, tensor.scales, to);
  if (!tensor.transposed) {
    bert::to_f32(tensor.dtype, tensor.data.data(), to);
    return;
  }
  const ColumnMajor matrix(tensor.shape, tensor.data);
  std::vector<std::byte> rows;
  for (int64_t first = 0; first < matrix.rows; first += matrix.block_rows()) {
    const int64_t end = std::min(first + matrix.block_rows(), matrix.rows);
    matrix.read_rows(first, end, rows);
    const auto part = to.subspan(first * matrix.cols, rows.size() / matrix.width);
    bert::to_f32(tensor.dtype, rows.data(), part);
  }
}

std::string fault_of(const Checkpoint& checkpoint) {
  constexpr size_t kBlock = 1 << 16;  // numbers
  std::vector<float> numbers;
  for (const auto& tensor : checkpoint.tensors()) {
    const auto bad_scale = std::ranges::find_if(tensor.scales, [](float x) { return !std::isfinite(x); });
    if (bad_scale != tensor.scales.end())
      return Error(tensor.file, ": tensor ", tensor.name, " contains ", *bad_scale).what();
    if (!is_floating(tensor.dtype)) continue;
    const size_t count = tensor.count();
    for (size_t begin = 0; begin < count; begin += kBlock) {
      numbers.resize(std::min(kBlock, count - begin));
      bert::to_f32(tensor.dtype, tensor.data.data() + begin * size_of(tensor.dtype), numbers);
      const auto bad = std::ranges::find_if(numbers, [](float x) { return !std::isfinite(x); });
      if (bad != numbers.end())
        return Error(tensor.file, ": tensor ", tensor.name, " contains ", *bad).what();
    }
  }
  return "";
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

Checkpoint Checkpoint::open(const std::string& path, DataSums sums) {
  auto weights = find_weights(path);
  std::vector<MappedFile> files;
  auto contents = read_weights(weights, files, sums);
  join_scales(contents);
  make_canonical(contents);
  split(contents);
  merge_aliases(contents.tensors);
  check_unique(contents);
  return Checkpoint(std::move(weights.path), std::move(files), std::move(contents));
}

Checkpoint Checkpoint::open_file(const std::string& path) {
  std::vector<MappedFile> files;
  files.emplace_back(path);
  auto contents = read_single(files.back());
  return Checkpoint(path, std::move(files), std::move(contents));
}

void Checkpoint::check_sums() const {
  for (const auto& file : files_) {
    if (is_zip(file)) check_zip(file);
  }
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
  const auto& all = tensors();
  const auto place =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const StoredTensor& tensor, std::string_view key) { return tensor.name < key; });
  return place != all.end() && place->name == name ? &*place : nullptr;
}

void Checkpoint::read(std::span<const std::byte> part, std::byte* to) const {
  for (const auto& file : files_) {
    const auto all = file.bytes();
    const std::less_equal<> at_most;
    if (at_most(all.data(), part.data()) && at_most(part.data() + part.size(), all.data() + all.size()))
      return file.read(part.data() - all.data(), {to, part.size()});
  }
  throw std::logic_error("Checkpoint::read: not a part of a tensor");
}

const StoredTensor& Checkpoint::get(std::string_view name, std::span<const int64_t> shape) const {
  constexpr auto kFormats = ", expected F32, F16, BF16 or F64";
  const auto* tensor = find(name);
  if (tensor == nullptr) {
    for (const auto& unread : contents_.unread) {
      if (unread.name == name) throw Error(unread.file, ": tensor ", name, " is ", unread.dtype, kFormats);
    }
    throw Error(path_, ": tensor ", name, " ", shape_text(shape), " is missing",
                find(kWordEmbeddings) == nullptr ? names_in(tensors()) : layers_in(tensors(), name));
  }
  if (!tensor->is_real()) {
    throw Error(tensor->file, ": tensor ", name, " is ", name_of(tensor->dtype), kFormats);
  }
  if (!std::ranges::equal(tensor->shape, shape)) {
    throw Error(tensor->file, ": tensor ", name, " has shape ", shape_text(tensor->shape), ", expected ",
                shape_text(shape));
  }
  return *tensor;
}

Contents read_shards(const std::string& path, std::vector<MappedFile>& files) {
  auto shards = read_index(path);
  Contents all;
  for (auto& [name, promised] : shards) {
    files.emplace_back((std::filesystem::path(path).parent_path() / name).string());
    const auto& file = files.back();
    auto contents = read_single(file);
    for (auto& tensor : contents.tensors) {
      expect(promised, tensor.name, file.path(), path);
      all.tensors.push_back(std::move(tensor));
    }
    for (auto& tensor : contents.unread) {
      expect(promised, tensor.name, file.path(), path);
      all.unread.push_back(std::move(tensor));
    }
    if (!promised.empty()) {
      throw Error(file.path(), ": tensor ", json::in_quotes(*promised.begin()), " is missing; according to ",
                  path, " it is in this file");
    }
  }
  return all;
}

}  // namespace bert::ckpt
