// Speed of the tokenizer in memory, ids only:  tokenizer_bench MODEL_DIRECTORY TEXT_FILE...
// Each line of the files is a text. Prints megabytes of text per second, best of five, by wall-clock time and
// by the processor time of all threads; the latter is meaningful on a busy machine too.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "text/tokenizer.h"

namespace {

using bert::text::Tokenizer;
using bert::text::Tokens;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t size = text.find('\n');
    lines.push_back(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size() - 1) + 1);
  }
  return lines;
}

// Tokenizes every `stride`-th line.
size_t count_tokens(const Tokenizer& tokenizer, const std::vector<std::string_view>& lines, size_t first,
                    size_t stride, bert::text::Wanted wanted) {
  Tokens tokens;
  size_t count = 0;
  for (size_t i = first; i < lines.size(); i += stride) {
    tokens.clear();
    tokenizer.encode(lines[i], wanted, tokens);
    count += tokens.ids.size();
  }
  return count;
}

struct Times {
  double elapsed = 1e9, processor = 1e9;  // seconds
};

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Times best_times(const Tokenizer& tokenizer, const std::vector<std::string_view>& lines, size_t threads,
                 bert::text::Wanted wanted) {
  Times best;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = Clock::now();
    const double processor = processor_seconds();
    std::vector<std::jthread> others;
    for (size_t t = 1; t < threads; ++t) {
      others.emplace_back([&, t] { count_tokens(tokenizer, lines, t, threads, wanted); });
    }
    count_tokens(tokenizer, lines, 0, threads, wanted);
    others.clear();
    best.elapsed = std::min(best.elapsed, seconds_since(start));
    best.processor = std::min(best.processor, processor_seconds() - processor);
  }
  return best;
}

void measure(const std::string& directory, const std::vector<std::string>& files) {
  const double start = processor_seconds();
  const Tokenizer tokenizer = bert::text::load_tokenizer(directory);
  std::printf("%s: loaded in %.1f ms of processor time, %d pieces\n", directory.c_str(),
              (processor_seconds() - start) * 1e3, tokenizer.size());
  for (const std::string& path : files) {
    const std::string text = bert::read_file(path);
    const std::vector<std::string_view> lines = split_lines(text);
    const double megabytes = static_cast<double>(text.size()) / 1e6;
    const size_t tokens = count_tokens(tokenizer, lines, 0, 1, {});
    std::printf("%s: %.1f MB, %zu tokens\n", path.c_str(), megabytes, tokens);
    const auto print = [&](const char* what, size_t threads, bert::text::Wanted wanted) {
      const Times times = best_times(tokenizer, lines, threads, wanted);
      std::printf("  %-22s %6.1f MB/s  %6.1f MB per processor second\n", what, megabytes / times.elapsed,
                  megabytes / times.processor);
    };
    print("one thread", 1, {});
    print("two threads", 2, {});
    print("one thread, offsets", 1, {.offsets = bert::text::Offsets::chars});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: tokenizer_bench MODEL_DIRECTORY TEXT_FILE...\n");
    return 2;
  }
  try {
    measure(argv[1], {argv + 2, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tokenizer_bench: %s\n", error.what());
    return 1;
  }
}
