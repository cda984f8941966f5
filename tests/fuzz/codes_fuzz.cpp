// A file of bert-search --codes, searched as an index. The first byte says of which kind the codes of 100
// fixed rows are; each three bytes that follow change one byte of their file: its position, counted from
// either end in turn, and its new value. The checksum at the end is corrected, so that what it protects is
// reached.
#include <array>
#include <cstring>

#include "base/checksum.h"
#include "base/file.h"
#include "files.h"
#include "search/codes.h"
#include "search/nearest.h"

using namespace bert;

namespace {

constexpr int64_t kRows = 100, kWidth = 10;

Pool& pool() {
  static Pool one(1);
  return one;
}

std::string codes_of(const fuzz::Files& files, search::Codes::Kind kind) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < kRows * kWidth; ++i) numbers.push_back(static_cast<float>(i * 37 % 101 - 50));
  const auto bytes = std::as_bytes(std::span(numbers));
  const auto path = files.write("index.f32", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  OutputFile file(files.path() + "/whole");
  search::Codes::write(file, search::MappedVectors(path, kWidth), kind, pool());
  return read_file(files.path() + "/whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using enum search::Codes::Kind;
  static const fuzz::Files files;
  static const std::array whole = {codes_of(files, int8), codes_of(files, sign)};
  if (size == 0) return 0;
  auto bytes = whole[data[0] % 2];
  for (size_t i = 1; i + 3 <= size; i += 3) {
    const size_t position = (data[i] * size_t{256} + data[i + 1]) % bytes.size();
    bytes[i % 2 == 0 ? position : bytes.size() - 1 - position] = static_cast<char>(data[i + 2]);
  }
  Checksum checksum;
  checksum.add(std::string_view(bytes).substr(0, bytes.size() - sizeof(uint64_t)));
  const uint64_t sum = checksum.value();
  std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
  const auto path = files.write("codes", bytes);
  fuzz::answered([&] {
    const search::CodedVectors vectors(path);
    search::ExactSearch search(vectors, search::Metric::l2, pool());
    const std::vector<float> query(vectors.width(), 1);
    const std::array queries = {query.data()};
    const auto found = search.nearest(queries, 3);
    for (const auto& neighbor : found[0])
      if (neighbor.row < 0 || neighbor.row >= vectors.rows()) std::abort();
  });
  return 0;
}
