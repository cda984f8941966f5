#include "base/gnuplot.h"

#include <charconv>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"
#include "base/process.h"

namespace bert {
namespace {

ProcessResult run_gnuplot(std::string_view option, std::string_view input) {
  std::vector<std::string> command = {"gnuplot", std::string(option)};
  if (!input.empty()) command.emplace_back("-");
  return run_process(
      command, input,
      opt::plot +
          " needs gnuplot, which is not installed or not on the PATH (on Debian and Ubuntu, the "
          "package gnuplot-nox)");
}

}  // namespace

void require_gnuplot(const std::string& path) {
  if (path.empty() || path == "-") throw Error(opt::plot, " is \"", path, "\", expected the name of a file");
  const auto result = run_gnuplot("--version", "");
  if (!result.succeeded() || !result.out.starts_with("gnuplot"))
    throw Error(opt::plot, " needs gnuplot, which fails: ", result.complaint());
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (!is_directory(folder.string())) throw Error(path, ": no such directory");
  if (is_directory(path)) throw Error(path, ": is a directory, expected the name of a file");
}

std::string gnuplot_version() {
  try {
    const auto result = run_gnuplot("--version", "");
    if (result.succeeded() && result.out.starts_with("gnuplot"))
      return result.out.substr(0, result.out.find('\n'));
  } catch (const Error&) {  // NOLINT: the answer below
  }
  return "gnuplot: not found (" + opt::plot + " needs it)";
}

void draw_plot(std::string_view script, const std::string& path) {
  const auto result = run_gnuplot("--default-settings", script);
  if (!result.succeeded() || result.out.find("</svg>") == result.out.npos)
    throw Error(path, ": gnuplot failed: ", result.complaint());
  OutputFile file(path);
  file.write(result.out);
  file.commit();
}

void append_plot_number(std::string& script, double value) {
  char digits[32];
  script.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace bert
