#include "text/frequent_substrings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

namespace bert::text {
namespace {

using Corpus = std::map<std::string, int64_t>;
using Found = std::vector<std::pair<std::string, int64_t>>;

Found find(const Corpus& corpus, const SubstringLimits& limits) {
  std::vector<WordCount> words;
  for (const auto& [word, count] : corpus) words.push_back({word, count});
  Found found;
  for (const auto& [text, count] : frequent_substrings(words, limits)) found.emplace_back(text, count);
  return found;
}

// Counts all substrings of ASCII words and what follows each.
Found slowly(const Corpus& corpus, const SubstringLimits& limits) {
  std::map<std::string, int64_t> counts;
  std::map<std::string, std::set<std::string>> followers;
  for (const auto& [word, count] : corpus) {
    for (size_t begin = 0; begin < word.size(); ++begin) {
      for (size_t size = 2; size <= std::min<size_t>(limits.max_chars, word.size() - begin); ++size) {
        const auto text = word.substr(begin, size);
        counts[text] += count;
        const bool ends = begin + size == word.size() || size == limits.max_chars;
        followers[text].insert(ends ? "end" : word.substr(begin + size, 1));
      }
    }
  }
  Found found;
  for (const auto& [text, count] : counts)
    if (count >= limits.min_count && (followers[text].size() > 1 || followers[text].contains("end")))
      found.emplace_back(text, count);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.second * std::ssize(a.first) > b.second * std::ssize(b.first);
  });
  if (found.size() > limits.most) found.resize(limits.most);
  return found;
}

}  // namespace

TEST_CASE("substrings are counted with the counts of their words") {
  CHECK(find({{"ab", 2}, {"abc", 3}}, {}) == Found{{"ab", 5}, {"abc", 3}, {"bc", 3}});
  CHECK(find({{"éa", 1}, {"éab", 1}}, {}) == Found{{"éa", 2}});
  CHECK(find({}, {}).empty());
}

TEST_CASE("frequent substrings match a count of all substrings") {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    Corpus corpus;
    for (unsigned i = 0; i < 1 + random() % 30; ++i) {
      std::string word(1 + random() % 12, 'a');
      for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
      corpus[word] += 1 + static_cast<int64_t>(random() % 5);
    }
    const SubstringLimits limits{.min_count = 1 + static_cast<int64_t>(random() % 4),
                                 .max_chars = 2 + static_cast<uint32_t>(random() % 12),
                                 .most = 1 + random() % 200};
    CAPTURE(seed);
    REQUIRE(find(corpus, limits) == slowly(corpus, limits));
  }
}

}  // namespace bert::text
