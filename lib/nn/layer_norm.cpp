#include "nn/layer_norm.h"

#include <algorithm>

namespace bert::nn {
namespace {

constexpr int64_t kTaskRows = 16;  // rows of a task: some microseconds of work

// Gradients of gain and bias are added up in parts of this many rows, and the parts in order, so that the
// bits do not depend on threads.
constexpr int64_t kGradientPart = 64;

constexpr int64_t kTaskColumns = 64;  // columns of gradients that a task adds up

// For consecutive rows: the dropout key of each row's sequence, and its position there.
class Places {
 public:
  Places(const Pass& pass, const DropoutPlace& place, int64_t first_row)
      : pass_(pass),
        place_(place),
        rate_(pass.dropout_seed == nullptr ? DropoutRate() : place.rate),
        sequence_(std::ranges::upper_bound(pass.offsets, first_row) - pass.offsets.begin() - 1) {
    if (rate_.active()) find_key();
  }

  // x, residual (may be nullptr), y: one row of n numbers. Call it for rows in order.
  void drop(int64_t row, int64_t n, const float* x, const float* residual, float* y) {
    uint32_t position = 0;
    if (rate_.active()) {
      const auto last = sequence_;
      while (row >= pass_.offsets[sequence_ + 1]) ++sequence_;
      if (sequence_ != last) find_key();
      position = row - pass_.offsets[sequence_];
    }
    pass_.context.kernels().drop(n, key_, position, rate_, x, residual, y);
  }

 private:
  void find_key() {
    key_ =
        dropout_key(*pass_.dropout_seed, pass_.dropout_seed->number_of(sequence_), place_.layer, place_.site);
  }

  const Pass& pass_;
  const DropoutPlace& place_;
  DropoutRate rate_;
  int64_t sequence_;
  DropoutKey key_;
};

template <class Function>
void for_rows(const Pass& pass, const DropoutPlace& place, int64_t rows, Function f) {
  pass.context.pool().run_grid((rows + kTaskRows - 1) / kTaskRows, [&](int64_t i, int) {
    Places places(pass, place, i * kTaskRows);
    for (int64_t row = i * kTaskRows; row < std::min(rows, (i + 1) * kTaskRows); ++row) f(places, row);
  });
}

}  // namespace

LayerNorm::LayerNorm(std::string_view prefix, int64_t hidden, float epsilon, Layout& layout,
                     Linear::Bias bias)
    : gain_(layout.add_plain(std::string(prefix) + ".weight", {hidden})),
      bias_(bias == Linear::Bias::no ? -1 : layout.add_plain(std::string(prefix) + ".bias", {hidden})),
      zeros_(bias == Linear::Bias::no ? hidden : 0),
      hidden_(hidden),
      epsilon_(epsilon) {}

void LayerNorm::forward(const Pass& pass, const DropoutPlace& place, const Tensor& x, const Tensor* residual,
                        Tensor& s, Tensor& y) const {
  const bool differ = &s != &x || residual != nullptr || drops(pass, place);
  s.reshape(x.rows(), x.cols());
  y.reshape(x.rows(), x.cols());
  const float* const bias = bias_ < 0 ? zeros_.data() : pass.weights.plain(bias_);
  for_rows(pass, place, x.rows(), [&](Places& places, int64_t row) {
    if (differ)
      places.drop(row, hidden_, x.row(row), residual == nullptr ? nullptr : residual->row(row), s.row(row));
    pass.context.kernels().layer_norm(hidden_, s.row(row), pass.weights.plain(gain_), bias, epsilon_,
                                      y.row(row));
  });
}

// forward:  x̂ = (s - mean) / √(var + ε)   y = x̂∘gain + bias
// so        ds by the kernel   dgain += Σ_m dy∘x̂   dbias += Σ_m dy
void LayerNorm::backward(const Pass& pass, const Tensor& s, const Tensor& dy, Tensor& ds, Params& gradients,
                         Linear::Bias bias) const {
  if (&ds != &dy) ds.reshape(s.rows(), s.cols());
  const int64_t parts = (s.rows() + kGradientPart - 1) / kGradientPart, width = s.stride();
  float* const sums = pass.context.shared(parts * 2 * width);  // for each part: dgain, dbias
  const float* const gain = pass.weights.plain(gain_);
  const Kernels& kernels = pass.context.kernels();
  pass.context.pool().run_grid(parts, [&](int64_t i, int) {
    float* const dgain = sums + i * 2 * width;
    std::fill_n(dgain, 2 * width, 0.0f);
    for (int64_t row = i * kGradientPart; row < std::min(s.rows(), (i + 1) * kGradientPart); ++row) {
      kernels.layer_norm_backward(hidden_, s.row(row), gain, epsilon_, dy.row(row), ds.row(row), dgain,
                                  dgain + width);
    }
  });
  float* const dgain = gradients.tensor(gain_).data();
  float* const dbias = bias_ < 0 || bias == Linear::Bias::no ? nullptr : gradients.tensor(bias_).data();
  pass.context.pool().run_grid((hidden_ + kTaskColumns - 1) / kTaskColumns, [&](int64_t i, int) {
    const int64_t first = i * kTaskColumns, count = std::min(kTaskColumns, hidden_ - first);
    for (int64_t part = 0; part < parts; ++part) {
      kernels.add(count, sums + part * 2 * width + first, dgain + first);
      if (dbias != nullptr) kernels.add(count, sums + (part * 2 + 1) * width + first, dbias + first);
    }
  });
}

bool drops(const Pass& pass, const DropoutPlace& place) {
  return pass.dropout_seed != nullptr && place.rate.active();
}

void drop(const Pass& pass, const DropoutPlace& place, const Tensor& x, Tensor& y) {
  if (&x == &y && !drops(pass, place)) return;
  if (&x != &y) y.reshape(x.rows(), x.cols());
  for_rows(pass, place, x.rows(),
           [&](Places& places, int64_t row) { places.drop(row, x.cols(), x.row(row), nullptr, y.row(row)); });
}

void drop_and_add(const Pass& pass, const DropoutPlace& place, const Tensor& x, const Tensor& residual,
                  Tensor& y) {
  y.reshape(x.rows(), x.cols());
  for_rows(pass, place, x.rows(), [&](Places& places, int64_t row) {
    places.drop(row, x.cols(), x.row(row), residual.row(row), y.row(row));
  });
}

}  // namespace bert::nn
