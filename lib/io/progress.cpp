#include "io/progress.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bert::io {

std::optional<uint64_t> size_of_files(const std::vector<std::string>& files) {
  const std::vector<std::string> standard_input = {"-"};
  uint64_t total = 0;
  for (const auto& name : files.empty() ? standard_input : files) {
    struct stat info;
    const bool known = name == "-" ? ::fstat(STDIN_FILENO, &info) == 0 : ::stat(name.c_str(), &info) == 0;
    if (!known || !S_ISREG(info.st_mode)) return std::nullopt;
    const off_t read = name == "-" ? std::max<off_t>(0, ::lseek(STDIN_FILENO, 0, SEEK_CUR)) : 0;
    total += std::max<off_t>(0, info.st_size - read);
  }
  return total;
}

std::string progress_text(int64_t records, double seconds, std::optional<double> share) {
  const auto rate = std::llround(records / seconds);
  std::string text = std::to_string(records) + " records, " + std::to_string(rate) + "/s";
  if (!share || *share <= 0) return text;
  const double done = std::min(*share, 1.0);
  const auto left = std::llround(seconds * (1 - done) / done);
  char rest[64];
  if (left < 3600) {
    std::snprintf(rest, sizeof rest, ", %d %%, %lld:%02lld left", static_cast<int>(100 * done), left / 60,
                  left % 60);
  } else {
    std::snprintf(rest, sizeof rest, ", %d %%, %lld:%02lld:%02lld left", static_cast<int>(100 * done),
                  left / 3600, left / 60 % 60, left % 60);
  }
  return text + rest;
}

void Progress::update(int64_t records, uint64_t bytes) {
  constexpr auto kInterval = std::chrono::milliseconds(200);
  if (shown_ == Shown::no) return;
  const auto now = Clock::now();
  if (now - last_ < kInterval) return;
  last_ = now;
  std::optional<double> share;
  if (size_ && *size_ > 0) share = static_cast<double>(bytes) / *size_;
  log_.progress(progress_text(records, std::chrono::duration<double>(now - begin_).count(), share));
}

void Progress::clear() {
  if (shown_ == Shown::yes) log_.progress("");
}

}  // namespace bert::io
