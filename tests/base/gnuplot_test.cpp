#include "base/gnuplot.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "ckpt/written_files.h"

namespace bert {
namespace {

// Sets $PATH within a scope.
class Path {
 public:
  explicit Path(const std::string& value) : before_(std::getenv("PATH")) {
    ::setenv("PATH", value.c_str(), 1);
  }
  ~Path() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

// An executable named gnuplot that runs `script`.
void write_program(const Folder& folder, const std::string& script) {
  const auto path = folder.write("gnuplot", "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

TEST_CASE("without gnuplot there is a one-line error and no file") {
  const Folder folder;
  const Path path(folder.path());
  CHECK_THROWS_WITH_AS(
      require_gnuplot("x.svg"),
      "--plot needs gnuplot, which is not installed or not on the PATH (on Debian and Ubuntu, the "
      "package gnuplot-nox)",
      Error);
  CHECK_THROWS_AS(draw_plot("plot x", folder.path("x.svg")), Error);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a gnuplot failure is reported with its message, and no file is written") {
  const Folder folder;
  const auto old_path = std::string(std::getenv("PATH"));
  const Path path(folder.path() + ":" + old_path);
  const auto target = folder.path("x.svg");
  write_program(folder, "echo 'line 1: no such terminal' >&2\nexit 3\n");
  CHECK_THROWS_WITH_AS(require_gnuplot("x.svg"),
                       "--plot needs gnuplot, which fails: line 1: no such terminal", Error);
  CHECK_THROWS_WITH_AS(draw_plot("plot x", target),
                       (target + ": gnuplot failed: line 1: no such terminal").c_str(), Error);
  write_program(folder, "kill -9 $$\n");
  CHECK_THROWS_WITH_AS(draw_plot("plot x", target),
                       (target + ": gnuplot failed: terminated by signal: Killed").c_str(), Error);
  write_program(folder, "echo '<svg>'\n");  // truncated output, although the exit code is 0
  CHECK_THROWS_AS(draw_plot("plot x", target), Error);
  CHECK(!std::filesystem::exists(target));
}

TEST_CASE("a plot in a missing folder is refused before the work") {
  const Folder folder;
  const auto old_path = std::string(std::getenv("PATH"));
  const Path path(folder.path() + ":" + old_path);
  write_program(folder, "echo gnuplot 5.4\n");
  require_gnuplot(folder.path("x.svg"));
  require_gnuplot("x.svg");
  const auto missing = folder.path("missing/x.svg");
  CHECK_THROWS_WITH_AS(require_gnuplot(missing), (missing + ": no such directory").c_str(), Error);
}

}  // namespace
}  // namespace bert
