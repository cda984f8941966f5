#include "nn/relations.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "nn/tables.h"

using namespace bert;
using namespace bert::nn;

namespace {

using Rows = std::vector<std::vector<double>>;

// One network's x and y [length, size], columns of rows that are wider.
struct Side {
  int64_t size, stride;
  float scale;
  std::vector<float> x, y, bias;

  Side(std::mt19937& random, int64_t length, int64_t size, bool biased)
      : size(size),
        stride(size + 16),
        scale(1 / std::sqrt(static_cast<float>(size))),
        x(normal_numbers(random, (length + 16) * stride)),
        y(normal_numbers(random, (length + 16) * stride)),
        bias(normal_numbers(random, biased ? 2 * length - 1 : 0)) {}

  RelationSide columns(int64_t length) const {
    return {.x = x.data(),
            .y = y.data(),
            .stride = stride,
            .size = size,
            .scale = scale,
            .bias = bias.empty() ? nullptr : bias.data() + length - 1};
  }
  Rows scores(int64_t length) const {
    Rows scores(length, std::vector<double>(length));
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t j = 0; j < length; ++j) {
        double sum = bias.empty() ? 0 : bias[length - 1 + j - i];
        for (int64_t c = 0; c < size; ++c) sum += double{x[i * stride + c]} * y[j * stride + c];
        scores[i][j] = sum * scale;
      }
    }
    return scores;
  }
};

std::vector<double> softmax(const std::vector<double>& x) {
  double sum = 0;
  std::vector<double> p;
  for (const double number : x) sum += p.emplace_back(std::exp(number));
  for (double& number : p) number /= sum;
  return p;
}

// The loss of all rows; the student's scores become their gradients.
double slow_loss(bool divergence, Rows& student, const Rows& teacher) {
  double loss = 0;
  for (size_t i = 0; i < student.size(); ++i) {
    const double length = static_cast<double>(student.size());
    const auto p = softmax(teacher[i]), q = softmax(student[i]);
    for (size_t j = 0; j < student.size(); ++j) {
      const double difference = student[i][j] - teacher[i][j];
      loss += divergence ? p[j] * std::log(p[j] / q[j]) : difference * difference / length;
      student[i][j] = divergence ? q[j] - p[j] : 2 * difference / length;
    }
  }
  return loss;
}

void check(const Kernels& kernels, std::mt19937& random, int64_t length, int64_t size, bool divergence) {
  const bool same = random() % 2 == 0, biased = random() % 3 == 0;  // same: x is compared with itself
  Side student(random, length, size, biased);
  const Side teacher(random, length, 1 + random() % 40, biased);
  if (same) student.y = student.x;
  const float weight = 0.25f;
  std::vector<float> dx(student.x.size(), 0.5f), dy = dx;
  std::vector<float> scratch(relation_scratch(length, size, teacher.size) + 16);
  RelationHead head = {.student = student.columns(length),
                       .teacher = teacher.columns(length),
                       .length = length,
                       .divergence = divergence,
                       .weight = weight,
                       .dx = dx.data(),
                       .dy = same ? dx.data() : dy.data(),
                       .gradient_stride = student.stride};
  const double loss = kernels.relate(head, scratch.data());
  INFO(kernels.name, ", ", length, " tokens of ", size, " and ", teacher.size, ", divergence ", divergence);
  auto gradient = student.scores(length);
  const double expected = slow_loss(divergence, gradient, teacher.scores(length));
  CHECK(std::abs(loss - expected) <= 2e-6 * (expected + static_cast<double>(length)));
  double worst = 0, largest = 0;
  for (int64_t i = 0; i < length; ++i) {
    for (int64_t c = 0; c < student.stride; ++c) {
      double of_x = 0, of_y = 0;
      for (int64_t j = 0; j < length && c < size; ++j) {
        of_x += weight * student.scale * gradient[i][j] * student.y[j * student.stride + c];
        of_y += weight * student.scale * gradient[j][i] * student.x[j * student.stride + c];
      }
      const int64_t at = i * student.stride + c;
      largest = std::max({largest, std::abs(of_x), std::abs(of_y)});
      worst = std::max(worst, std::abs(dx[at] - 0.5 - (same ? of_x + of_y : of_x)));
      if (!same) worst = std::max(worst, std::abs(dy[at] - 0.5 - of_y));
    }
  }
  CHECK(worst <= 3e-6 * std::max(1.0, largest));
  head.dx = head.dy = nullptr;
  CHECK(kernels.relate(head, scratch.data()) == loss);
}

}  // namespace

TEST_CASE("losses of relations and their gradients agree with their definitions in double") {
  std::mt19937 random(5);
  for (const auto* kernels : tables())
    for (const int64_t length : {1, 2, 15, 16, 17, 48, 49, 96, 131})
      for (const int64_t size : {1, 8, 13, 16, 64})
        for (const bool divergence : {false, true}) check(*kernels, random, length, size, divergence);
}

TEST_CASE("equal relations have no loss and nearly no gradient") {
  std::mt19937 random(6);
  Side side(random, 70, 12, false);
  for (const auto* kernels : tables()) {
    for (const bool divergence : {false, true}) {
      std::vector<float> dx(side.x.size()), dy = dx, scratch(relation_scratch(70, 12, 12) + 16);
      const double loss = kernels->relate({.student = side.columns(70),
                                           .teacher = side.columns(70),
                                           .length = 70,
                                           .divergence = divergence,
                                           .weight = 1,
                                           .dx = dx.data(),
                                           .dy = dy.data(),
                                           .gradient_stride = side.stride},
                                          scratch.data());
      CHECK(std::abs(loss) <= 1e-6);
      for (const float number : dx) CHECK(std::abs(number) <= 1e-6f);
    }
  }
}

TEST_CASE("the rows of the table of losses of layers are in the order of their names") {
  for (const auto& row : layer_losses()) CHECK(entry(row.loss).name == row.name);
}
