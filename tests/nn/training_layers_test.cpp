#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "nn/attention.h"
#include "nn/batch.h"
#include "nn/encoder_layer.h"
#include "nn/layer_norm.h"
#include "nn/relative_positions.h"
#include "nn/tables.h"
#include "reference/slow_training.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::nn;
using reference::Matrix;
using reference::Row;

namespace {

const std::vector<int64_t> kOffsets = {0, 1, 18, 37, 40, 130, 131, 200};

Tensor normal_tensor(std::mt19937& random, int64_t rows, int64_t cols) {
  Tensor tensor(rows, cols);
  for (int64_t row = 0; row < rows; ++row) {
    const auto numbers = normal_numbers(random, cols);
    std::ranges::copy(numbers, tensor.row(row));
  }
  return tensor;
}

Tensor filled_tensor(int64_t rows, int64_t cols, float value) {
  Tensor tensor(rows, cols);
  std::fill_n(tensor.row(0), rows * tensor.stride(), value);
  return tensor;
}

void fill(std::mt19937& random, Params& params, float deviation) {
  for (size_t i = 0; i < params.layout().entries().size(); ++i) {
    auto tensor = params.tensor(static_cast<int>(i));
    const auto numbers = normal_numbers(random, static_cast<int64_t>(tensor.size()), deviation);
    std::ranges::copy(numbers, tensor.begin());
  }
}

Matrix matrix(const Tensor& x) {
  Matrix m;
  for (int64_t row = 0; row < x.rows(); ++row) m.emplace_back(x.values(row).begin(), x.values(row).end());
  return m;
}

bool same_bits(const Matrix& a, const Matrix& b) { return a == b; }  // NaN never compares equal

double relative_error(const Matrix& expected, const Matrix& actual) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t j = 0; j < expected[i].size(); ++j) {
      difference += (actual[i][j] - expected[i][j]) * (actual[i][j] - expected[i][j]);
      norm += expected[i][j] * expected[i][j];
    }
  }
  return std::sqrt(difference / norm);
}

// Dropout factors for the rows of all sequences.
Matrix row_factors(const DropoutSeed& dropout_seed, const DropoutPlace& place,
                   const std::vector<int64_t>& offsets, int64_t cols) {
  Matrix factors;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto key = dropout_key(dropout_seed, dropout_seed.first_sequence + s, place.layer, place.site);
    const auto rows = static_cast<size_t>(offsets[s + 1] - offsets[s]);
    const auto part = reference::keep_factors(key, place.rate, rows, static_cast<size_t>(cols));
    factors.insert(factors.end(), part.begin(), part.end());
  }
  return factors;
}

struct NormCase {
  Layout layout;
  LayerNorm norm;
  Params params, gradients;
  Weights weights;

  NormCase(std::mt19937& random, int64_t hidden)
      : norm("norm", hidden, 1e-5f, layout), params(layout), gradients(layout), weights(params) {
    fill(random, params, 1);
    fill(random, gradients, 1);
  }
};

}  // namespace

TEST_CASE(
    "layer normalization with dropout matches the reference forward and backward, gradients accumulated") {
  std::mt19937 random(21);
  const DropoutSeed dropout_seed = {.seed = 5, .step = 17, .first_sequence = 3};
  for (int64_t hidden : {24, 64, 78}) {
    for (float p : {0.0f, 0.2f}) {
      Pool pool(2);
      Context context(pool);
      NormCase c(random, hidden);
      const DropoutPlace place = {.layer = 2, .site = DropoutSite::feed_forward, .rate = DropoutRate(p)};
      const Pass pass = {context, c.weights, kOffsets, &dropout_seed};
      const Tensor x = normal_tensor(random, 200, hidden), residual = normal_tensor(random, 200, hidden),
                   dy = normal_tensor(random, 200, hidden);
      Tensor s, y, ds, dx;
      const auto before_gain = c.gradients.tensor(0), before_bias = c.gradients.tensor(1);
      Row dgain(before_gain.begin(), before_gain.end()), dbias(before_bias.begin(), before_bias.end());
      c.norm.forward(pass, place, x, &residual, s, y);
      c.norm.backward(pass, s, dy, ds, c.gradients);
      drop(pass, place, ds, dx);

      const Matrix keep = row_factors(dropout_seed, place, kOffsets, hidden);
      Matrix expected_s = matrix(x), expected_y, expected_ds, expected_dx;
      const Row gain(c.params.tensor(0).begin(), c.params.tensor(0).end()),
          bias(c.params.tensor(1).begin(), c.params.tensor(1).end());
      for (size_t row = 0; row < 200; ++row) {
        const auto other = residual.values(static_cast<int64_t>(row));
        for (size_t i = 0; i < other.size(); ++i) {
          expected_s[row][i] = expected_s[row][i] * keep[row][i] + other[i];
        }
        expected_y.push_back(reference::layer_norm(expected_s[row], gain, bias, 1e-5f));
        const auto d = dy.values(static_cast<int64_t>(row));
        const auto back = reference::layer_norm_backward(expected_s[row], gain, 1e-5f, {d.begin(), d.end()});
        expected_ds.push_back(back.ds);
        expected_dx.push_back(back.ds);
        for (size_t i = 0; i < d.size(); ++i) {
          expected_dx.back()[i] *= keep[row][i];
          dgain[i] += back.dgain[i];
          dbias[i] += back.dbias[i];
        }
      }
      CAPTURE(hidden);
      CAPTURE(p);
      CHECK(relative_error(expected_s, matrix(s)) < 2e-7);
      CHECK(relative_error(expected_y, matrix(y)) < 5e-7);
      CHECK(relative_error(expected_ds, matrix(ds)) < 1e-6);
      CHECK(relative_error(expected_dx, matrix(dx)) < 1e-6);
      const auto gradient = [&](int i) {
        return Row(c.gradients.tensor(i).begin(), c.gradients.tensor(i).end());
      };
      CHECK(relative_error({dgain}, {gradient(0)}) < 1e-6);
      CHECK(relative_error({dbias}, {gradient(1)}) < 1e-6);
    }
  }
}

TEST_CASE(
    "dropout is equal in place and for any threads and micro-batches; without a DropoutSeed it is off") {
  std::mt19937 random(22);
  const DropoutSeed dropout_seed = {.seed = 9, .step = 1};
  const DropoutPlace place = {.layer = 1, .site = DropoutSite::attention, .rate = DropoutRate(0.4f)};
  NormCase c(random, 70);
  const Tensor x = normal_tensor(random, 200, 70);
  Matrix whole, twin = matrix(x);
  for (int threads : {1, 3}) {
    Pool pool(threads);
    Context context(pool);
    const Pass pass = {context, c.weights, kOffsets, &dropout_seed};
    Tensor y, copy = filled_tensor(200, 70, 0);
    drop(pass, place, x, y);
    for (int64_t row = 0; row < 200; ++row) std::ranges::copy(x.values(row), copy.row(row));
    drop(pass, place, copy, copy);
    CHECK(same_bits(matrix(y), matrix(copy)));
    if (threads == 1) whole = matrix(y);
    CHECK(same_bits(matrix(y), whole));

    // The sequences from the fourth on, as a later micro-batch of the step.
    const DropoutSeed later = {.seed = 9, .step = 1, .first_sequence = 3};
    std::vector<int64_t> offsets;
    for (size_t s = 3; s < kOffsets.size(); ++s) offsets.push_back(kOffsets[s] - kOffsets[3]);
    Tensor part(200 - kOffsets[3], 70);
    for (int64_t row = 0; row < part.rows(); ++row) {
      std::ranges::copy(x.values(row + kOffsets[3]), part.row(row));
    }
    drop({context, c.weights, offsets, &later}, place, part, part);
    CHECK(same_bits(matrix(part), Matrix(whole.begin() + kOffsets[3], whole.end())));

    drop({context, c.weights, kOffsets, nullptr}, place, x, y);
    CHECK(same_bits(matrix(x), matrix(y)));
  }
  const Matrix keep = row_factors(dropout_seed, place, kOffsets, 70);
  for (size_t row = 0; row < 200; ++row) {
    for (size_t i = 0; i < 70; ++i) twin[row][i] *= keep[row][i];
  }
  CHECK(relative_error(twin, whole) < 1e-7);
}

namespace {

// Attention with the layout's eight tensors (query, key, value, output: weight and bias) in double precision.
struct SlowAttention {
  std::vector<Row> params;
  Matrix x;
  int64_t heads;
  std::vector<int64_t> offsets;
  std::vector<std::vector<Matrix>> keep;  // for each sequence and head
  bool causal = false;

  Matrix product(const Matrix& in, size_t place) const {
    const size_t hidden = x[0].size();
    Matrix w(hidden);
    for (size_t n = 0; n < hidden; ++n) {
      const auto first = params[place].begin() + static_cast<int64_t>(n * hidden);
      w[n].assign(first, first + static_cast<int64_t>(hidden));
    }
    return reference::linear(in, w, params[place + 1]);
  }
  Matrix forward() const {
    const Matrix q = product(x, 0), k = product(x, 2), v = product(x, 4);
    const int64_t size = static_cast<int64_t>(x[0].size()) / heads;
    Matrix attended(x.size(), Row(x[0].size()));
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      std::vector<KeyRange> seen;
      for (int64_t row = offsets[s]; causal && row < offsets[s + 1]; ++row)
        seen.push_back({0, row - offsets[s] + 1});
      for (int64_t head = 0; head < heads; ++head) {
        const auto part = [&](const Matrix& of) {
          Matrix m;
          for (int64_t row = offsets[s]; row < offsets[s + 1]; ++row) {
            const auto first = of[static_cast<size_t>(row)].begin() + head * size;
            m.emplace_back(first, first + size);
          }
          return m;
        };
        const Matrix out =
            reference::attend_dropped(part(q), part(k), part(v), 1 / std::sqrt(static_cast<double>(size)),
                                      keep[s][static_cast<size_t>(head)], seen);
        for (size_t row = 0; row < out.size(); ++row) {
          std::ranges::copy(out[row], attended[static_cast<size_t>(offsets[s]) + row].begin() + head * size);
        }
      }
    }
    return product(attended, 6);
  }
};

struct AttentionCase {
  Layout layout;
  DropoutPlace dropout;
  Attention attention;
  Params params, gradients;
  Weights weights;

  bool causal;

  AttentionCase(std::mt19937& random, int64_t hidden, int64_t heads, float p, bool is_causal = false)
      : dropout{.layer = 4, .site = DropoutSite::probabilities, .rate = DropoutRate(p)},
        attention("attention", {.hidden = hidden, .heads = heads, .causal = is_causal}, layout, dropout),
        params(layout),
        gradients(layout),
        weights(params),
        causal(is_causal) {
    fill(random, params, 2 / std::sqrt(static_cast<float>(hidden)));
  }

  SlowAttention twin(const Tensor& x, int64_t heads, const std::vector<int64_t>& offsets,
                     const DropoutSeed& dropout_seed) const {
    SlowAttention slow = {
        .params = {}, .x = matrix(x), .heads = heads, .offsets = offsets, .keep = {}, .causal = causal};
    for (int i = 0; i < 8; ++i) slow.params.emplace_back(params.tensor(i).begin(), params.tensor(i).end());
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      slow.keep.emplace_back();
      const auto length = static_cast<size_t>(offsets[s + 1] - offsets[s]);
      for (int64_t head = 0; head < heads; ++head) {
        const auto key = dropout_key(dropout_seed, dropout_seed.first_sequence + s, dropout.layer,
                                     dropout.site, static_cast<uint64_t>(head));
        slow.keep.back().push_back(reference::keep_factors(key, dropout.rate, length, length));
      }
    }
    return slow;
  }
};

}  // namespace

#if defined(__x86_64__)
TEST_CASE("attention rounds to bf16 only with such weights, and not what backward computes again") {
  if (usable_kernels().attend_bf16 == nullptr) {
    MESSAGE("skipped: this processor has no AVX512_BF16");
    return;
  }
  std::mt19937 random(29);
  const std::vector<int64_t> offsets = {0, 20, 50};
  Pool pool(2);
  Context context(pool), without(pool, kernels_avx512::kTable);
  Layout layout;
  const Attention attention("encoder.layer.0.attention", {.hidden = 64, .heads = 2}, layout);
  Params params(layout);
  fill(random, params, 0.25f);
  const Tensor x = normal_tensor(random, 50, 64);
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    Weights weights(params, dtype);
    weights.refresh(context);
    for (const bool keeps : {true, false}) {
      Tensor y[2];
      for (Context* each : {&context, &without}) {
        const Pass pass = {.context = *each, .weights = weights, .offsets = offsets, .keeps = keeps};
        Attention::Saved saved;
        attention.forward(pass, x, {x, offsets, {}}, 1, saved);
        attention.project_output(pass, saved.attended, nullptr, y[each == &without]);
      }
      bool equal = true;
      for (int64_t row = 0; row < x.rows(); ++row)
        equal = equal && std::ranges::equal(y[0].values(row), y[1].values(row));
      CHECK(equal == (keeps || dtype == Dtype::f32));
    }
  }
}
#endif

TEST_CASE("attention gradients equal central differences of the reference") {
  std::mt19937 random(23);
  const std::vector<int64_t> offsets = {0, 1, 12, 20};
  const DropoutSeed dropout_seed = {.seed = 2, .step = 8, .first_sequence = 6};
  for (const auto& shape : {std::pair<int64_t, int64_t>{24, 3}, {64, 4}, {78, 3}}) {
    const int64_t hidden = shape.first, heads = shape.second;
    if (kSanitized && hidden > 24) continue;  // the differences take long
    for (const auto& kind : {std::pair(0.0f, false), {0.3f, false}, {0.0f, true}, {0.3f, true}}) {
      const float p = kind.first;
      const bool causal = kind.second;
      CAPTURE(hidden);
      CAPTURE(p);
      CAPTURE(causal);
      Pool pool(2);
      Context context(pool);
      AttentionCase c(random, hidden, heads, p, causal);
      c.weights.refresh(context);
      const Tensor x = normal_tensor(random, 20, hidden), dy = normal_tensor(random, 20, hidden);
      const Pass pass = {context, c.weights, offsets, &dropout_seed};
      const Attention::Queries queries = {x, offsets, {}};
      Attention::Saved saved;
      // Values in the padding must have no effect.
      constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
      Attention::BackwardWorkspace workspace = {filled_tensor(20, 3 * ((hidden + 63) / 64 * 64), kNan),
                                                filled_tensor(20, hidden, kNan)};
      Tensor y, dx = filled_tensor(20, hidden, 0);
      c.attention.forward(pass, x, queries, 1, saved);
      c.attention.project_output(pass, saved.attended, nullptr, y);
      c.attention.backward(pass, x, queries, saved, dy, workspace, c.gradients, dx, dx);

      SlowAttention slow = c.twin(x, heads, offsets, dropout_seed);
      CHECK(relative_error(slow.forward(), matrix(y)) < 2e-6);
      const Matrix factors = matrix(dy);
      const auto loss = [&] {
        const Matrix out = slow.forward();
        double sum = 0;
        for (size_t i = 0; i < out.size(); ++i) {
          sum += std::inner_product(out[i].begin(), out[i].end(), factors[i].begin(), 0.0);
        }
        return sum;
      };
      constexpr double kStep = 1e-5;
      const auto difference = [&](double& number) {
        const double before = number;
        number = before + kStep;
        const double above = loss();
        number = before - kStep;
        const double below = loss();
        number = before;
        return (above - below) / (2 * kStep);
      };
      double all_norm = 0;
      for (const float g : c.gradients.all()) all_norm += static_cast<double>(g) * g;
      for (int place = 0; place < 8; ++place) {
        Row expected, actual;
        Row& numbers = slow.params[static_cast<size_t>(place)];
        const size_t step = numbers.size() > 100 ? numbers.size() / 40 + 1 : 1;
        for (size_t i = 0; i < numbers.size(); i += step) {
          expected.push_back(difference(numbers[i]));
          actual.push_back(c.gradients.tensor(place)[i]);
        }
        if (place == 3) {  // the key bias does not affect the softmax, so its gradient is 0
          for (const double g : actual) CHECK(std::abs(g) < 1e-7 * std::sqrt(all_norm));
          continue;
        }
        CHECK_MESSAGE(relative_error({expected}, {actual}) < 3e-6, "tensor ", place);
      }
      Row expected, actual;
      for (size_t row = 0; row < 20; row += 3) {
        for (size_t i = 0; i < slow.x[row].size(); i += 5) {
          expected.push_back(difference(slow.x[row][i]));
          actual.push_back(dx.row(static_cast<int64_t>(row))[i]);
        }
      }
      CHECK(relative_error({expected}, {actual}) < 3e-6);
    }
  }
}

TEST_CASE(
    "attention and layer normalization backward are bitwise equal for 1 and 3 threads, and accumulate") {
  std::mt19937 random(24);
  const DropoutSeed dropout_seed = {.seed = 3, .step = 1};
  AttentionCase c(random, 80, 5, 0.1f);
  NormCase n(random, 80);
  const std::vector<float> start(n.gradients.all().begin(), n.gradients.all().end());
  const Tensor x = normal_tensor(random, 200, 80), dy = normal_tensor(random, 200, 80);
  std::vector<float> first, first_norm;
  Matrix first_dx, first_ds;
  for (int threads : {1, 3}) {
    Pool pool(threads);
    Context context(pool);
    c.weights.refresh(context);
    c.gradients.clear();
    std::ranges::copy(start, n.gradients.all().begin());
    const Pass pass = {context, c.weights, kOffsets, &dropout_seed},
               norm_pass = {context, n.weights, kOffsets};
    const Attention::Queries queries = {x, kOffsets, {}};
    Attention::Saved saved;
    Attention::BackwardWorkspace workspace;
    Tensor y, ds, dx = filled_tensor(200, 80, 0), more = filled_tensor(200, 80, 1);
    c.attention.forward(pass, x, queries, 1, saved);
    c.attention.project_output(pass, saved.attended, nullptr, y);
    c.attention.backward(pass, x, queries, saved, dy, workspace, c.gradients, dx, dx);
    c.gradients.settle(pool);
    if (threads == 1) first.assign(c.gradients.all().begin(), c.gradients.all().end());
    CHECK(std::ranges::equal(first, c.gradients.all()));
    c.attention.backward(pass, x, queries, saved, dy, workspace, c.gradients, more, more);
    double worst = 0;
    for (int64_t row = 0; row < 200; ++row) {
      for (int64_t i = 0; i < 80; ++i) {
        worst = std::max(worst, static_cast<double>(std::abs(more.row(row)[i] - 1 - dx.row(row)[i])));
      }
    }
    CHECK(worst < 1e-5);
    n.norm.backward(norm_pass, x, dy, ds, n.gradients);
    if (threads == 1) first_dx = matrix(dx), first_ds = matrix(ds);
    if (threads == 1) first_norm.assign(n.gradients.all().begin(), n.gradients.all().end());
    CHECK(same_bits(first_dx, matrix(dx)));
    CHECK(same_bits(first_ds, matrix(ds)));
    CHECK(std::ranges::equal(first_norm, n.gradients.all()));
  }
}

namespace {

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t row = 0; row < a.rows(); ++row)
    sum += std::inner_product(a.values(row).begin(), a.values(row).end(), b.values(row).begin(), 0.0);
  return sum;
}

// The kinds of layers, one bit each.
enum : unsigned {
  kNormsFirst = 1,
  kFirstLayer = 2,
  kGated = 4,
  kTurned = 8,
  kSelected = 16,
  kDropped = 32,
  kPlaced = 64,
  kSeen = 128
};

// Of kOffsets; each token of a sequence with a window sees at least one.
const std::vector<int64_t> kSeenTokens = {1, 10, Batch::kAll, 2, 60, Batch::kAll, 69};

RelativePositionConfig positions_of(unsigned kind) {
  return {.span = 16,
          .distances = 64,
          .keys = (kind & kFirstLayer) == 0,
          .own_layers = (kind & kGated) != 0,
          .norm = (kind & kNormsFirst) == 0};
}

EncoderLayer::Config layer_config(unsigned kind) {
  const float rate = kind & kDropped ? 0.3f : 0.0f;
  const auto bias = kind & kFirstLayer ? Linear::Bias::no : Linear::Bias::yes;
  EncoderLayer::Config config = {.attention = {.hidden = 24, .heads = 3, .bias = bias, .output_bias = bias},
                                 .feed_forward = {.hidden = 24,
                                                  .width = 40,
                                                  .gated = (kind & kGated) != 0,
                                                  .bias = bias,
                                                  .output_bias = bias,
                                                  .dropout = {5, DropoutSite::inner, DropoutRate(rate)}},
                                 .norm_bias = bias,
                                 .norms_first = (kind & kNormsFirst) != 0,
                                 .norms_attention = (kind & kFirstLayer) == 0,
                                 .layer = 5,
                                 .attention_branch_dropout = rate,
                                 .feed_forward_branch_dropout = rate,
                                 .attention_dropout = rate};
  if (kind & kTurned) config.attention.window = 70;
  if (kind & kTurned) config.attention.rotations = 0;
  if (kind & kPlaced) config.attention.positions = positions_of(kind);
  config.attention.position_dropout = rate;
  return config;
}

}  // namespace

// With the same masks of dropout, which depend on their seed alone.
TEST_CASE("gradients of each kind of layer equal the slope of its loss in a random direction") {
  std::mt19937 random(31);
  Pool pool(2);
  Context context(pool);
  const DropoutSeed seed = {.seed = 4, .step = 2};
  std::vector<Rotations> rotations = {Rotations({.size = 8, .theta = 50})};
  rotations.front().prepare(kOffsets);
  std::vector<int64_t> rows, row_offsets = {0};
  for (size_t s = 0; s + 1 < kOffsets.size(); ++s) {
    for (int64_t row = kOffsets[s]; row < kOffsets[s + 1]; row += 3) rows.push_back(row);
    row_offsets.push_back(std::ssize(rows));
  }
  for (unsigned kind = 0; kind < 256; ++kind) {
    if (kind & kPlaced && kind & (kTurned | kSeen)) continue;  // relative positions see all
    CAPTURE(kind);
    Layout layout;
    const EncoderLayer layer("encoder.layer.0", layer_config(kind), layout);
    std::optional<RelativePositions> positions;
    if (kind & kPlaced) positions.emplace(positions_of(kind), 24, 1e-7f, layout);
    PositionTable table;
    Tensor dpositions;
    Params params(layout), gradients(layout);
    fill(random, params, 0.4f);
    Weights weights(params);
    const Pass pass = {.context = context,
                       .weights = weights,
                       .offsets = kOffsets,
                       .dropout_seed = &seed,
                       .keeps = true,
                       .seen = kind & kSeen ? std::span(kSeenTokens) : std::span<const int64_t>(),
                       .rotations = rotations,
                       .positions = positions ? &table : nullptr,
                       .dpositions = &dpositions};
    const auto forward = [&](const Tensor& from, const std::optional<RowSelection>& selection,
                             EncoderLayer::Workspace& workspace, EncoderLayer::Saved& saved, Tensor& to) {
      if (positions) positions->forward(pass, kOffsets.back(), table);
      layer.forward(pass, from, selection, workspace, saved, to);
    };
    std::optional<RowSelection> selection;
    if (kind & kSelected) selection.emplace(RowSelection{rows, row_offsets});
    const int64_t outputs = selection ? std::ssize(rows) : kOffsets.back();
    const Tensor x = normal_tensor(random, kOffsets.back(), 24), along = normal_tensor(random, x.rows(), 24),
                 dz = normal_tensor(random, outputs, 24);
    const auto directions = normal_numbers(random, std::ssize(params.all()), 0.4f);
    EncoderLayer::Workspace workspace;
    EncoderLayer::Saved saved;
    Tensor z, dx, copy = normal_tensor(random, outputs, 24);
    copy.copy(dz);
    weights.refresh(context);
    forward(x, selection, workspace, saved, z);
    dpositions = filled_tensor(table.rows.rows(), 24, 0);
    layer.backward(pass, x, selection, saved, copy, workspace, gradients, dx);
    gradients.settle(pool);
    if (positions) positions->backward(pass, table, dpositions, gradients);
    double slope = dot(dx, along), squares = 0;
    for (size_t i = 0; i < layout.entries().size(); ++i) {
      const auto gradient = gradients.tensor(static_cast<int>(i));
      const auto* const direction = directions.data() + params.start(static_cast<int>(i));
      slope += std::inner_product(gradient.begin(), gradient.end(), direction, 0.0);
      squares += std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0);
    }
    constexpr float kStep = 1e-3f;
    const std::vector<float> start(params.all().begin(), params.all().end());
    const auto loss_at = [&](float step) {
      Tensor moved = normal_tensor(random, x.rows(), 24);
      for (int64_t row = 0; row < x.rows(); ++row)
        for (int64_t i = 0; i < 24; ++i) moved.row(row)[i] = x.row(row)[i] + step * along.row(row)[i];
      for (size_t i = 0; i < layout.entries().size(); ++i) {
        const auto tensor = params.tensor(static_cast<int>(i));
        const size_t first = params.start(static_cast<int>(i));
        for (size_t k = 0; k < tensor.size(); ++k)
          tensor[k] = start[first + k] + step * directions[first + k];
      }
      weights.refresh(context);
      Tensor out;
      forward(moved, selection, workspace, saved, out);
      return dot(out, dz);
    };
    const auto difference = [&](float step) { return (loss_at(step) - loss_at(-step)) / (2 * double{step}); };
    const double expected =
        (4 * difference(kStep) - difference(2 * kStep)) / 3;  // without the error of step²
    // As large as slopes in random directions are.
    const double usual = std::sqrt(dot(dx, dx) + 0.16 * squares);
    CHECK(std::abs(slope - expected) <= 0.002 * usual);
  }
}
