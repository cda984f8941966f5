#include "ckpt/safetensors_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <numeric>
#include <tuple>

#include "base/checksum.h"
#include "base/error.h"
#include "base/output_file.h"
#include "ckpt/checkpoint.h"
#include "ckpt/column_major.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

constexpr size_t kAlignment = 8;         // of the data in the file
constexpr size_t kBlock = 1 << 20;       // size of one write in bytes; small enough for the cache
constexpr size_t kNumbers = kBlock / 4;  // number of elements converted at once

int64_t count_of(const TensorToWrite& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t{1}, std::multiplies<>());
}

Dtype stored_dtype(const TensorToWrite& tensor) { return tensor.store.value_or(tensor.dtype); }

void append_entry(std::string& out, const TensorToWrite& tensor, int64_t begin, int64_t end) {
  json::Object entry(out);
  entry.string("dtype", name_of(stored_dtype(tensor)));
  json::append_array(entry.key("shape"), tensor.shape, json::append_integer);
  json::append_array(entry.key("data_offsets"), std::array{begin, end}, json::append_integer);
  entry.end();
}

class Writer {
 public:
  explicit Writer(const std::string& path) : file_(path) {}

  void write(std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kBlock, bytes.size()))) {
      checksum_.add(bytes.substr(0, kBlock));
      file_.write(bytes.substr(0, kBlock));
    }
  }
  void write(std::span<const std::byte> bytes) {
    write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  void write(const TensorToWrite& tensor) {
    const auto data = tensor.load ? tensor.load() : tensor.data;
    assert(data.size() == count_of(tensor) * size_of(tensor.dtype));
    if (!tensor.transposed || data.empty()) {
      write_numbers(tensor, data);
      return;
    }
    const ColumnMajor matrix(tensor.shape, data);
    std::vector<std::byte> rows;
    for (int64_t first = 0; first < matrix.rows; first += matrix.block_rows()) {
      matrix.read_rows(first, std::min(first + matrix.block_rows(), matrix.rows), rows);
      write_numbers(tensor, rows);
    }
  }

  WrittenFile commit() {
    file_.commit();
    return {.bytes = file_.size(), .checksum = checksum_.value()};
  }

 private:
  // `data`: some of the tensor's elements, in its own format.
  void write_numbers(const TensorToWrite& tensor, std::span<const std::byte> data) {
    const Dtype store = stored_dtype(tensor);
    if (store == tensor.dtype) {
      write(data);
    } else {
      assert(is_floating(tensor.dtype));
      write_converted(tensor, data, store);
    }
  }

  void write_converted(const TensorToWrite& tensor, std::span<const std::byte> data, Dtype store) {
    std::vector<float> wide(kNumbers);
    std::vector<std::byte> narrow(kNumbers * size_of(store));
    const size_t count = data.size() / size_of(tensor.dtype);
    for (size_t begin = 0; begin < count; begin += kNumbers) {
      const std::span numbers(wide.data(), std::min(kNumbers, count - begin));
      bert::to_f32(tensor.dtype, data.data() + begin * size_of(tensor.dtype), numbers);
      from_f32(numbers, store, narrow.data());
      check(tensor, numbers, store, narrow);
      write(std::span<const std::byte>(narrow).first(numbers.size() * size_of(store)));
    }
  }

  // A finite value must remain finite.
  void check(const TensorToWrite& tensor, std::span<const float> numbers, Dtype store,
             const std::vector<std::byte>& narrow) {
    read_back_.resize(numbers.size());
    bert::to_f32(store, narrow.data(), read_back_);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i]) && !std::isfinite(read_back_[i])) {
        throw Error("tensor ", json::in_quotes(tensor.name), " contains ", numbers[i],
                    ", which is too large for ", name_of(store));
      }
    }
  }

  OutputFile file_;
  Checksum checksum_;
  std::vector<float> read_back_;
};

}  // namespace

SafetensorsHeader safetensors_header(std::span<const TensorToWrite> tensors) {
  SafetensorsHeader header;
  header.order.resize(tensors.size());
  std::iota(header.order.begin(), header.order.end(), size_t{0});
  std::ranges::sort(header.order, [&](size_t a, size_t b) {
    const size_t a_size = size_of(stored_dtype(tensors[a])), b_size = size_of(stored_dtype(tensors[b]));
    return std::tie(b_size, tensors[a].name) < std::tie(a_size, tensors[b].name);
  });
  std::string json;
  json::Object entries(json);
  entries.key("__metadata__") += R"({"format":"pt"})";
  int64_t end = 0;
  for (const size_t i : header.order) {
    const auto& tensor = tensors[i];
    const int64_t begin = end;
    end += count_of(tensor) * size_of(stored_dtype(tensor));
    append_entry(entries.key(tensor.name), tensor, begin, end);
  }
  entries.end();
  json.resize((json.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const uint64_t length = json.size();
  header.bytes.resize(sizeof length);
  std::memcpy(header.bytes.data(), &length, sizeof length);
  header.bytes += json;
  return header;
}

WrittenFile write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors) {
  const auto header = safetensors_header(tensors);
  Writer writer(path);
  writer.write(header.bytes);
  for (const size_t i : header.order) writer.write(tensors[i]);
  return writer.commit();
}

}  // namespace bert::ckpt
