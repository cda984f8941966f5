#include "train/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/gnuplot.h"

namespace bert::train {
namespace {

bool is_loss(const Series& series) { return series.name.ends_with("loss"); }

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

constexpr std::string_view kDev = "dev_";

// "dev_mlm_loss" -> "mlm_loss"
std::string_view metric_of(const Series& series) {
  std::string_view name = series.name;
  if (name.starts_with(kDev)) name.remove_prefix(kDev.size());
  return name;
}

// A panel has one unit and one axis, so that no curve is flattened by the scale of another.
struct Panel {
  std::string_view title;
  bool (*shows)(const Series& series);
};

bool is_nsp(const Series& series) { return metric_of(series).starts_with("nsp_"); }

constexpr std::array kPanels = {
    Panel{"Loss", [](const Series& s) { return is_loss(s) && !is_nsp(s); }},
    Panel{"Metrics", [](const Series& s) { return !is_loss(s) && !is_nsp(s); }},
    Panel{"Next-sentence prediction: loss", [](const Series& s) { return is_loss(s) && is_nsp(s); }},
    Panel{"Next-sentence prediction: accuracy", [](const Series& s) { return !is_loss(s) && is_nsp(s); }},
};

// Without next-sentence prediction, the loss is the MLM loss, so one line would hide the other. Thresholds of
// answers are no metrics.
bool is_hidden(const Series& series, const Curve& curve) {
  if (series.name.ends_with("_threshold")) return true;
  return metric_of(series) == "mlm_loss" && std::ranges::none_of(curve.series, is_nsp);
}

// Command for one panel, or "" if it is empty. Each metric has a color. Its dev line is dashed with marked
// points, since evaluations are infrequent.
std::string plot_command(const Curve& curve, const Panel& panel) {
  std::string command;
  std::vector<std::string_view> metrics;
  for (size_t i = 0; i < curve.series.size(); ++i) {
    const auto& series = curve.series[i];
    if (!panel.shows(series) || is_hidden(series, curve)) continue;
    const auto known = std::ranges::find(metrics, metric_of(series));
    const size_t color = known - metrics.begin();
    if (known == metrics.end()) metrics.push_back(metric_of(series));
    command +=
        (command.empty() ? "plot $d" : ", $d") + std::to_string(i) + " with " +
        (series.name.starts_with(kDev) ? "linespoints dashtype 2 pointtype 7 pointsize 0.6" : "lines") +
        " linewidth 1.5 linecolor rgb '" + kColors[color % kColors.size()] + "' title '" + series.name + "'";
  }
  return command;
}

bool is_accuracy(const Series& series) { return series.name.ends_with("accuracy"); }

// Whether the task's metric shows that its loss is a cross-entropy; that of a regression is a squared error.
bool shows_cross_entropy(const Series& series) {
  const auto metric = metric_of(series);
  return !is_loss(series) && metric != "pearson" && metric != "spearman";
}

std::string_view y_label(const Curve& curve, const Panel& panel) {
  std::vector<Series> shown;
  std::ranges::copy_if(curve.series, std::back_inserter(shown), panel.shows);
  if (std::ranges::any_of(shown, is_loss))
    return std::ranges::any_of(curve.series, shows_cross_entropy) ? "loss (nats)" : "loss";
  if (std::ranges::all_of(shown, is_accuracy)) return "accuracy";
  const bool of_answers =
      std::ranges::any_of(shown, [](const Series& series) { return metric_of(series) == "exact_match"; });
  return of_answers ? "percent" : "value";
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

std::string gnuplot_script(const Curve& curve) {
  std::vector<std::string> panels;
  for (const auto& panel : kPanels) {
    const auto command = plot_command(curve, panel);
    if (command.empty()) continue;
    panels.push_back("set title '" + std::string(panel.title) + "'\nset ylabel '" +
                     std::string(y_label(curve, panel)) + "'\n" + command + "\n");
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

void plot(const Curve& curve, const std::string& path) {
  if (curve.series.empty()) return;
  draw_plot(gnuplot_script(curve), path);
}

}  // namespace bert::train
