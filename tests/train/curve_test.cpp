#include "train/curve.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/gnuplot.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::train;
using task::Task;

namespace {

bool has_gnuplot() {
  try {
    require_gnuplot("plot.svg");
    return true;
  } catch (const Error&) {
    return false;
  }
}

Curve pretraining_curve() {
  Curve curve;
  for (int step = 1; step <= 3000; ++step) curve.add("loss", 10 * step, 6 + 4.0 / step);
  for (int step = 1; step <= 5; ++step) {
    curve.add("dev_loss", 1000 * step, 7 - 0.1 * step);
    curve.add("dev_mlm_accuracy", 1000 * step, 0.05 * step);
  }
  return curve;
}

}  // namespace

TEST_CASE("a short curve keeps its values, by name") {
  Curve curve;
  curve.add("loss", 10, 7.5);
  curve.add("dev_loss", 10, 8);
  curve.add("loss", 20, 6.5);
  REQUIRE(curve.series.size() == 2);
  CHECK(curve.series[0].name == "loss");
  CHECK(curve.series[0].all() == std::vector<Point>{{10, 7.5}, {20, 6.5}});
  CHECK(curve.series[1].all() == std::vector<Point>{{10, 8}});
}

TEST_CASE("a long curve is averaged into a bounded number of points over all of its values") {
  Series series;
  constexpr int kValues = 1'000'003;
  for (int step = 1; step <= kValues; ++step) series.add(step, 3 + 2.0 / kValues * step);
  CHECK(series.points.size() < Series::kMaxPoints);
  CHECK(series.points.size() >= Series::kMaxPoints / 2 - 1);
  double previous = 0, weight = 0, sum = 0;
  for (const auto& point : series.all()) {
    CHECK(point.step > previous);
    CHECK(std::abs(point.value - (3 + 2.0 / kValues * point.step)) < 1e-9);
    previous = point.step;
  }
  for (const auto& point : series.points) {
    weight += static_cast<double>(series.stride);
    sum += point.value * static_cast<double>(series.stride);
  }
  weight += static_cast<double>(series.count);
  sum += series.sum.value;
  CHECK(weight == kValues);
  CHECK(std::abs(sum / weight - (3 + 1.0 / kValues * (kValues + 1))) < 1e-9);
}

TEST_CASE("losses, metrics and next-sentence prediction have panels of their own") {
  Curve curve;
  for (const auto* name : {"loss", "mlm_loss", "nsp_loss", "mlm_accuracy", "nsp_accuracy", "dev_nsp_loss"})
    curve.add(name, 10, 0.5);
  curve.add("loss", 20, 6.5);
  const auto script = gnuplot_script(curve, Task::pretrain);
  CHECK(script.find("$d0 << EOD\n10 0.5\n20 6.5\nEOD\n$d1 << EOD\n10 0.5\nEOD\n") != script.npos);
  size_t at = 0;  // the panels appear in this order
  for (const auto* panel :
       {"set title 'Loss'\nset ylabel 'loss (nats)'\nplot $d0 with lines ", "title 'loss', $d1 with lines ",
        "title 'mlm_loss'\nset title 'Metrics'\nset ylabel 'accuracy'\nplot $d3 ",
        "title 'mlm_accuracy'\nset title 'Next-sentence prediction: loss'\n",
        "set ylabel 'loss (nats)'\nplot $d2 ", "title 'nsp_loss', $d5 with linespoints ",
        "title 'dev_nsp_loss'\nset title 'Next-sentence prediction: accuracy'\n",
        "set ylabel 'accuracy'\nplot $d4 ", "title 'nsp_accuracy'\nunset multiplot\n"}) {
    at = script.find(panel, at);
    REQUIRE_MESSAGE(at != script.npos, panel);
  }
}

TEST_CASE("without next-sentence prediction, the MLM loss is not drawn over the equal loss") {
  Curve curve;
  for (const auto* name : {"loss", "mlm_loss", "dev_loss", "dev_mlm_loss"}) curve.add(name, 10, 7.5);
  const auto script = gnuplot_script(curve, Task::pretrain);
  CHECK(script.find("layout 1,1") != script.npos);
  CHECK(script.find("title 'dev_loss'") != script.npos);
  CHECK(script.find("mlm_loss") == script.npos);
}

TEST_CASE("metrics of answers are percentages, without their thresholds") {
  Curve curve;
  for (const auto* name : {"loss", "dev_exact_match", "dev_best_f1_threshold"}) curve.add(name, 10, 0.5);
  const auto script = gnuplot_script(curve, Task::answer);
  CHECK(script.find("set ylabel 'loss (nats)'\nplot $d0 ") != script.npos);
  CHECK(script.find("set ylabel 'percent'\nplot $d1 ") != script.npos);
  CHECK(script.find("threshold") == script.npos);
}

TEST_CASE("the loss of a regression, a squared error, is not in nats") {
  Curve curve;
  for (const auto* name : {"loss", "dev_loss", "dev_pearson"}) curve.add(name, 10, 0.5);
  CHECK(gnuplot_script(curve, Task::regress).find("set title 'Loss'\nset ylabel 'loss'\nplot $d0 ") !=
        std::string::npos);
}

TEST_CASE("a panel of various metrics has no unit of one of them") {
  Curve curve;
  for (const auto* name : {"loss", "accuracy", "dev_f1"}) curve.add(name, 10, 0.5);
  CHECK(gnuplot_script(curve, Task::classify).find("set title 'Metrics'\nset ylabel 'value'\nplot $d1 ") !=
        std::string::npos);
}

TEST_CASE("gnuplot plots a curve to a file of any name") {
  if (!has_gnuplot()) {
    MESSAGE("skipped: gnuplot is not installed");
    return;
  }
  const Folder folder;
  const auto path = folder.path("it's \"a\" $(plot); `x`\n.svg");
  plot(pretraining_curve(), Task::pretrain, path);
  const auto svg = read_file(path);
  CHECK(svg.starts_with("<?xml"));
  CHECK(svg.find("</svg>") != svg.npos);
  for (const auto* name : {"loss", "dev_loss", "dev_mlm_accuracy", "step", "Loss", "Metrics", "accuracy"})
    CHECK_MESSAGE(svg.find(">" + std::string(name) + "<") != svg.npos, name);
  CHECK(svg.find("warning") == svg.npos);
  plot(pretraining_curve(), Task::pretrain, path);
  CHECK(read_file(path) == svg);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  // A single point in a single panel.
  Curve one;
  one.add("loss", 10, 7.5);
  plot(one, Task::pretrain, path);
  CHECK(read_file(path).find("</svg>") != std::string::npos);
}

TEST_CASE("an empty curve is not plotted") {
  const Folder folder;
  plot({}, Task::pretrain, folder.path("x.svg"));
  CHECK(std::filesystem::is_empty(folder.path()));
}
