// Speed of the tokenizer in memory, ids only:  tokenizer_bench MODEL_DIRECTORY TEXT_FILE...
// Each line of the files is a text. Prints megabytes of text a second for one and two threads, best of five.
#include <algorithm>
#include <chrono>
#include <cstdio>
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

double best_time(const Tokenizer& tokenizer, const std::vector<std::string_view>& lines, size_t threads,
                 bert::text::Wanted wanted) {
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = Clock::now();
    std::vector<std::jthread> others;
    for (size_t t = 1; t < threads; ++t) {
      others.emplace_back([&, t] { count_tokens(tokenizer, lines, t, threads, wanted); });
    }
    count_tokens(tokenizer, lines, 0, threads, wanted);
    others.clear();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

void measure(const std::string& directory, const std::vector<std::string>& files) {
  const auto start = Clock::now();
  const Tokenizer tokenizer = bert::text::load_tokenizer(directory);
  std::printf("%s: loaded in %.1f ms, %d pieces\n", directory.c_str(), seconds_since(start) * 1e3,
              tokenizer.size());
  for (const std::string& path : files) {
    const std::string text = bert::read_file(path);
    const std::vector<std::string_view> lines = split_lines(text);
    const double megabytes = static_cast<double>(text.size()) / 1e6;
    const size_t tokens = count_tokens(tokenizer, lines, 0, 1, {});
    const double one = best_time(tokenizer, lines, 1, {});
    const double two = best_time(tokenizer, lines, 2, {});
    const double offsets = best_time(tokenizer, lines, 1, {.offsets = bert::text::Offsets::chars});
    std::printf(
        "%s: %.1f MB, %zu tokens; MB/s: %.1f with one thread, %.1f with two (%.2f x), %.1f with offsets\n",
        path.c_str(), megabytes, tokens, megabytes / one, megabytes / two, one / two, megabytes / offsets);
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
