#include "ckpt/safetensors_writer.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <numeric>
#include <random>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "ckpt/safetensors.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

std::span<const std::byte> bytes_of(std::span<const float> numbers) { return std::as_bytes(numbers); }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Arbitrary bits, including NaNs of all kinds.
std::vector<float> random_bits(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = std::bit_cast<float>(static_cast<uint32_t>(random()));
  return numbers;
}

}  // namespace

TEST_CASE("a file is byte for byte the same as from the safetensors library") {
  const Folder folder;
  const std::vector<float> a = {1, 2}, b = {3};
  const int8_t small = 5;
  const std::vector<TensorToWrite> tensors = {
      {.name = "tiny", .shape = {1}, .data = std::as_bytes(std::span(&small, 1)), .dtype = Dtype::i8},
      {.name = "b", .shape = {}, .data = bytes_of(b)},
      {.name = "a", .shape = {2, 1}, .data = bytes_of(a)},
      {.name = "none", .shape = {0, 7}, .data = {}}};
  const auto written = write_safetensors(folder.path("x"), tensors);
  // Wider types first, then by name; padded with spaces to a multiple of 8.
  const std::string header = R"({"__metadata__":{"format":"pt"},)"
                             R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[],"data_offsets":[8,12]},)"
                             R"("none":{"dtype":"F32","shape":[0,7],"data_offsets":[12,12]},)"
                             R"("tiny":{"dtype":"I8","shape":[1],"data_offsets":[12,13]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  const auto expected =
      safetensors(padded, text_of(bytes_of(a)) + text_of(bytes_of(b)) + static_cast<char>(small));
  const auto found = read_file(folder.path("x"));
  CHECK(found == expected);
  CHECK(written.bytes == static_cast<int64_t>(expected.size()));
  Checksum checksum;
  checksum.add(expected);
  CHECK(written.checksum == checksum.value());
}

TEST_CASE("headers of any length are padded to a multiple of 8 bytes") {
  const float number = 1;
  for (size_t length = 1; length < 20; ++length) {
    const TensorToWrite tensor = {.name = std::string(length, 'n'), .data = bytes_of({&number, 1})};
    const auto header = safetensors_header({&tensor, 1}).bytes;
    CHECK(header.size() % 8 == 0);
    CHECK(header.find_last_not_of(' ') + 8 > header.size() - 1);
    CHECK(header.substr(0, 8) == u64(header.size() - 8));
  }
}

TEST_CASE("files are read back bit for bit, and writing is deterministic") {
  const Folder folder;
  // The large one spans several blocks.
  const auto large = random_bits(700'001, 1), small = random_bits(3, 2);
  const std::vector<TensorToWrite> tensors = {
      {.name = "small \"quoted\"\n", .shape = {3}, .data = bytes_of(small)},
      {.name = "large", .shape = {1, 700'001}, .data = bytes_of(large)}};
  const std::vector<TensorToWrite> reversed(tensors.rbegin(), tensors.rend());
  write_safetensors(folder.path("x"), tensors);
  write_safetensors(folder.path("y"), reversed);
  CHECK(read_file(folder.path("x")) == read_file(folder.path("y")));
  const MappedFile file(folder.path("x"));
  const auto contents = read_safetensors(file);
  REQUIRE(contents.tensors.size() == 2);
  CHECK(contents.tensors[0].name == "large");
  CHECK(text_of(contents.tensors[0].data) == text_of(bytes_of(large)));
  CHECK(contents.tensors[1].name == tensors[0].name);
  CHECK(text_of(contents.tensors[1].data) == text_of(bytes_of(small)));
  CHECK(reinterpret_cast<uintptr_t>(contents.tensors[0].data.data()) % 8 == 0);
}

TEST_CASE("numbers can be converted to a narrower or wider type") {
  const Folder folder;
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 10);
  std::vector<float> numbers(600'000);
  std::ranges::generate(numbers, [&] { return normal(random); });
  for (const auto store : {Dtype::f16, Dtype::bf16}) {
    const TensorToWrite tensor = {
        .name = "a", .shape = {600, 1000}, .data = bytes_of(numbers), .store = store};
    write_safetensors(folder.path("narrow"), {&tensor, 1});
    const MappedFile file(folder.path("narrow"));
    const auto found = read_safetensors(file).tensors.at(0);
    REQUIRE(found.dtype == store);
    std::vector<std::byte> expected(numbers.size() * 2);
    from_f32(numbers, store, expected.data());
    CHECK(std::ranges::equal(found.data, expected));

    const TensorToWrite wide = {
        .name = "a", .shape = found.shape, .data = found.data, .dtype = store, .store = Dtype::f32};
    write_safetensors(folder.path("wide"), {&wide, 1});
    std::vector<float> widened(numbers.size());
    to_f32(store, expected.data(), widened);
    const MappedFile wide_file(folder.path("wide"));
    CHECK(text_of(read_safetensors(wide_file).tensors.at(0).data) == text_of(bytes_of(widened)));
  }
}

TEST_CASE("data may be loaded when its turn comes, one tensor at a time, and gives the same bytes") {
  const Folder folder;
  const auto a = random_bits(300'000, 5), b = random_bits(6, 6);
  std::vector<float> c(12);
  std::iota(c.begin(), c.end(), 1.0f);
  std::vector<TensorToWrite> tensors = {
      {.name = "c", .shape = {3, 4}, .data = bytes_of(c), .store = Dtype::bf16, .transposed = true},
      {.name = "b", .shape = {2, 3}, .data = bytes_of(b), .transposed = true},
      {.name = "a", .shape = {300'000}, .data = bytes_of(a)},
      {.name = "none", .shape = {0}, .data = {}}};
  const auto expected = write_safetensors(folder.path("x"), tensors);
  std::vector<std::byte> loaded;  // shared, so only one tensor can be in memory
  std::string order;
  for (auto& tensor : tensors) {
    tensor.load = [&, name = tensor.name, data = std::exchange(tensor.data, {})] {
      order += name + " ";
      loaded.assign(data.begin(), data.end());
      return std::span<const std::byte>(loaded);
    };
  }
  const auto written = write_safetensors(folder.path("y"), tensors);
  CHECK(order == "a b none c ");
  CHECK(read_file(folder.path("x")) == read_file(folder.path("y")));
  CHECK(written.bytes == expected.bytes);
  CHECK(written.checksum == expected.checksum);
}

TEST_CASE("a number out of range is an error and leaves no file") {
  const Folder folder;
  const std::vector<float> numbers = {1, INFINITY, 70000};
  const TensorToWrite tensor = {.name = "a", .shape = {3}, .data = bytes_of(numbers), .store = Dtype::f16};
  CHECK_THROWS_WITH_AS(write_safetensors(folder.path("x"), {&tensor, 1}),
                       "tensor \"a\" contains 70000, which is too large for F16", Error);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a full disk leaves no file") {
  const Folder folder;
  const auto numbers = random_bits(1 << 20, 4);
  const TensorToWrite tensor = {.name = "a", .shape = {1 << 20}, .data = bytes_of(numbers)};
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {.rlim_cur = 3 << 20, .rlim_max = 3 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_safetensors(folder.path("x"), {&tensor, 1});
    } catch (const Error& error) {
      ::_exit(error.what() == folder.path("x") + ": write error: File too large" ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(std::filesystem::is_empty(folder.path()));
}
