// One step of each optimizer and the global norm, on as many numbers as BERT base has, compared with the same
// memory traffic with almost no arithmetic:
//
//   optimizer_bench THREADS [REPEATS]
//
// GB/s count memory reads and writes: 4 arrays read and 3 written for a step of Adam.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/pool.h"
#include "train/optimizer.h"

using namespace bert;
using Clock = std::chrono::steady_clock;

namespace {

// 110 million numbers in tensors of the same sizes as in base.
nn::Layout base_layout() {
  nn::Layout layout;
  layout.add_plain("embeddings.word_embeddings.weight", {30522, 768});
  layout.add_plain("embeddings.position_embeddings.weight", {512, 768});
  for (int layer = 0; layer < 12; ++layer) {
    const std::string prefix = "encoder.layer." + std::to_string(layer);
    for (const char* name : {".query", ".key", ".value", ".output"}) {
      layout.add_matrix(prefix + name + ".weight", 768, 768);
      layout.add_plain(prefix + name + ".bias", {768});
    }
    layout.add_matrix(prefix + ".intermediate.weight", 3072, 768);
    layout.add_plain(prefix + ".intermediate.bias", {3072});
    layout.add_matrix(prefix + ".output.dense.weight", 768, 3072);
    layout.add_plain(prefix + ".output.dense.bias", {768});
  }
  return layout;
}

double seconds_of(const std::function<void()>& run) {
  const auto start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Measured {
  const char* name;
  int arrays;  // number of arrays read or written
  std::function<void()> run;
  std::vector<double> seconds = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: optimizer_bench THREADS [REPEATS]\n");
    return 2;
  }
  Pool pool(std::stoi(argv[1]));
  nn::Context context(pool);
  const int repeats = argc > 2 ? std::stoi(argv[2]) : 5;
  const nn::Layout layout = base_layout();
  nn::Params params(layout), gradients(layout);
  for (size_t i = 0; i < params.all().size(); ++i) {
    params.all()[i] = 0.01f * static_cast<float>(i % 7);
    gradients.all()[i] = 1e-4f * static_cast<float>(i % 11);
  }
  train::Optimizer adamw(layout, {}), lamb(layout, {.method = train::Method::lamb});
  const auto slices = train::slices_of(layout);
  double norm = 0;
  const auto traffic = [&] {
    auto& moments = adamw.state().moments;  // of all slices, so placed like the parameters
    float *m = moments.all(train::Moment::m).data(), *v = moments.all(train::Moment::v).data();
    float* p = params.all().data();
    const float* g = gradients.all().data();
    pool.run_grid(static_cast<int64_t>(slices.size()), [&](int64_t i, int) {
      const auto& slice = slices[static_cast<size_t>(i)];
      for (int64_t k = slice.start; k < slice.start + slice.count; k += 16) {
        for (int64_t j = k; j < k + 16; ++j) m[j] *= 0.5f;
        for (int64_t j = k; j < k + 16; ++j) v[j] *= 0.5f;
        for (int64_t j = k; j < k + 16; ++j) p[j] += g[j];
      }
    });
  };
  Measured all[] = {{"bare traffic", 7, traffic},
                    {"adamw", 7, [&] { adamw.step(params, gradients, 1e-4, 1, context); }},
                    {"lamb", 10, [&] { lamb.step(params, gradients, 1e-4, 1, context); }},
                    {"norm", 1, [&] { norm += train::norm_of(train::square_sums(gradients, context)); }}};
  for (int i = 0; i <= repeats; ++i) {  // in turn; the first turn is a warmup
    for (auto& one : all) {
      const double seconds = seconds_of(one.run);
      if (i > 0) one.seconds.push_back(seconds);
    }
  }
  const auto count = static_cast<double>(params.all().size());
  std::printf("%.1f million numbers, %d threads, norm %g\n", count / 1e6, pool.size(), norm);
  for (auto& one : all) {
    std::sort(one.seconds.begin(), one.seconds.end());
    const double seconds = one.seconds[one.seconds.size() / 2];
    std::printf("%-13s %7.1f ms  %7.0f million numbers/s  %6.2f GB/s\n", one.name, seconds * 1e3,
                count / seconds / 1e6, 4 * one.arrays * count / seconds / 1e9);
  }
}
