#include "text/frequent_substrings.h"

#include <algorithm>
#include <cstring>

#include "text/utf8.h"

namespace bert::text {
namespace {

// The end of a word from one of its characters on, cut off after the longest substring. `prefix`: its first
// eight bytes, whose order as a number is byte order.
struct Suffix {
  uint64_t prefix = 0;
  const char* begin = nullptr;
  uint32_t size = 0;
  uint32_t word = 0;

  std::string_view text() const { return {begin, size}; }
  bool operator<(const Suffix& other) const {
    if (prefix != other.prefix) return prefix < other.prefix;
    const std::string_view a = text(), b = other.text();
    if (const int order = a.compare(b); order != 0) return order < 0;
    return word < other.word;
  }
};

uint64_t prefix_of(std::string_view text) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < sizeof prefix; ++i)
    prefix = prefix << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
  return prefix;
}

std::vector<Suffix> sorted_suffixes(std::span<const WordCount> words, uint32_t max_chars) {
  std::vector<Suffix> suffixes;
  std::vector<uint32_t> begins;  // of the characters of a word, then its end
  for (size_t word = 0; word < words.size(); ++word) {
    const std::string_view text = words[word].word;
    begins.clear();
    for (uint32_t at = 0; at < text.size(); at += decode(text.data() + at).size) begins.push_back(at);
    const size_t chars = begins.size();
    begins.push_back(text.size());
    for (size_t i = 0; i + 1 < chars; ++i) {
      const uint32_t size = begins[std::min(i + max_chars, chars)] - begins[i];
      const std::string_view suffix = text.substr(begins[i], size);
      suffixes.push_back({prefix_of(suffix), suffix.data(), size, static_cast<uint32_t>(word)});
    }
  }
  std::sort(suffixes.begin(), suffixes.end());
  return suffixes;
}

// Length of the common beginning in bytes, whole characters only.
uint32_t common_size(const Suffix& a, const Suffix& b) {
  const uint32_t least = std::min(a.size, b.size);
  uint32_t size = 0;
  while (size < least && a.begin[size] == b.begin[size]) ++size;
  while (size > 0 && size < a.size && is_continuation_byte(a.begin[size])) --size;
  return size;
}

struct Candidate {
  std::string_view text;
  int64_t count = 0;
  double score = 0;
  bool operator<(const Candidate& other) const {  // the best one first
    return score != other.score ? score > other.score : text < other.text;
  }
};

// Keeps the best candidates, in memory for twice as many.
class BestCandidates {
 public:
  explicit BestCandidates(const SubstringLimits& limits) : limits_(limits) {}

  void offer(std::string_view text, int64_t count) {
    const size_t chars = count_code_points(text);
    if (chars < 2 || count < limits_.min_count) return;
    candidates_.push_back({text, count, count * static_cast<double>(chars)});
    if (candidates_.size() >= 2 * limits_.most) cut();
  }

  std::vector<WordCount> take() && {
    if (candidates_.size() > limits_.most) cut();
    std::sort(candidates_.begin(), candidates_.end());
    std::vector<WordCount> best;
    best.reserve(candidates_.size());
    for (const Candidate& candidate : candidates_) best.push_back({candidate.text, candidate.count});
    return best;
  }

 private:
  void cut() {
    const auto end = candidates_.begin() + static_cast<ptrdiff_t>(limits_.most);
    std::nth_element(candidates_.begin(), end, candidates_.end());
    candidates_.erase(end, candidates_.end());
  }

  const SubstringLimits& limits_;
  std::vector<Candidate> candidates_;
};

}  // namespace

// Walks the suffix tree, of which the stack holds a path: each node is a beginning of the one above.
std::vector<WordCount> frequent_substrings(std::span<const WordCount> words, const SubstringLimits& limits) {
  const std::vector<Suffix> suffixes = sorted_suffixes(words, limits.max_chars);
  BestCandidates best(limits);
  std::vector<WordCount> path;
  for (size_t i = 0; i < suffixes.size(); ++i) {
    const Suffix& suffix = suffixes[i];
    const int64_t count = words[suffix.word].count;
    if (!path.empty() && path.back().word == suffix.text())
      path.back().count += count;
    else
      path.push_back({suffix.text(), count});
    const uint32_t common = i + 1 < suffixes.size() ? common_size(suffix, suffixes[i + 1]) : 0;
    while (!path.empty() && path.back().word.size() > common) {
      const WordCount node = path.back();
      path.pop_back();
      best.offer(node.word, node.count);
      if (common > 0 && (path.empty() || path.back().word.size() < common))
        path.push_back({suffix.text().substr(0, common), 0});
      if (!path.empty()) path.back().count += node.count;
    }
  }
  return std::move(best).take();
}

}  // namespace bert::text
