#include "nn/losses.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "reference/slow_losses.h"
#include "reference/slow_training.h"

using namespace bert;
using namespace bert::nn;
using reference::Row;

namespace {

using Random = std::mt19937;

int64_t below(Random& random, int64_t limit) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
}

// The result of a loss, and the expected result from the reference.
struct Result {
  Loss loss;
  std::vector<float> gradient;  // including the padding after the columns
};
struct Expected {
  double sum = 0, weight_of_all = 0;  // Σ |importance|
  int64_t correct = 0;
  std::vector<Row> gradient;  // per row, without the weight
};

// Rows [R,C] of mixed sizes: some tiny, some ±80, some with ties, some all equal.
std::vector<Row> random_rows(Random& random, int64_t rows, int64_t cols) {
  std::vector<Row> numbers(static_cast<size_t>(rows), Row(static_cast<size_t>(cols)));
  for (auto& row : numbers) {
    constexpr double kSizes[] = {0.01, 1, 5, 80};
    const double size = kSizes[random() % 4];
    const bool ties = random() % 4 == 0;
    std::uniform_real_distribution<float> uniform(static_cast<float>(-size), static_cast<float>(size));
    for (double& value : row) value = ties ? size * static_cast<double>(random() % 3) : uniform(random);
    if (random() % 16 == 0) std::ranges::fill(row, size);
    for (double& value : row) value = static_cast<float>(value);
  }
  return numbers;
}

// The rows as a tensor, with NaN in the padding that must not be read.
Tensor tensor_of(const std::vector<Row>& rows, int64_t cols) {
  Tensor x(static_cast<int64_t>(rows.size()), cols);
  for (size_t r = 0; r < rows.size(); ++r) {
    float* const at = x.row(static_cast<int64_t>(r));
    std::fill(at, at + x.stride(), std::numeric_limits<float>::quiet_NaN());
    std::ranges::transform(rows[r], at, [](double value) { return static_cast<float>(value); });
  }
  return x;
}

using Compute = std::function<Loss(Context&, Tensor&)>;

Result result_with(int threads, const std::vector<Row>& rows, int64_t cols, const Compute& compute) {
  Pool pool(threads);
  Context context(pool);
  Tensor x = tensor_of(rows, cols);
  Result result = {.loss = compute(context, x), .gradient = {}};
  for (int64_t r = 0; r < x.rows(); ++r)
    result.gradient.insert(result.gradient.end(), x.row(r), x.row(r) + x.stride());
  return result;
}

bool same_bits(const Result& a, const Result& b) {
  return std::memcmp(&a.loss.sum, &b.loss.sum, sizeof a.loss.sum) == 0 && a.loss.correct == b.loss.correct &&
         a.gradient.size() == b.gradient.size() &&
         std::memcmp(a.gradient.data(), b.gradient.data(), a.gradient.size() * sizeof(float)) == 0;
}

// Rows may be shorter than the columns; the rest must be zero. Gradient errors are relative to the weight
// times `largest`, the size of an unweighted gradient.
void check(const Result& result, const Expected& expected, float weight, double largest = 1) {
  const double bound = 3e-7 * (expected.sum + expected.weight_of_all);
  CHECK(std::abs(result.loss.sum - expected.sum) <= bound);
  CHECK(result.loss.correct == expected.correct);
  const size_t stride = result.gradient.size() / expected.gradient.size();
  double worst = 0;
  bool zeros = true;
  for (size_t r = 0; r < expected.gradient.size(); ++r) {
    for (size_t c = 0; c < stride; ++c) {
      const double found = result.gradient[r * stride + c];
      if (c < expected.gradient[r].size()) {
        const double error = std::abs(found - weight * expected.gradient[r][c]);
        worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
      } else {
        zeros = zeros && found == 0;
      }
    }
  }
  CHECK(worst <= 3e-7 * largest * static_cast<double>(weight));
  CHECK(zeros);
}

void check_all(const std::vector<Row>& rows, int64_t cols, const Compute& compute, const Expected& expected,
               float weight, double largest = 1) {
  const Result one = result_with(1, rows, cols, compute);
  check(one, expected, weight, largest);
  CHECK(same_bits(one, result_with(3, rows, cols, compute)));
}

size_t first_of_highest(const Row& row) {
  return static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

int32_t random_gold(Random& random, const Row& row) {  // first, last, highest or any column
  const size_t places[] = {0, row.size() - 1, first_of_highest(row),
                           static_cast<size_t>(below(random, static_cast<int64_t>(row.size())))};
  return static_cast<int32_t>(places[random() % 4]);
}

void add_cross_entropy(Expected& expected, const Row& row, int32_t gold, double importance) {
  const auto place = static_cast<size_t>(gold);
  expected.sum += importance * reference::cross_entropy(row, place);
  expected.weight_of_all += importance;
  expected.correct += first_of_highest(row) == place;
  Row gradient = reference::cross_entropy_gradient(row, place);
  for (double& value : gradient) value *= importance;
  expected.gradient.push_back(gradient);
}

float random_weight(Random& random) { return std::exp2(static_cast<float>(below(random, 12)) - 8) * 1.1f; }

}  // namespace

TEST_CASE("the reference gradients equal central differences of the losses") {
  Random random(1);
  for (const size_t cols : {1, 2, 3, 9}) {
    for (size_t gold = 0; gold < cols; ++gold) {
      Row x(cols);
      for (double& value : x) value = std::normal_distribution<double>(0, 3)(random);
      const Row slope = reference::central_differences(x, [&] { return reference::cross_entropy(x, gold); });
      const Row gradient = reference::cross_entropy_gradient(x, gold);
      for (size_t c = 0; c < cols; ++c) CHECK(std::abs(slope[c] - gradient[c]) < 1e-9);
    }
  }
  for (double x = -20.05; x < 20; x += 0.1) {
    for (const double target : {0.0, 1.0, 0.3}) {
      Row at = {x};
      const Row slope =
          reference::central_differences(at, [&] { return reference::binary_cross_entropy(at[0], target); });
      CHECK(std::abs(slope[0] - reference::binary_cross_entropy_gradient(x, target)) < 1e-9);
    }
  }
}

TEST_CASE("softmax loss matches double precision for any number of columns") {
  Random random(2);
  for (int64_t cols = 1; cols <= 300; cols += cols < 140 ? 1 : 7) {
    const int64_t count = 1 + below(random, 40);
    const auto rows = random_rows(random, count, cols);
    const float weight = random_weight(random);
    std::vector<int32_t> gold;
    Expected expected;
    for (const Row& row : rows) {
      gold.push_back(random_gold(random, row));
      add_cross_entropy(expected, row, gold.back(), 1);
    }
    INFO(count, " rows of ", cols);
    const Compute compute = [&](Context& context, Tensor& x) {
      const Loss loss = softmax_loss(context, {.gold = gold}, weight, x);
      CHECK(loss.count == count);
      return loss;
    };
    check_all(rows, cols, compute, expected, weight);
  }
}

TEST_CASE("softmax loss with row lengths and importance matches double precision") {
  Random random(3);
  for (int turn = 0; turn < 300; ++turn) {
    const int64_t count = 1 + below(random, 40), cols = 1 + below(random, 300);
    auto rows = random_rows(random, count, cols);
    const float weight = random_weight(random);
    std::vector<int32_t> gold;
    std::vector<int64_t> lengths;
    std::vector<float> importance;
    Expected expected;
    for (Row& row : rows) {
      const int64_t length = turn % 3 == 0 ? cols : 1 + below(random, cols);
      row.resize(static_cast<size_t>(length));  // the rest of the row is NaN
      lengths.push_back(length);
      gold.push_back(random_gold(random, row));
      importance.push_back(turn % 3 == 1 ? 1 : static_cast<float>(below(random, 9)) / 8);
      add_cross_entropy(expected, row, gold.back(), importance.back());
    }
    INFO(count, " rows of up to ", cols);
    const SoftmaxRows of = {
        .gold = gold,
        .lengths = turn % 3 == 0 ? std::span<const int64_t>() : std::span<const int64_t>(lengths),
        .importance = turn % 3 == 1 ? std::span<const float>() : std::span<const float>(importance)};
    const Compute compute = [&](Context& context, Tensor& x) { return softmax_loss(context, of, weight, x); };
    check_all(rows, cols, compute, expected, weight);
  }
}

TEST_CASE("place_loss is a softmax over each column of each group") {
  Random random(4);
  for (int turn = 0; turn < 300; ++turn) {
    const int64_t groups = 1 + below(random, 12), cols = turn % 2 == 0 ? 2 : 1 + below(random, 70);
    const float weight = random_weight(random);
    std::vector<int64_t> offsets = {0};
    std::vector<int32_t> gold;
    std::vector<Row> rows;
    Expected expected;
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t length = 1 + below(random, turn % 4 == 0 ? 4 : 100);
      const auto first = static_cast<size_t>(offsets.back());
      offsets.push_back(offsets.back() + length);
      const auto columns = random_rows(random, cols, length);
      rows.resize(rows.size() + static_cast<size_t>(length), Row(static_cast<size_t>(cols)));
      expected.gradient.resize(rows.size(), Row(static_cast<size_t>(cols)));
      for (size_t c = 0; c < columns.size(); ++c) {
        gold.push_back(random_gold(random, columns[c]));
        Expected one;
        add_cross_entropy(one, columns[c], gold.back(), 1);
        expected.sum += one.sum;
        expected.weight_of_all += 1;
        expected.correct += one.correct;
        for (size_t place = 0; place < columns[c].size(); ++place) {
          rows[first + place][c] = columns[c][place];
          expected.gradient[first + place][c] = one.gradient[0][place];
        }
      }
    }
    INFO(groups, " groups of ", cols, " columns");
    const Compute compute = [&](Context& context, Tensor& x) {
      const Loss loss = place_loss(context, offsets, gold, weight, x);
      CHECK(loss.count == groups * cols);
      return loss;
    };
    check_all(rows, cols, compute, expected, weight);
  }
}

TEST_CASE("squared loss matches double precision") {
  Random random(5);
  for (int turn = 0; turn < 100; ++turn) {
    const int64_t count = 1 + below(random, 300);
    const auto rows = random_rows(random, count, 1);
    const float weight = random_weight(random);
    std::vector<float> targets;
    Expected expected;
    for (const Row& row : rows) {
      const auto near = static_cast<float>(row[0]);
      targets.push_back(random() % 3 == 0 ? near : near + static_cast<float>(below(random, 200)) / 7 - 14);
      const double difference = row[0] - targets.back();
      expected.sum += difference * difference;
      expected.gradient.push_back({2 * difference});
    }
    INFO(count, " rows");
    const Compute compute = [&](Context&, Tensor& x) {
      const Loss loss = squared_loss(targets, weight, x);
      CHECK(loss.count == count);
      return loss;
    };
    check_all(rows, 1, compute, expected, weight, 2 * 14);
  }
}

TEST_CASE("logistic loss matches double precision for any number of columns") {
  Random random(6);
  for (int64_t cols = 1; cols <= 300; cols += cols < 70 ? 1 : 23) {
    const int64_t count = 1 + below(random, 40);
    const auto rows = random_rows(random, count, cols);
    const float weight = random_weight(random);
    std::vector<float> targets;
    Expected expected;
    for (const Row& row : rows) {
      auto& gradient = expected.gradient.emplace_back();
      for (const double x : row) {
        const float target = targets.emplace_back(static_cast<float>(random() % 2));
        expected.sum += reference::binary_cross_entropy(x, target);
        expected.correct += (x > 0) == (target == 1);
        gradient.push_back(reference::binary_cross_entropy_gradient(x, target));
      }
    }
    INFO(count, " rows of ", cols);
    const Compute compute = [&](Context&, Tensor& x) {
      const Loss loss = logistic_loss(targets, weight, x);
      CHECK(loss.count == count * cols);
      return loss;
    };
    check_all(rows, cols, compute, expected, weight);
  }
}

TEST_CASE("a NaN affects the loss and the gradient of its own row only") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<int32_t> gold = {1, 1, 1};
  const std::vector<Row> rows = {{1, 2, 3}, {1, kNan, 3}, {1, 2, 3}};
  const auto result = result_with(
      1, rows, 3, [&](Context& context, Tensor& x) { return softmax_loss(context, {.gold = gold}, 1, x); });
  CHECK(std::isnan(result.loss.sum));
  const size_t stride = result.gradient.size() / 3;
  for (size_t c = 0; c < 3; ++c) {
    CHECK(std::isfinite(result.gradient[c]));
    CHECK(std::isnan(result.gradient[stride + c]));
    CHECK(std::isfinite(result.gradient[2 * stride + c]));
  }
}

TEST_CASE("losses are added component by component") {
  Loss sum = {.sum = 1.5, .correct = 2, .count = 3};
  sum += {.sum = 0.25, .correct = 1, .count = 4};
  CHECK(sum.sum == 1.75);
  CHECK(sum.correct == 3);
  CHECK(sum.count == 7);
}
