// Bytes of true files are changed at random, always the same ones: the answer is an Error or a checkpoint
// that keeps its word, never a crash.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "ckpt/checkpoint.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

constexpr int kRounds = 6000;

std::string mutated(std::string bytes, std::mt19937& random) {
  static constexpr std::string_view kTelling = "{}[]\",:0189-.eE\\ \n\x7f\xff";
  for (auto changes = 1 + random() % 4; changes > 0; --changes) {
    const size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        bytes[at] = kTelling[random() % kTelling.size()];
        break;
      case 3:
        bytes.erase(at, 1 + random() % 3);
        break;
      default:
        bytes.insert(at, 1, kTelling[random() % kTelling.size()]);
    }
    if (bytes.empty()) return bytes;
  }
  return bytes;
}

// Reads all that a checkpoint promises: sanitizers see a span that leaves its file.
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

// How many of the rounds gave a checkpoint.
int fuzz(const Folder& folder, std::string_view file, const std::string& bytes) {
  std::mt19937 random(7);
  int opened = 0;
  for (int round = 0; round < kRounds; ++round) {
    folder.write(file, mutated(bytes, random));
    try {
      check_promises(Checkpoint::open(folder.path()));
      ++opened;
    } catch (const Error& error) {
      const std::string_view message = error.what();
      CHECK(message.find('\n') == message.npos);
      CHECK(message.starts_with(folder.path()));
    }
  }
  folder.write(file, bytes);
  return opened;
}

}  // namespace

TEST_CASE("a changed safetensors file ends in an Error or in a checkpoint that holds") {
  const Folder folder;
  const auto bytes = safetensors({f32("bert.embeddings.LayerNorm.gamma", {4}, {1, 2, 3, 4}),
                                  {"bert.embeddings.position_ids", "I64", {1, 2}, u64(0) + u64(1)},
                                  {"cls.predictions.bias", "BF16", {3}, "abcdef"},
                                  {"odd", "F8_E4M3", {3}, "abc"}});
  const int opened = fuzz(folder, "model.safetensors", bytes);
  CHECK(opened > kRounds / 20);
  CHECK(opened < kRounds / 2);
}

TEST_CASE("a changed index ends in an Error or in a checkpoint that holds") {
  const Folder folder;
  folder.write("1.safetensors", safetensors({f32("bert.a", {2}, {1, 2})}));
  folder.write("2.safetensors", safetensors({f32("bert.b", {2}, {3, 4})}));
  const int opened = fuzz(
      folder, "model.safetensors.index.json",
      R"({"metadata":{"total_size":16},"weight_map":{"bert.a":"1.safetensors","bert.b":"2.safetensors"}})");
  CHECK(opened > 0);
  CHECK(opened < kRounds / 2);
}
