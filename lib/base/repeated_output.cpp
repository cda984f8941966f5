#include "base/repeated_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/error.h"

namespace bert {
namespace {

struct Parent {
  std::string name;
  double start;  // seconds of the system's clock
};

double seconds_of(const timespec& time) {
  constexpr double kNano = 1e-9;
  return time.tv_sec + kNano * time.tv_nsec;
}

double now(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return seconds_of(time);
}

// From /proc/PID/stat, "17 (find) S 1 ...": the name may contain anything, and the 20th number after the
// state is the start in ticks since the system started.
std::optional<Parent> parent() {
  constexpr int kBefore = 19;
  std::ifstream file("/proc/" + std::to_string(::getppid()) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t begin = text.find('('), end = text.rfind(')');
  if (begin == text.npos || end == text.npos || end < begin) return std::nullopt;
  std::istringstream fields(text.substr(end + 1));
  std::string field;
  for (int i = 0; i < kBefore && fields >> field; ++i) {
  }
  double ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  const double age = now(CLOCK_BOOTTIME) - ticks / ::sysconf(_SC_CLK_TCK);
  return Parent{.name = text.substr(begin + 1, end - begin - 1), .start = now(CLOCK_REALTIME) - age};
}

}  // namespace

void refuse_repeated_output(const std::string& path) {
  constexpr double kTwoTicks = 0.02;  // the start is rounded down to a tick
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return;
  const auto by = parent();
  if (!by || (by->name != "find" && by->name != "xargs")) return;
  if (seconds_of(info.st_mtim) < by->start + kTwoTicks) return;
  throw Error(path, ": was written since ", by->name,
              " began, which runs several commands: each would replace it; instead of -o, use ", by->name,
              " ... > ", path);
}

}  // namespace bert
