// The graph file of bert-search --graph: that of 200 fixed rows, edited by the input.
#include <array>

#include "base/file.h"
#include "edits.h"
#include "files.h"
#include "search/graph.h"

using namespace bert;

namespace {

constexpr int64_t kRows = 200, kWidth = 2;

const search::Vectors& rows() {
  static const auto vectors = [] {
    search::StoredVectors made(kWidth);
    for (int64_t i = 0; i < kRows; ++i)
      made.add(std::array{static_cast<float>(i * 37 % 101 - 50), static_cast<float>(i * 53 % 97 - 48)});
    return made;
  }();
  return vectors;
}

// Builds the graph if there is no file `path`; searches each row.
void search_all(const std::string& path) {
  static Pool pool(1);
  static Log log("fuzz", Log::Level::quiet);
  search::GraphSearch graph(rows(), search::Metric::l2, {.path = path, .candidates = 10}, pool, log);
  nn::Memory scratch;
  for (int64_t i = 0; i < kRows; ++i) {
    const std::array queries = {rows().row(i, scratch)};
    const auto found = graph.nearest(queries, 3);
    for (const auto& neighbor : found[0]) {
      if (neighbor.row < 0 || neighbor.row >= kRows) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static const auto whole = [] {
    search_all(files.path() + "/whole");
    return read_file(files.path() + "/whole");
  }();
  const auto path = files.write("graph", fuzz::edited(whole, data, size));
  fuzz::answered([&] { search_all(path); });
  return 0;
}
