// Exact search of bert-search: its speed, next to what limits it on this machine, the memory bandwidth and
// the rate of oneDNN's products. faiss_bench reads the same files. Usage: search_bench DIRECTORY [ROWS
// [QUERIES [THREADS]]]      default: 1000000 1000 2; width 384
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "nn/kernels/kernels.h"
#include "nn/products.h"
#include "search/nearest.h"
#include "search/vectors.h"

using namespace bert;

namespace {

constexpr int64_t kWidth = 384;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void write_rows(const std::string& path, int64_t rows, uint32_t seed) {
  if (std::ifstream(path).good()) return;
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  std::ofstream file(path, std::ios::binary);
  std::vector<float> row(kWidth);
  for (int64_t i = 0; i < rows; ++i) {
    for (float& x : row) x = number(random);
    file.write(reinterpret_cast<const char*>(row.data()), kWidth * sizeof(float));
  }
}

// GFLOP/s of products of blocks that stay in the cache, on all threads.
double product_rate(Pool& pool) {
  constexpr int64_t kSize = 384;
  std::vector<nn::Tensor> a, b, c;
  for (int i = 0; i < pool.size(); ++i) {
    for (auto* tensors : {&a, &b, &c}) tensors->emplace_back(kSize, kSize);
  }
  constexpr int64_t kProducts = 400;
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    best = std::min(best, seconds([&] {
                      pool.run_grid(kProducts, [&](int64_t, int thread) {
                        const auto t = static_cast<size_t>(thread);
                        nn::multiply(nn::usable_kernels(),
                                     {.rows = kSize,
                                      .cols = kSize,
                                      .depth = kSize,
                                      .a = {.numbers = a[t].row(0), .stride = a[t].stride()},
                                      .b = {.numbers = b[t].row(0), .stride = b[t].stride()},
                                      .c = c[t].row(0),
                                      .c_stride = c[t].stride(),
                                      .room = true});
                      });
                    }));
  }
  return 2e-9 * kProducts * kSize * kSize * kSize / best;
}

// GB/s of reading the rows on all threads.
double bandwidth(const search::Vectors& vectors, Pool& pool) {
  std::vector<nn::Memory> scratch(static_cast<size_t>(pool.size()));
  std::vector<double> sums(static_cast<size_t>(pool.size() * 64));
  double best = 1e9;
  for (int repeat = 0; repeat < 4; ++repeat) {
    best = std::min(best, seconds([&] {
                      pool.run_grid(vectors.blocks() - 1, [&](int64_t b, int thread) {
                        const float* const block = vectors.block(b, scratch[static_cast<size_t>(thread)]);
                        sums[static_cast<size_t>(thread * 64)] +=
                            nn::usable_kernels().sum_of_squares(search::kBlock * kWidth, block);
                      });
                    }));
  }
  return 4e-9 * static_cast<double>((vectors.blocks() - 1) * search::kBlock * kWidth) / best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto number = [&](int i, int64_t otherwise) { return argc > i ? std::atoll(argv[i]) : otherwise; };
  const int64_t rows = number(2, 1'000'000), count = number(3, 1000);
  Pool pool(static_cast<int>(number(4, 2)));
  const std::string index = std::string(argv[1]) + "/rows.f32", asked = std::string(argv[1]) + "/queries.f32";
  write_rows(index, rows, 1);
  write_rows(asked, count, 2);
  const search::MappedVectors vectors(index, kWidth, pool), queries(asked, kWidth, pool);
  std::vector<const float*> pointers;
  nn::Memory scratch;
  for (int64_t i = 0; i < queries.rows(); ++i) pointers.push_back(queries.row(i, scratch));

  const double rate = product_rate(pool), speed = bandwidth(vectors, pool);
  std::printf("products %.0f GFLOP/s, memory %.1f GB/s, %d threads\n", rate, speed, pool.size());
  const double flops = 2e-9 * static_cast<double>(vectors.rows() * kWidth),
               bytes = 4e-9 * static_cast<double>(vectors.rows() * kWidth);
  for (const auto size : {size_t{1}, size_t{16}, pointers.size()}) {
    search::ExactSearch exact(vectors, search::Metric::dot, pool);
    const auto some = std::span(pointers).first(size);
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat)
      best = std::min(best, seconds([&] { (void)exact.nearest(some, 10); }));
    const double limit = std::max(static_cast<double>(size) * flops / rate, bytes / speed);
    std::printf("%5zu queries: %.3f s, %.0f GFLOP/s, %.2f of the limit\n", size, best,
                static_cast<double>(size) * flops / best, limit / best);
  }
}
