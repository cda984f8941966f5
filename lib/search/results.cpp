#include "search/results.h"

#include <cmath>
#include <limits>

#include "json/json.h"

namespace bert::search {
namespace {

// The last number in the direction of `toward` that f32 rounds to `score`: half way to the next number in
// f32.
double rounding_bound(float score, float toward) {
  const float next = std::nextafter(score, toward);
  const double middle = (score + static_cast<double>(next)) / 2;
  return static_cast<float>(middle) == score ? middle : std::nextafter(middle, score);
}

}  // namespace

float rounded(double value) {
  if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max()))
    return value > 0 ? INFINITY : -INFINITY;
  return value;
}

// + 0.0 makes -0 a 0.
float score_of(Metric metric, double value) {
  return rounded(metric == Metric::l2 ? std::sqrt(-value) : value + 0.0);
}

void append_score(std::string& out, Metric metric, double value, int precision) {
  json::append_number(out, score_of(metric, value), precision);
}

double value_at(Metric metric, double threshold) {
  const double bound = rounding_bound(threshold, metric == Metric::l2 ? INFINITY : -INFINITY);
  if (metric != Metric::l2) return bound;
  double square = bound * bound;  // the largest whose root is at most the bound
  while (std::sqrt(square) > bound) square = std::nextafter(square, 0.0);
  for (double next; std::sqrt(next = std::nextafter(square, HUGE_VAL)) <= bound;) square = next;
  return -square;
}

}  // namespace bert::search
