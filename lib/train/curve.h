// Metrics of a run over time, in bounded memory, for checkpoints, and their plots, drawn by gnuplot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "task/task.h"

namespace bert::train {

struct Point {
  double step = 0, value = 0;
  bool operator==(const Point&) const = default;
};

// Values of one metric over steps. Each point is the mean of `stride` adjacent values. At kMaxPoints points,
// pairs are merged and the stride doubles.
struct Series {
  static constexpr size_t kMaxPoints = 1024;

  std::string name;
  int64_t stride = 1;
  std::vector<Point> points;
  Point sum;          // of values not yet in a point
  int64_t count = 0;  // number of these values

  void add(double step, double value);
  std::vector<Point> all() const;  // points, and the mean of the remaining values
  bool operator==(const Series&) const = default;
};

struct Curve {
  std::vector<Series> series;  // in order of first appearance

  void add(std::string_view name, int64_t step, double value);
  bool operator==(const Curve&) const = default;
};

// Script for gnuplot: panels over steps, as SVG on stdout. Losses, other metrics, and the loss and accuracy
// of next-sentence prediction have a panel each. The series are metrics of `task`.
std::string gnuplot_script(const Curve& curve, task::Task task);

// Draws the curve to `path`, which only appears when complete. Does nothing for a curve without points. If
// gnuplot fails, throws Error with its message.
void plot(const Curve& curve, task::Task task, const std::string& path);

}  // namespace bert::train
