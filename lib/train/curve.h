// The course of a run in bounded memory: what a plot shows, and what a snapshot keeps of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert::train {

struct Point {
  double step = 0, value = 0;
  bool operator==(const Point&) const = default;
};

// Values of one name over steps. Each point is the mean of `stride` neighbours; when there are kMaxPoints of
// them, every two become one and the stride doubles.
struct Series {
  static constexpr size_t kMaxPoints = 1024;

  std::string name;
  int64_t stride = 1;
  std::vector<Point> points;
  Point sum;          // of values that do not make a point yet
  int64_t count = 0;  // of these

  void add(double step, double value);
  std::vector<Point> all() const;  // points, and the mean of the rest
  bool operator==(const Series&) const = default;
};

struct Curve {
  std::vector<Series> series;  // in the order in which names were first seen

  void add(std::string_view name, int64_t step, double value);
  bool operator==(const Curve&) const = default;
};

}  // namespace bert::train
