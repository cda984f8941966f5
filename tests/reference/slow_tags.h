// Slow reference for task/tag.cpp: words and entities by their definitions, one token and one tag at a time.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "predict/predictor.h"
#include "slow_features.h"

namespace bert::reference {

struct SlowEntity {
  std::string type;
  size_t begin, end;  // word indexes
  double score;       // mean over its words
};

struct SlowTags {
  std::vector<std::string> tags;
  std::vector<double> scores;
  std::vector<SlowEntity> entities;
};

// conlleval's endOfChunk and startOfChunk, on tags O, B-X and I-X.
inline bool chunk_ends(const std::string& before, const std::string& tag) {
  if (before == "O") return false;
  return tag == "O" || tag[0] == 'B' || tag.substr(2) != before.substr(2);
}
inline bool chunk_starts(const std::string& before, const std::string& tag) {
  if (tag == "O") return false;
  return before == "O" || tag[0] == 'B' || tag.substr(2) != before.substr(2);
}

inline std::vector<double> slow_softmax(const std::vector<float>& logits) {
  std::vector<double> probabilities;
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  for (const float logit : logits) probabilities.push_back(std::exp(static_cast<double>(logit)) / sum);
  return probabilities;
}

inline size_t highest_of(const std::vector<double>& numbers) {
  size_t best = 0;
  for (size_t k = 1; k < numbers.size(); ++k)
    if (numbers[k] > numbers[best]) best = k;
  return best;
}

// token_words: the word of each token. rows[w]: the logits of window w's tokens without special tokens.
inline SlowTags slow_tags(const std::vector<std::string>& labels, size_t words,
                          const std::vector<size_t>& token_words,
                          const std::vector<features::Window>& windows,
                          const std::vector<std::vector<std::vector<float>>>& rows,
                          predict::Aggregate aggregate) {
  const auto owners = most_context(windows, static_cast<int64_t>(token_words.size()));
  SlowTags result;
  std::string before = "O";
  for (size_t word = 0; word <= words; ++word) {
    std::vector<std::vector<double>> subwords;
    for (size_t t = 0; t < token_words.size(); ++t) {
      if (token_words[t] != word) continue;
      const auto owner = static_cast<size_t>(owners[t]);
      subwords.push_back(slow_softmax(rows[owner][t - static_cast<size_t>(windows[owner].begin)]));
    }
    std::vector<double> probabilities;
    if (!subwords.empty()) probabilities = subwords[0];
    for (size_t p = 1; p < subwords.size(); ++p) {
      for (size_t k = 0; aggregate == predict::Aggregate::mean && k < labels.size(); ++k)
        probabilities[k] += subwords[p][k];
      if (aggregate == predict::Aggregate::max &&
          subwords[p][highest_of(subwords[p])] > probabilities[highest_of(probabilities)])
        probabilities = subwords[p];
    }
    const std::string tag = subwords.empty() ? "O" : labels[highest_of(probabilities)];
    if (chunk_ends(before, tag)) {
      auto& entity = result.entities.back();
      entity.end = word;
      for (size_t w = entity.begin; w < word; ++w)
        entity.score += result.scores[w] / static_cast<double>(word - entity.begin);
    }
    if (word == words) break;  // after the last word
    if (chunk_starts(before, tag)) result.entities.push_back({tag.substr(2), word, word, 0});
    const double parts = aggregate == predict::Aggregate::mean ? static_cast<double>(subwords.size()) : 1;
    result.tags.push_back(tag);
    result.scores.push_back(subwords.empty() ? 0 : probabilities[highest_of(probabilities)] / parts);
    before = tag;
  }
  return result;
}

}  // namespace bert::reference
