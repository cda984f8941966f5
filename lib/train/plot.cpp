#include "train/plot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"

extern char** environ;

namespace bert::train {
namespace {

// What a child wrote and how it ended.
struct Result {
  int status = 0;  // of waitpid
  std::string out, error;
};

// A file in memory, for a child to read or to write.
FileDescriptor memory_file(std::string_view content) {
  FileDescriptor file(::memfd_create("gnuplot", MFD_CLOEXEC));
  if (file.get() < 0) throw Error("gnuplot: no memory file: ", std::strerror(errno));
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno != EINTR) throw Error("gnuplot: ", std::strerror(errno));
    if (count > 0) content.remove_prefix(static_cast<size_t>(count));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const FileDescriptor& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  std::string text;
  char block[1 << 14];
  for (;;) {
    const ssize_t count = ::read(file.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("gnuplot: ", std::strerror(errno));
    if (count == 0) return text;
    text.append(block, static_cast<size_t>(count));
  }
}

// Runs gnuplot with `input` on its stdin. All three streams are files in memory, so that nobody waits for
// anybody; no shell takes part, so that no name is ever quoted.
Result run_gnuplot(std::vector<const char*> arguments, std::string_view input) {
  const std::array<FileDescriptor, 3> streams = {memory_file(input), memory_file(""), memory_file("")};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i)
    ::posix_spawn_file_actions_adddup2(&actions, streams[static_cast<size_t>(i)].get(), i);
  arguments.insert(arguments.begin(), "gnuplot");
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, "gnuplot", &actions, nullptr,
                                   const_cast<char* const*>(arguments.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) throw Error("gnuplot is not installed (or not on the PATH), and it draws the plot");
  if (error != 0) throw Error("gnuplot: ", std::strerror(error));
  Result result;
  while (::waitpid(child, &result.status, 0) < 0) {
    if (errno != EINTR) throw Error("gnuplot: ", std::strerror(errno));
  }
  result.out = content_of(streams[1]);
  result.error = content_of(streams[2]);
  return result;
}

// The last line of stderr that says something: gnuplot shows the line of the script first.
std::string complaint(const Result& result) {
  if (WIFSIGNALED(result.status)) return std::string("ended by ") + ::strsignal(WTERMSIG(result.status));
  std::string last = "exit status " + std::to_string(WEXITSTATUS(result.status));
  for (std::string_view rest = result.error; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(" \t^") != line.npos) last = line;
  }
  return last;
}

bool succeeded(const Result& result) { return WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0; }

bool is_loss(const Series& series) { return series.name.ends_with("loss"); }

void append_number(std::string& script, double value) {
  char digits[32];
  script.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// "$d3 << EOD", a line a point, "EOD"
void append_data(std::string& script, size_t number, const Series& series) {
  script += "$d" + std::to_string(number) + " << EOD\n";
  for (const auto& point : series.all()) {
    if (!std::isfinite(point.value)) continue;
    append_number(script, point.step);
    append_number(script += ' ', point.value);
    script += '\n';
  }
  script += "EOD\n";
}

// Of lines, one after another; readable with any eyes (Okabe and Ito 2008).
constexpr std::array kColors = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#000000"};

constexpr std::string_view kDev = "dev_";

// "dev_mlm_loss" -> "mlm_loss"
std::string_view metric_of(const Series& series) {
  std::string_view name = series.name;
  if (name.starts_with(kDev)) name.remove_prefix(kDev.size());
  return name;
}

// One panel. A metric has a colour; on the dev set, where it is measured now and then, its line is dashed and
// its points are marked.
std::string plot_command(const Curve& curve, bool losses) {
  std::string command;
  std::vector<std::string_view> metrics;
  for (size_t i = 0; i < curve.series.size(); ++i) {
    const auto& series = curve.series[i];
    if (is_loss(series) != losses) continue;
    const auto known = std::ranges::find(metrics, metric_of(series));
    const auto color = static_cast<size_t>(known - metrics.begin());
    if (known == metrics.end()) metrics.push_back(metric_of(series));
    command +=
        (command.empty() ? "plot $d" : ", $d") + std::to_string(i) + " with " +
        (series.name.starts_with(kDev) ? "linespoints dashtype 2 pointtype 7 pointsize 0.6" : "lines") +
        " linewidth 1.5 linecolor rgb '" + kColors[color % kColors.size()] + "' title '" + series.name + "'";
  }
  return command;
}

double last_step(const Curve& curve) {
  double last = 1;
  for (const auto& series : curve.series) {
    if (const auto points = series.all(); !points.empty()) last = std::max(last, points.back().step);
  }
  return last;
}

}  // namespace

void require_gnuplot() {
  const auto result = run_gnuplot({"--version"}, "");
  if (!succeeded(result) || !result.out.starts_with("gnuplot"))
    throw Error("gnuplot does not run, and it draws the plot: ", complaint(result));
}

std::string gnuplot_script(const Curve& curve) {
  const auto losses = plot_command(curve, true), others = plot_command(curve, false);
  const int panels = (losses.empty() ? 0 : 1) + (others.empty() ? 0 : 1);
  std::string script = "set terminal svg size 800," + std::to_string(400 * std::max(panels, 1)) +
                       " dynamic noenhanced background 'white'\n";
  for (size_t i = 0; i < curve.series.size(); ++i) append_data(script, i, curve.series[i]);
  // Both panels are as wide, with the same steps below one another.
  script += "set grid\nset key outside right top\nset lmargin 9\nset rmargin 26\nset xlabel 'step'\n";
  constexpr double kMargin = 1.02;  // a point at the end is to be seen
  append_number(script += "set xrange [0:", kMargin * last_step(curve));
  script += "]\n";
  if (panels == 2) script += "set multiplot layout 2,1\n";
  if (!losses.empty()) script += "set ylabel 'loss (nats)'\n" + losses + "\n";
  if (!others.empty()) script += "set ylabel ''\n" + others + "\n";
  if (panels == 2) script += "unset multiplot\n";
  return script;
}

void plot(const Curve& curve, const std::string& path) {
  if (curve.series.empty()) return;
  const auto result = run_gnuplot({"--default-settings", "-"}, gnuplot_script(curve));
  if (!succeeded(result) || result.out.find("</svg>") == result.out.npos)
    throw Error(path, ": gnuplot could not draw it: ", complaint(result));
  OutputFile file(path);
  file.write(result.out);
  file.commit();
}

}  // namespace bert::train
