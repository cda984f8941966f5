#include "ckpt/pytorch.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/error.h"
#include "ckpt/pickle.h"
#include "ckpt/state_dictionary.h"
#include "ckpt/zip.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kPytorchMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);  // little-endian
constexpr int64_t kProtocol = 1001;

bool is_tar(std::string_view text) { return text.size() > 262 && text.substr(257, 5) == "ustar"; }

uint64_t bytes_of(const StorageId& id) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(id.count, size_of(id.dtype), &bytes)) throw Error("has a storage of 2^64 bytes");
  return bytes;
}

// All entries are in one top-level folder of any name: data.pkl, and data/KEY for each storage.
class Archive {
 public:
  explicit Archive(const MappedFile& file) : entries_(read_zip(file)) {
    constexpr std::string_view kPickle = "/data.pkl";
    for (const auto& entry : entries_) {
      const size_t slash = entry.name.find('/');
      if (slash != entry.name.npos && std::string_view(entry.name).substr(slash) == kPickle)
        folder_ = entry.name.substr(0, slash + 1);
    }
    if (folder_.empty()) throw Error("is a zip file without data.pkl, expected one written by torch.save");
    if (find("constants.pkl") != nullptr)
      throw Error("is a TorchScript program, expected a dictionary of tensors");
    const auto* order = find("byteorder");
    if (order != nullptr && Bytes(order->data).text(order->data.size()) == "big")
      throw Error("has big-endian numbers, expected little-endian ones");
  }

  const ZipEntry* find(const std::string& name) const {
    const auto place = std::ranges::lower_bound(entries_, folder_ + name, {}, &ZipEntry::name);
    return place != entries_.end() && place->name == folder_ + name ? &*place : nullptr;
  }

  std::span<const std::byte> storage(const StorageId& id) const {
    const auto* entry = find("data/" + id.key);
    if (entry == nullptr) throw Error("has no storage ", json::in_quotes(id.key), " in the file");
    if (entry->data.size() != bytes_of(id))
      throw Error("has a storage of ", bytes_of(id), " bytes, but ", json::in_quotes(entry->name), " has ",
                  entry->data.size());
    if (id.view) throw Error("has a storage with an unknown view");
    return entry->data;
  }

 private:
  std::vector<ZipEntry> entries_;
  std::string folder_;  // with a trailing slash
};

Contents read_archive(const MappedFile& file) {
  const Archive archive(file);
  Bytes bytes(archive.find("data.pkl")->data);
  const Pickle pickle(bytes, tensor_globals());
  return read_state_dictionary(pickle, file.path(), [&](const StorageId& id) { return archive.storage(id); });
}

// Reads what precedes the tensors: a magic number, the format version, and a description of the machine.
void read_preamble(Bytes& bytes) {
  const Pickle magic(bytes, {});
  if (magic.root().kind != Kind::integer || magic.root().text != kPytorchMagic)
    throw Error("is a pickle, but was not written by torch.save");
  const Pickle protocol(bytes, {});
  if (protocol.root().kind != Kind::integer || protocol.root().integer != kProtocol)
    throw Error("has version ", protocol.root().integer, " of PyTorch's old format, expected ", kProtocol);
  const Pickle machine(bytes, {});
  const auto& items = machine.root().items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const auto& value = machine[items[i + 1]];
    if (machine[items[i]].text == "little_endian" && value.kind == Kind::boolean && value.integer == 0)
      throw Error("has big-endian numbers, expected little-endian ones");
  }
}

// The storages of the old format: a list of their keys, then for each storage its number of elements and
// their bytes. The element size is in the pickle with the tensors.
class Storages {
 public:
  Storages(Bytes& bytes, const Pickle& tensors) {
    std::map<std::string, Dtype, std::less<>> dtypes;
    for (const auto& value : tensors.values()) {
      if (value.kind != Kind::persistent) continue;
      const auto id = storage_id(tensors, value);
      dtypes.emplace(id.key, id.dtype);
    }
    const Pickle keys(bytes, {});
    if (keys.root().kind != Kind::list) throw Error("has no list of storages after its tensors");
    for (const auto ref : keys.root().items) {
      const auto& key = keys[ref].text;
      const auto dtype = dtypes.find(key);
      if (dtype == dtypes.end()) throw Error("has a storage ", json::in_quotes(key), " that no tensor uses");
      const auto count = bytes.number<uint64_t>();
      try {
        const auto data = bytes.take(bytes_of({.dtype = dtype->second, .key = key, .count = count}));
        storages_[key] = {.count = count, .data = data, .dtype = dtype->second};
      } catch (const Error& error) {
        throw Error("storage ", json::in_quotes(key), " ", error.what());
      }
    }
  }

  std::span<const std::byte> storage(const StorageId& id) const {
    const auto found = storages_.find(id.key);
    if (found == storages_.end()) throw Error("has no storage ", json::in_quotes(id.key), " in the file");
    const auto& [count, data, dtype] = found->second;
    if (count != id.count || dtype != id.dtype)
      throw Error("has a storage of ", id.count, " numbers, but ", json::in_quotes(id.key), " has ", count);
    return data;
  }

 private:
  struct Storage {
    uint64_t count = 0;
    std::span<const std::byte> data;
    Dtype dtype = Dtype::f32;
  };
  std::map<std::string, Storage, std::less<>> storages_;
};

Contents read_stream(const MappedFile& file) {
  Bytes bytes(file.bytes());
  read_preamble(bytes);
  const Pickle tensors(bytes, tensor_globals());
  const Storages storages(bytes, tensors);
  return read_state_dictionary(tensors, file.path(),
                               [&](const StorageId& id) { return storages.storage(id); });
}

}  // namespace

bool is_pytorch(const MappedFile& file) {
  const auto text = file.text();
  const auto stream = std::string("\x80?\x8a\x0a").append(kPytorchMagic);  // PROTO, LONG1
  return is_zip(file) || is_tar(text) ||
         (text.size() > stream.size() && text[0] == stream[0] &&
          text.substr(2).starts_with(stream.substr(2)));
}

Contents read_pytorch(const MappedFile& file) {
  const auto text = file.text();
  try {
    if (is_zip(file)) return read_archive(file);
    if (text.starts_with('\x80')) return read_stream(file);
    if (is_tar(text)) throw Error("is a tar file written by PyTorch before 0.1.11, expected a newer format");
    throw Error("is neither a zip file nor a pickle, expected a file written by torch.save");
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.starts_with(file.path() + ": ")) throw;
    throw Error(file.path(), ": ", message);
  }
}

}  // namespace bert::ckpt
