// The product of one tile: oneDNN's matmul of a few rows with one packed panel, on one thread.
//
// The panel's shape never depends on the batch, so neither does oneDNN's choice of algorithm: a row's result
// is the same bits for every number of rows (measured for its AVX-512 "brgemm" kernels; where oneDNN has
// none, its gemm chooses by the number of rows, so our own kernel does the product there).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace bert::nn {

enum class Isa { baseline, avx2, avx512 };
Isa usable_isa();  // of the machine, lowered by ONEDNN_MAX_CPU_ISA
std::string onednn_version();

class TileProduct {
 public:
  static constexpr int64_t kRows = 64;     // at most, in one tile
  static constexpr int64_t kColumns = 64;  // of a panel

  explicit TileProduct(int threads);
  ~TileProduct();

  // tile [rows, kColumns] = x [rows, depth] · panel [depth, kColumns]. The panel has depth rounded up to 16
  // rows, the ones added being zero. `x` has room for rows rounded up to 8, and so has the tile. `thread` in
  // [0, threads) says whose scratch to use.
  void run(int thread, int64_t rows, int64_t depth, const float* x, int64_t x_stride, const float* panel,
           float* tile) const;

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace bert::nn
