// Training kernels other than weight products, on one thread, with data as in a training step: several
// sequences in one tensor, so that not all of it is in the nearest cache.
//
//   training_bench [TOKENS [LENGTH [HIDDEN [HEADS]]]]        1024 128 768 12
//
// GFLOP/s of attention count its products only: 4·T²·d forward, 10·T²·d backward. GB/s count what must be
// read and written.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "nn/kernels/kernels.h"
#include "nn/tensor.h"

using namespace bert::nn;

namespace {

struct Shape {
  int64_t tokens, length, hidden, heads;
  int64_t size() const { return hidden / heads; }
};

Tensor random_tensor(int64_t rows, int64_t cols) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Tensor tensor(rows, cols);
  for (int64_t row = 0; row < rows; ++row) {
    std::generate_n(tensor.row(row), cols, [&] { return normal(random); });
  }
  return tensor;
}

// Processor time, so that other processes do not count: the median of several turns.
template <class Run>
double seconds_of(Run run) {
  run();
  std::vector<double> seconds;
  for (int turn = 0; turn < 9; ++turn) {
    const std::clock_t start = std::clock();
    run();
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

void measure_attention(const Kernels& kernels, const Shape& shape, float dropout) {
  const Tensor qkv = random_tensor(shape.tokens, 3 * shape.hidden),
               dout = random_tensor(shape.tokens, shape.hidden);
  Tensor out(shape.tokens, shape.hidden), dqkv(shape.tokens, 3 * shape.hidden);
  const Memory scratch(static_cast<size_t>(attention_scratch(shape.length, shape.size())));
  const auto for_heads = [&](auto f) {
    for (int64_t first = 0; first + shape.length <= shape.tokens; first += shape.length) {
      for (int64_t head = 0; head < shape.heads; ++head) {
        const int64_t column = head * shape.size();
        const float* const q = qkv.row(first) + column;
        f(AttentionHead{.q = q,
                        .q_stride = qkv.stride(),
                        .rows = shape.length,
                        .k = q + shape.hidden,
                        .v = q + 2 * shape.hidden,
                        .kv_stride = qkv.stride(),
                        .length = shape.length,
                        .size = shape.size(),
                        .scale = 0.125f,
                        .out = out.row(first) + column,
                        .out_stride = out.stride()},
          first, column);
      }
    }
  };
  const double pairs =
      static_cast<double>(shape.tokens / shape.length * shape.length * shape.length * shape.hidden);
  const DroppedProbabilities dropped = {{1, 2}, DropoutRate(dropout)};
  const double forward = seconds_of([&] {
    for_heads(
        [&](const AttentionHead& head, int64_t, int64_t) { kernels.attend(head, dropped, scratch.data()); });
  });
  const double backward = seconds_of([&] {
    for_heads([&](const AttentionHead& head, int64_t first, int64_t column) {
      float* const dq = dqkv.row(first) + column;
      kernels.attend_backward({.head = head,
                               .dropped = dropped,
                               .dout = dout.row(first) + column,
                               .dout_stride = dout.stride(),
                               .dq = dq,
                               .dq_stride = dqkv.stride(),
                               .dk = dq + shape.hidden,
                               .dv = dq + 2 * shape.hidden,
                               .dkv_stride = dqkv.stride()},
                              scratch.data());
    });
  });
  std::printf("attention, dropout %.1f   forward %6.1f   backward %6.1f GFLOP/s   %.2f ms back\n", dropout,
              4e-9 * pairs / forward, 10e-9 * pairs / backward, backward * 1e3);
}

void measure_rows(const Kernels& kernels, const Shape& shape) {
  const int64_t n = shape.hidden;
  const Tensor x = random_tensor(shape.tokens, n), residual = random_tensor(shape.tokens, n);
  Tensor y(shape.tokens, n);
  Tensor gain(1, n), dgain(1, n), dbias(1, n);
  std::fill_n(gain.row(0), n, 1.0f);
  const auto print = [&](const char* name, int tensors, auto f) {
    const double seconds = seconds_of([&] {
      for (int64_t row = 0; row < shape.tokens; ++row) f(row);
    });
    const double bytes = 4.0 * static_cast<double>(shape.tokens * n * tensors);
    std::printf("%-24s %6.1f GB/s   %6.3f ms   %5.2f cycles of 2.6 GHz a number\n", name,
                bytes * 1e-9 / seconds, seconds * 1e3,
                seconds * 2.6e9 / static_cast<double>(shape.tokens * n));
  };
  print("copy", 2, [&](int64_t row) { std::copy_n(x.row(row), n, y.row(row)); });
  for (float p : {0.0f, 0.1f}) {
    const DropoutRate rate(p);
    print(p == 0 ? "drop + residual, off" : "drop + residual", 3, [&](int64_t row) {
      kernels.drop(n, {1, 2}, static_cast<uint32_t>(row), rate, x.row(row), residual.row(row), y.row(row));
    });
  }
  print("drop", 2, [&](int64_t row) {
    kernels.drop(n, {1, 2}, static_cast<uint32_t>(row), DropoutRate(0.1f), x.row(row), nullptr, y.row(row));
  });
  print("layer norm", 2, [&](int64_t row) {
    kernels.layer_norm(n, x.row(row), gain.row(0), dbias.row(0), 1e-12f, y.row(row));
  });
  print("layer norm back", 3, [&](int64_t row) {
    kernels.layer_norm_backward(n, x.row(row), gain.row(0), 1e-12f, residual.row(row), y.row(row),
                                dgain.row(0), dbias.row(0));
  });
  Tensor slopes(shape.tokens, n);
  for (auto activation : {Activation::gelu, Activation::gelu_tanh, Activation::relu}) {
    print(("activation back " + std::to_string(static_cast<int>(activation))).c_str(), 4, [&](int64_t row) {
      kernels.activation_backward(n, activation, x.row(row), residual.row(row), y.row(row), slopes.row(row));
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int64_t otherwise) { return argc > i ? std::stoll(argv[i]) : otherwise; };
  const Shape shape = {argument(1, 1024), argument(2, 128), argument(3, 768), argument(4, 12)};
  const Kernels& kernels = usable_kernels();
  std::printf("%s, %ld tokens in sequences of %ld, hidden %ld, %ld heads\n", kernels.name, shape.tokens,
              shape.length, shape.hidden, shape.heads);
  for (float dropout : {0.0f, 0.1f}) measure_attention(kernels, shape, dropout);
  measure_rows(kernels, shape);
}
