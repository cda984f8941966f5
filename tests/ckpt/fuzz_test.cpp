// Valid files are changed at random, with fixed seeds. The result must be an Error or a consistent
// checkpoint, never a crash. fuzz.h explains how to run more rounds; files in tests/ckpt/corpus once caused a
// new result and are replayed.
#include "fuzz.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "base/bytes.h"
#include "base/error.h"
#include "ckpt/checkpoint.h"
#include "ckpt/tensorflow.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"

using namespace bert;
using namespace bert::ckpt;
using namespace bert::fuzz;

namespace {

// Reads all data of a checkpoint, so that sanitizers detect a span outside its file.
void check_promises(const Checkpoint& checkpoint) {
  unsigned sum = 0;
  for (const auto& tensor : checkpoint.tensors()) {
    for (const auto byte : tensor.data) sum += static_cast<unsigned>(byte);
    uint64_t count = 1;
    for (const auto extent : tensor.shape) count *= static_cast<uint64_t>(extent);
    CHECK(tensor.data.size() == count * size_of(tensor.dtype));
    CHECK(checkpoint.find(tensor.name) == &tensor);
  }
  CHECK(sum < ~0u);
}

// Opens `path`, a folder or a file in it, and returns the error message, "" if there is none.
std::string opened(const Folder& folder, const std::string& path) {
  try {
    const auto checkpoint = Checkpoint::open(path);
    check_promises(checkpoint);
    try {
      checkpoint.check_sums();
    } catch (const Error& error) {
      CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
  } catch (const Error& error) {
    const std::string_view message = error.what();
    CHECK(message.find('\n') == message.npos);
    REQUIRE(message.starts_with(folder.path()));
    CHECK(message.size() < 1500);
    return std::string(message.substr(folder.path().size()));
  }
  return "";
}

// Returns how many rounds opened successfully. `mend` recomputes the checksums.
int open_changed(const Folder& folder, std::string_view file, const std::string& bytes,
                 const std::function<std::string(std::string)>& mend = {}) {
  std::mt19937 random(7);
  int count = 0;
  for (int round = 0; round < rounds(); ++round) {
    auto changed = mutated(bytes, random);
    if (mend && round % 8 != 0) changed = mend(std::move(changed));
    folder.write(file, changed);
    const auto message = opened(folder, folder.path());
    count += message.empty();
    keep(file, changed, message);
  }
  folder.write(file, bytes);
  return count;
}

std::string golden_file(const std::string& name) {
  return read_file((golden::directory() / "checkpoints" / name).string());
}

// Recomputes the checksums of an index's blocks, as far as blocks can be found.
std::string with_sums(std::string index) {
  const auto mend_block = [&](Bytes& handle) {
    const uint64_t offset = handle.varint(), size = handle.varint();
    if (offset > index.size() || size > index.size() - offset || index.size() - offset - size < 5)
      throw Error("no block");
    const auto sum = masked_crc32c(std::as_bytes(std::span(index)).subspan(offset, size + 1));
    std::memcpy(index.data() + offset + size + 1, &sum, sizeof sum);
    return std::pair(offset, size);
  };
  try {
    Bytes footer(std::as_bytes(std::span(index)).last(std::min<size_t>(48, index.size())));
    mend_block(footer);
    const auto [offset, size] = mend_block(footer);
    Bytes block(std::as_bytes(std::span(index)).subspan(offset, size));
    while (block.rest().size() > 8) {
      block.varint();
      const auto rest = block.varint();
      block.varint();
      block.take(rest);  // the key; the value is a handle
      mend_block(block);
    }
  } catch (const Error&) {  // nothing to recompute
  }
  return index;
}

// Every truncation of a file is rejected in one line.
void check_cuts(const Folder& folder, std::string_view file, const std::string& bytes) {
  for (size_t length = 0; length < bytes.size(); ++length) {
    folder.write(file, bytes.substr(0, length));
    CAPTURE(length);
    CHECK(opened(folder, folder.path()) != "");
  }
  folder.write(file, bytes);
  CHECK(opened(folder, folder.path()) == "");
}

// Flips every bit of a file in turn and returns how many changes are rejected.
size_t flip_bits(const Folder& folder, std::string_view file, const std::string& bytes) {
  size_t refused = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    auto changed = bytes;
    changed[bit / 8] ^= static_cast<char>(1 << bit % 8);
    folder.write(file, changed);
    refused += opened(folder, folder.path()) != "";
  }
  folder.write(file, bytes);
  return refused;
}

constexpr auto kTorch = "pytorch_model.bin";
constexpr auto kTable = "bert_model.ckpt.index";
constexpr const char* kData[] = {"bert_model.ckpt.data-00000-of-00002",
                                 "bert_model.ckpt.data-00001-of-00002"};

void write_bundle(const Folder& folder) {
  for (const std::string name : {kTable, kData[0], kData[1]})
    folder.write(name, golden_file("small/" + name));
}

}  // namespace

TEST_CASE("a changed safetensors file gives an Error or a consistent checkpoint") {
  const Folder folder;
  const auto bytes = safetensors({f32("bert.embeddings.LayerNorm.gamma", {4}, {1, 2, 3, 4}),
                                  {"bert.embeddings.position_ids", "I64", {1, 2}, u64(0) + u64(1)},
                                  {"cls.predictions.bias", "BF16", {3}, "abcdef"},
                                  {"odd", "F8_E4M3", {3}, "abc"}});
  const int opened = open_changed(folder, "model.safetensors", bytes);
  CHECK(opened > rounds() / 20);
  CHECK(opened < rounds() / 2);
}

TEST_CASE("a changed shard index gives an Error or a consistent checkpoint") {
  const Folder folder;
  folder.write("1.safetensors", safetensors({f32("bert.a", {2}, {1, 2})}));
  folder.write("2.safetensors", safetensors({f32("bert.b", {2}, {3, 4})}));
  const int opened = open_changed(
      folder, "model.safetensors.index.json",
      R"({"metadata":{"total_size":16},"weight_map":{"bert.a":"1.safetensors","bert.b":"2.safetensors"}})");
  CHECK(opened > 0);
  CHECK(opened < rounds() / 2);
}

TEST_CASE("a changed PyTorch file gives an Error or a consistent checkpoint") {
  for (const auto* form : {"small/zip.bin", "small/stream.bin"}) {
    const Folder folder;
    const int count = open_changed(folder, kTorch, golden_file(form));
    CHECK(count > rounds() / 50);
    CHECK(count < rounds());
  }
}

TEST_CASE("a changed TensorFlow index gives an Error or a consistent checkpoint") {
  const Folder folder;
  write_bundle(folder);
  const int count = open_changed(folder, kTable, golden_file(std::string("small/") + kTable), with_sums);
  CHECK(count > rounds() / 1000);
  CHECK(count < rounds());
}

TEST_CASE("truncated files are rejected") {
  for (const auto* form : {"small/zip.bin", "small/stream.bin"}) {
    const Folder folder;
    check_cuts(folder, kTorch, golden_file(form));
  }
  const Folder folder;
  write_bundle(folder);
  for (const std::string name : {kTable, kData[0], kData[1]})
    check_cuts(folder, name, golden_file("small/" + name));
}

TEST_CASE("flipping any bit of a file gives an Error or a consistent checkpoint") {
  for (const auto* form : {"small/zip.bin", "small/stream.bin"}) {
    const Folder folder;
    CHECK(flip_bits(folder, kTorch, golden_file(form)) > 0);
  }
  const Folder folder;
  write_bundle(folder);
  // All but 27 bytes, which are padding, handles with an equivalent encoding, and the metaindex handle.
  const auto index = golden_file(std::string("small/") + kTable);
  CHECK(flip_bits(folder, kTable, index) > 8 * (index.size() - 48));
  for (const std::string name : kData) {
    const auto bytes = golden_file("small/" + name);
    CHECK(flip_bits(folder, name, bytes) == 8 * bytes.size());
  }
}

TEST_CASE("corpus files open or are rejected in one line each") {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden::directory() / "../ckpt/corpus")) {
    const Folder folder;
    write_bundle(folder);
    const auto name = entry.path().filename().string();
    CAPTURE(name);
    const auto path = folder.write(name.substr(name.find('-') + 1), read_file(entry.path().string()));
    const auto message = opened(folder, path);
    CHECK((message.empty() || message.size() > 20));
    ++count;
  }
  CHECK(count >= 30);
}
