#include "train/plot.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::train;

namespace {

// $PATH as it is to be found in this scope.
class Path {
 public:
  explicit Path(const std::string& value) : before_(std::getenv("PATH")) {
    ::setenv("PATH", value.c_str(), 1);
  }
  ~Path() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

bool has_gnuplot() {
  try {
    require_gnuplot();
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

// A program of that name whose text is `script`.
void write_program(const Folder& folder, const std::string& script) {
  const auto path = folder.write("gnuplot", "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE("losses are drawn above, other metrics below") {
  Curve curve;
  curve.add("loss", 10, 7.5);
  curve.add("loss", 20, 6.5);
  curve.add("dev_mlm_accuracy", 20, 0.25);
  const auto script = gnuplot_script(curve);
  CHECK(script.find("$d0 << EOD\n10 7.5\n20 6.5\nEOD\n$d1 << EOD\n20 0.25\nEOD\n") != script.npos);
  const auto losses = script.find("plot $d0 with lines "), others = script.find("plot $d1 with linespoints ");
  REQUIRE(others != script.npos);
  CHECK(losses < others);
}

TEST_CASE("gnuplot draws a curve, to a file of any name") {
  if (!has_gnuplot()) {
    MESSAGE("not tried: there is no gnuplot");
    return;
  }
  const Folder folder;
  const auto path = folder.path("it's \"a\" $(plot); `x`\n.svg");
  plot(pretraining_curve(), path);
  const auto svg = read_file(path);
  CHECK(svg.starts_with("<?xml"));
  CHECK(svg.find("</svg>") != svg.npos);
  for (const auto* name : {"loss", "dev_loss", "dev_mlm_accuracy", "step"})
    CHECK_MESSAGE(svg.find(">" + std::string(name) + "<") != svg.npos, name);
  CHECK(svg.find("warning") == svg.npos);
  plot(pretraining_curve(), path);
  CHECK(read_file(path) == svg);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  // One point, and one panel only.
  Curve one;
  one.add("loss", 10, 7.5);
  plot(one, path);
  CHECK(read_file(path).find("</svg>") != std::string::npos);
}

TEST_CASE("without gnuplot there is one clear line, and nothing is written") {
  const Folder folder;
  const Path path(folder.path());
  CHECK_THROWS_WITH_AS(require_gnuplot(),
                       "gnuplot is not installed (or not on the PATH), and it draws the plot", Error);
  CHECK_THROWS_AS(plot(pretraining_curve(), folder.path("x.svg")), Error);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a gnuplot that fails is told with its own words, and nothing is written") {
  const Folder folder;
  const auto old_path = std::string(std::getenv("PATH"));
  const Path path(folder.path() + ":" + old_path);
  const auto target = folder.path("x.svg");
  write_program(folder, "echo 'line 1: no such terminal' >&2\nexit 3\n");
  CHECK_THROWS_WITH_AS(require_gnuplot(),
                       "gnuplot does not run, and it draws the plot: line 1: no such terminal", Error);
  CHECK_THROWS_WITH_AS(plot(pretraining_curve(), target),
                       (target + ": gnuplot could not draw it: line 1: no such terminal").c_str(), Error);
  write_program(folder, "kill -9 $$\n");
  CHECK_THROWS_WITH_AS(plot(pretraining_curve(), target),
                       (target + ": gnuplot could not draw it: ended by Killed").c_str(), Error);
  write_program(folder, "echo '<svg>'\n");  // cut short, though it says all is well
  CHECK_THROWS_AS(plot(pretraining_curve(), target), Error);
  CHECK(!std::filesystem::exists(target));
}

TEST_CASE("a curve without points is not drawn") {
  const Folder folder;
  plot({}, folder.path("x.svg"));
  CHECK(std::filesystem::is_empty(folder.path()));
}
