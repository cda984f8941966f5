#include "ckpt/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "base/download.h"
#include "base/error.h"
#include "ckpt/names.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

constexpr uint64_t kMaxHeader = 100'000'000;  // bytes; the reference implementation's limit
constexpr size_t kLengthBytes = 8;

// One entry of the header. Types are checked, but not yet consistency with the file.
struct Entry {
  std::string_view name;
  std::string_view dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // bytes from the start of the data
};

// The text of the header. Reports files that are not in safetensors format.
std::string_view header_of(const MappedFile& file) {
  const std::string_view text = file.text();
  refuse_failed_download(file.path(), text);
  if (text.size() < kLengthBytes) {
    throw Error(file.path(), ": is ", text.size(), " bytes long, expected a safetensors file");
  }
  uint64_t length = 0;
  std::memcpy(&length, text.data(), kLengthBytes);
  if (length > kMaxHeader) {
    throw Error(file.path(), ": header of ", length, " bytes, expected a safetensors file with at most ",
                kMaxHeader);
  }
  if (length > text.size() - kLengthBytes) {
    throw Error(file.path(), ": header of ", length, " bytes, but the file ends after ",
                text.size() - kLengthBytes, " of them");
  }
  const std::string_view header = text.substr(kLengthBytes, length);
  if (!header.starts_with('{')) throw Error(file.path(), ": the header does not start with {");
  return header;
}

// The field `key` of a tensor's entry, which must occur exactly once.
json::Value field(const json::Value& entry, std::string_view key) {
  std::optional<json::Value> found;
  for (const auto& [name, value] : entry.members()) {
    if (name != key) continue;
    if (found) throw Error("\"", key, "\" appears twice");
    found = value;
  }
  if (!found) throw Error("\"", key, "\" is missing");
  return *found;
}

template <class Read>
auto read_field(const json::Value& entry, std::string_view key, Read read) {
  const json::Value value = field(entry, key);
  try {
    return read(value);
  } catch (const Error& error) {
    throw Error("\"", key, "\" ", error.what());
  }
}

// Reads an array of non-negative integers.
std::vector<int64_t> naturals(const json::Value& value) {
  std::vector<int64_t> numbers;
  for (const auto& element : value.elements()) {
    try {
      numbers.push_back(element.integer());
    } catch (const Error& error) {
      throw Error("has an element that ", error.what());
    }
    if (numbers.back() < 0) throw Error("contains ", numbers.back(), ", a negative number");
  }
  return numbers;
}

Entry read_entry(std::string_view name, const json::Value& value) {
  Entry entry{.name = name};
  entry.dtype = read_field(value, "dtype", [](const json::Value& json) { return json.string(); });
  entry.shape = read_field(value, "shape", naturals);
  const auto offsets = read_field(value, "data_offsets", naturals);
  if (offsets.size() != 2) throw Error("\"data_offsets\" has ", offsets.size(), " numbers, expected 2");
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.begin > entry.end) throw Error("begins at ", entry.begin, ", after its end ", entry.end);
  return entry;
}

void check_metadata(const json::Value& value) {
  if (value.is_null()) return;
  for (const auto& [key, member] : value.members()) {
    if (member.kind() != json::Value::Kind::string) {
      throw Error(json::in_quotes(key), " is ", member.kind_name(), ", expected a string");
    }
  }
}

std::vector<Entry> read_entries(const MappedFile& file, const json::Value& root) {
  std::vector<Entry> entries;
  bool metadata = false;
  for (const auto& [name, value] : root.members()) {
    try {
      if (name != "__metadata__") {
        entries.push_back(read_entry(name, value));
        continue;
      }
      if (metadata) throw Error("appears twice");
      metadata = true;
      check_metadata(value);
    } catch (const Error& error) {
      throw Error(file.path(), name == "__metadata__" ? ": " : ": tensor ", json::in_quotes(name), ": ",
                  error.what());
    }
  }
  return entries;
}

void check_names(const MappedFile& file, const std::vector<Entry>& entries) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw Error(file.path(), ": tensor ", json::in_quotes(*twice), " appears twice");
}

// Sorts the tensors by position and checks that they cover [0, size) without gaps or overlap.
void check_layout(const MappedFile& file, std::vector<Entry>& entries, uint64_t size) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  uint64_t end = 0;
  for (const auto& entry : entries) {
    if (entry.end > size) {
      throw Error(file.path(), ": tensor ", json::in_quotes(entry.name), " ends at byte ", entry.end,
                  " of the data, which has ", size);
    }
    if (entry.begin < end) {
      throw Error(file.path(), ": tensor ", json::in_quotes(entry.name), " begins at byte ", entry.begin,
                  ", inside the previous tensor, which ends at ", end);
    }
    if (entry.begin > end) {
      throw Error(file.path(), ": tensor ", json::in_quotes(entry.name), " begins at byte ", entry.begin,
                  ", expected ", end, ", where the previous tensor ends");
    }
    end = entry.end;
  }
  if (end != size) {
    throw Error(file.path(), ": the tensors have ", end, " bytes, but ", size, " bytes follow the header");
  }
}

// Size of a tensor in bytes; nullopt if it does not fit 64 bits.
std::optional<uint64_t> bytes_of(const std::vector<int64_t>& shape, Dtype dtype) {
  uint64_t bytes = size_of(dtype);
  bool overflow = false;
  for (const int64_t extent : shape) {
    if (extent == 0) return 0;
    overflow |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes);
  }
  if (overflow) return std::nullopt;
  return bytes;
}

void check_size(const MappedFile& file, const Entry& entry, Dtype dtype) {
  const auto expected = bytes_of(entry.shape, dtype);
  if (expected == entry.end - entry.begin) return;
  const auto bytes = expected ? std::to_string(*expected) : "more than 2^64";
  throw Error(file.path(), ": tensor ", json::in_quotes(entry.name), " has ", entry.end - entry.begin,
              " bytes, but ", entry.dtype, " ", shape_text(entry.shape), " takes ", bytes);
}

}  // namespace

Contents read_safetensors(const MappedFile& file) {
  const std::string_view header = header_of(file);
  const json::File json(file.path() + ": header", header);
  auto entries = read_entries(file, json.root());
  const auto data = file.bytes().subspan(kLengthBytes + header.size());
  check_names(file, entries);
  check_layout(file, entries, data.size());

  Contents contents;
  for (auto& entry : entries) {
    const auto dtype = dtype_named(entry.dtype);
    if (!dtype) {
      contents.unread.push_back({std::string(entry.name), file.path(), std::string(entry.dtype)});
      continue;
    }
    check_size(file, entry, *dtype);
    contents.tensors.push_back({.name = std::string(entry.name),
                                .file = file.path(),
                                .dtype = *dtype,
                                .shape = std::move(entry.shape),
                                .data = data.subspan(entry.begin, entry.end - entry.begin)});
  }
  return contents;
}

}  // namespace bert::ckpt
