// The search of search_bench with faiss' IndexFlatIP, for comparison.
// Usage: faiss_bench DIRECTORY [THREADS]
#include <faiss/IndexFlat.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr int kWidth = 384;

std::vector<float> numbers(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<float> numbers(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  omp_set_num_threads(argc > 2 ? std::atoi(argv[2]) : 2);
  faiss::IndexFlatIP index(kWidth);
  const auto queries = numbers(std::string(argv[1]) + "/queries.f32");
  {
    const auto rows = numbers(std::string(argv[1]) + "/rows.f32");
    index.add(static_cast<int64_t>(rows.size() / kWidth), rows.data());
  }
  for (const size_t count : {size_t{1}, size_t{16}, queries.size() / kWidth}) {
    std::vector<float> scores(count * 10);
    std::vector<int64_t> ids(count * 10);
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      index.search(static_cast<int64_t>(count), queries.data(), 10, scores.data(), ids.data());
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::printf("%5zu queries: %.3f s, %.0f GFLOP/s\n", count, best,
                2e-9 * static_cast<double>(count * index.ntotal * kWidth) / best);
  }
}
