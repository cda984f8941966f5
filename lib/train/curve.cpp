#include "train/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/gnuplot.h"
#include "metric/metrics.h"
#include "train/training_log.h"

namespace bert::train {
namespace {

using metric::Unit;

// Appends "$d3 << EOD", one line for each point, "EOD".
void append_data(std::string& script, size_t number, const Series& series) {
  script += "$d" + std::to_string(number) + " << EOD\n";
  for (const auto& point : series.all()) {
    if (!std::isfinite(point.value)) continue;
    append_plot_number(script, point.step);
    append_plot_number(script += ' ', point.value);
    script += '\n';
  }
  script += "EOD\n";
}

// Line colors, distinguishable with color blindness (Okabe and Ito 2008), and gray.
constexpr std::array kColors = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                "#56b4e9", "#cc79a7", "#000000", "#999999"};

// A series of a curve, and what the table of metrics says about it.
struct Line {
  size_t number = 0;  // of the series
  const Series* series = nullptr;
  const metric::Metric* metric = nullptr;
  bool is_dev = false;

  bool is_loss() const { return metric->unit == Unit::loss; }
  bool is_nsp() const { return metric->needs == metric::Needs::next_sentence; }
};

// The lines to draw. Without next-sentence prediction, the loss is the MLM loss, so one line would hide the
// other. Thresholds of answers are no metrics.
std::vector<Line> lines_of(const Curve& curve, task::Task task) {
  std::vector<Line> lines;
  for (size_t i = 0; i < curve.series.size(); ++i) {
    std::string_view name = curve.series[i].name;
    const bool is_dev = name.starts_with(kDevPrefix);
    if (is_dev) name.remove_prefix(kDevPrefix.size());
    if (const auto* metric = metric::find_metric(name, task))
      lines.push_back({i, &curve.series[i], metric, is_dev});
  }
  const bool has_nsp = std::ranges::any_of(lines, &Line::is_nsp);
  std::erase_if(lines, [&](const Line& line) {
    const bool is_part = line.is_loss() && line.metric->name != metric::kLoss;
    return line.metric->better == metric::Better::neither || (is_part && !has_nsp);
  });
  return lines;
}

// A panel has one unit and one axis, so that no curve is flattened by the scale of another.
struct Panel {
  std::string_view title;
  bool (*shows)(const Line& line);
};

constexpr std::array kPanels = {
    Panel{"Loss", [](const Line& line) { return line.is_loss() && !line.is_nsp(); }},
    Panel{"Metrics", [](const Line& line) { return !line.is_loss() && !line.is_nsp(); }},
    Panel{"Next-sentence prediction: loss", [](const Line& line) { return line.is_loss() && line.is_nsp(); }},
    Panel{"Next-sentence prediction: accuracy",
          [](const Line& line) { return !line.is_loss() && line.is_nsp(); }},
};

// Command for a panel. Each metric has a color. Its dev line is dashed with marked points, since evaluations
// are infrequent.
std::string plot_command(const std::vector<Line>& lines) {
  std::string command;
  std::vector<std::string_view> metrics;
  for (const auto& [number, series, metric, is_dev] : lines) {
    const auto known = std::ranges::find(metrics, metric->name);
    const auto color = static_cast<size_t>(known - metrics.begin());
    if (known == metrics.end()) metrics.push_back(metric->name);
    command += (command.empty() ? "plot $d" : ", $d") + std::to_string(number) + " with " +
               (is_dev ? "linespoints dashtype 2 pointtype 7 pointsize 0.6" : "lines") +
               " linewidth 1.5 linecolor rgb '" + kColors[color % kColors.size()] + "' title '" +
               series->name + "'";
  }
  return command;
}

// A loss is in nats if another metric shows that it is a cross-entropy; that of a regression, whose metrics
// are correlations, is a squared error.
std::string_view y_label(const std::vector<Line>& lines, const std::vector<Line>& all) {
  const auto have = [&](Unit unit) {
    return std::ranges::all_of(lines, [&](const Line& line) { return line.metric->unit == unit; });
  };
  const bool cross_entropy = std::ranges::any_of(
      all, [](const Line& line) { return !line.is_loss() && line.metric->unit != Unit::correlation; });
  if (have(Unit::loss)) return cross_entropy ? "loss (nats)" : "loss";
  return have(Unit::accuracy) ? "accuracy" : have(Unit::percent) ? "percent" : "value";
}

double last_step(const Curve& curve) {
  double last = 1;
  for (const auto& series : curve.series) {
    if (const auto points = series.all(); !points.empty()) last = std::max(last, points.back().step);
  }
  return last;
}

}  // namespace

void Series::add(double step, double value) {
  sum.step += step;
  sum.value += value;
  if (++count < stride) return;
  const double n = count;
  points.push_back({sum.step / n, sum.value / n});
  sum = {};
  count = 0;
  if (points.size() < kMaxPoints) return;
  for (size_t i = 0; i < kMaxPoints / 2; ++i) {
    const Point &a = points[2 * i], &b = points[2 * i + 1];
    points[i] = {(a.step + b.step) / 2, (a.value + b.value) / 2};
  }
  points.resize(kMaxPoints / 2);
  stride *= 2;
}

std::vector<Point> Series::all() const {
  auto every = points;
  const double n = count;
  if (count > 0) every.push_back({sum.step / n, sum.value / n});
  return every;
}

void Curve::add(std::string_view name, int64_t step, double value) {
  auto found = std::ranges::find(series, name, &Series::name);
  if (found == series.end()) {
    series.push_back({.name = std::string(name)});
    found = series.end() - 1;
  }
  found->add(step, value);
}

std::string gnuplot_script(const Curve& curve, task::Task task) {
  const auto all = lines_of(curve, task);
  std::vector<std::string> panels;
  for (const auto& panel : kPanels) {
    std::vector<Line> lines;
    std::ranges::copy_if(all, std::back_inserter(lines), panel.shows);
    if (lines.empty()) continue;
    panels.push_back("set title '" + std::string(panel.title) + "'\nset ylabel '" +
                     std::string(y_label(lines, all)) + "'\n" + plot_command(lines) + "\n");
  }
  constexpr size_t kPanelHeight = 320;
  std::string script = "set terminal svg size 880," +
                       std::to_string(kPanelHeight * std::max<size_t>(panels.size(), 1)) +
                       " dynamic noenhanced background 'white'\n";
  for (size_t i = 0; i < curve.series.size(); ++i) append_data(script, i, curve.series[i]);
  // All panels have the same width and x-range.
  script +=
      "set grid\nset key at graph 1.02, graph 1 left top Left reverse\nset lmargin 10\nset rmargin 36\nset "
      "xlabel 'step'\n";
  constexpr double kMargin = 1.02;  // keep a point at the end visible
  append_plot_number(script += "set xrange [0:", kMargin * last_step(curve));
  script += "]\nset multiplot layout " + std::to_string(std::max<size_t>(panels.size(), 1)) + ",1\n";
  for (const auto& panel : panels) script += panel;
  return script + "unset multiplot\n";
}

void plot(const Curve& curve, task::Task task, const std::string& path) {
  if (curve.series.empty()) return;
  draw_plot(gnuplot_script(curve, task), path);
}

}  // namespace bert::train
