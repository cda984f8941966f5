// A file of bert-search --codes, searched as an index: the codes of 100 fixed rows, of the kind that the
// first byte says, edited by the others.
#include <array>

#include "base/file.h"
#include "edits.h"
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
  const auto path = files.write("codes", fuzz::edited(whole[data[0] % 2], data + 1, size - 1));
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
