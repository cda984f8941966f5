// A straightforward vocabulary learner: tokens are strings, and all pairs are recounted before each merge.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bert::reference {

struct SlowLearner {
  bool likelihood = true;
  int64_t size = 0, min_frequency = 1;
  std::vector<std::string> vocabulary;  // special tokens first; in the order of addition
  std::vector<std::pair<std::vector<std::string>, int64_t>> words;  // as tokens, with counts

  using Pair = std::pair<int64_t, int64_t>;  // indexes into the vocabulary

  int64_t place(const std::string& subword) {
    for (size_t i = 0; i < vocabulary.size(); ++i)
      if (vocabulary[i] == subword) return static_cast<int64_t>(i);
    vocabulary.push_back(subword);
    return static_cast<int64_t>(vocabulary.size()) - 1;
  }

  // One-byte characters only.
  void begin(const std::map<std::string, int64_t>& corpus) {
    vocabulary = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    std::map<std::string, bool> characters;
    for (const auto& [word, count] : corpus) {
      words.push_back({{}, count});
      for (size_t i = 0; i < word.size(); ++i) {
        characters[word.substr(i, 1)] |= word.size() > 1;
        words.back().first.push_back((i > 0 ? "##" : "") + word.substr(i, 1));
      }
    }
    for (const auto& [character, continues] : characters) vocabulary.push_back(character);
    for (const auto& [character, continues] : characters)
      if (continues) vocabulary.push_back("##" + character);
  }

  std::map<Pair, double> scores() {
    std::map<std::string, int64_t> count;
    std::map<std::pair<std::string, std::string>, int64_t> together;
    int64_t total = 0;
    for (const auto& [subwords, times] : words) {
      for (size_t i = 0; i < subwords.size(); ++i) {
        count[subwords[i]] += times;
        total += times;
        if (i > 0) together[{subwords[i - 1], subwords[i]}] += times;
      }
    }
    std::map<Pair, double> result;
    const auto log_of = [](int64_t number) { return std::log(static_cast<double>(number)); };
    for (const auto& [pair, times] : together) {
      if (times < min_frequency) continue;
      // The same sums in the same order as in the fast learner, so that both have the same ties.
      const double gain =
          static_cast<double>(times) *
          (log_of(times) + log_of(total) - (log_of(count[pair.first]) + log_of(count[pair.second])));
      result[{place(pair.first), place(pair.second)}] = likelihood ? gain : static_cast<double>(times);
    }
    return result;
  }

  void join(const std::string& first, const std::string& second) {
    const std::string joined = first + second.substr(2);
    place(joined);
    for (auto& [subwords, times] : words) {
      for (size_t i = 0; i + 1 < subwords.size(); ++i) {
        if (subwords[i] != first || subwords[i + 1] != second) continue;
        subwords[i] = joined;
        subwords.erase(subwords.begin() + static_cast<int64_t>(i) + 1);
      }
    }
  }

  void learn() {
    while (static_cast<int64_t>(vocabulary.size()) < size) {
      const auto all = scores();
      auto best = all.begin();
      for (auto at = all.begin(); at != all.end(); ++at)
        if (at->second > best->second) best = at;
      if (best == all.end()) return;
      const auto [first, second] = best->first;
      join(std::string(vocabulary[static_cast<size_t>(first)]),
           std::string(vocabulary[static_cast<size_t>(second)]));
    }
  }
};

}  // namespace bert::reference
