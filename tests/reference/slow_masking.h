// Slow reference for lib/corpus/masking: create_masked_lm_predictions of create_pretraining_data.py,
// translated literally (Google's BERT, Apache-2.0; described in section 3.1 of the paper), for tokens as
// strings. The caller supplies the random numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace bert::reference {

struct SlowMask {
  std::vector<std::string> tokens;
  std::vector<int> positions;
  std::vector<std::string> labels;
};

struct SlowMaskRule {
  double masked_lm_prob = 0.15;
  int max_predictions_per_seq = 20;
  bool do_whole_word_mask = false;
  double mask_rate = 0.8, random_rate = 0.1;
  std::set<std::string> not_candidates;  // Google: [CLS] and [SEP]
  std::vector<std::string> vocabulary;   // for random tokens
};

// Half to even, computed explicitly: Python 3's round().
inline int round_half_even(double value) {
  const double below = std::floor(value), rest = value - below;
  const int whole = static_cast<int>(below);
  if (rest != 0.5) return rest < 0.5 ? whole : whole + 1;
  return whole % 2 == 0 ? whole : whole + 1;
}

struct SlowChance {
  std::function<void(std::vector<std::vector<int>>&)> shuffle;
  std::function<double()> uniform;  // [0, 1)
  std::function<int(int)> below;    // [0, n)
};

inline SlowMask create_masked_lm_predictions(const std::vector<std::string>& tokens, const SlowMaskRule& rule,
                                             const SlowChance& chance) {
  std::vector<std::vector<int>> cand_indexes;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const auto& token = tokens[static_cast<size_t>(i)];
    if (rule.not_candidates.count(token) != 0) continue;
    if (rule.do_whole_word_mask && !cand_indexes.empty() && token.rfind("##", 0) == 0)
      cand_indexes.back().push_back(i);
    else
      cand_indexes.push_back({i});
  }
  chance.shuffle(cand_indexes);
  SlowMask result{.tokens = tokens, .positions = {}, .labels = {}};
  const int rounded = round_half_even(static_cast<double>(tokens.size()) * rule.masked_lm_prob);
  const size_t num_to_predict =
      static_cast<size_t>(std::min(rule.max_predictions_per_seq, std::max(1, rounded)));
  std::set<int> covered;
  for (const auto& index_set : cand_indexes) {
    if (covered.size() >= num_to_predict) break;
    if (covered.size() + index_set.size() > num_to_predict) continue;
    for (const int index : index_set) {
      covered.insert(index);
      auto& token = result.tokens[static_cast<size_t>(index)];
      const double draw = chance.uniform();
      if (draw < rule.mask_rate)
        token = "[MASK]";
      else if (draw < rule.mask_rate + rule.random_rate)
        token = rule.vocabulary[static_cast<size_t>(chance.below(static_cast<int>(rule.vocabulary.size())))];
    }
  }
  for (const int index : covered) {
    result.positions.push_back(index);
    result.labels.push_back(tokens[static_cast<size_t>(index)]);
  }
  return result;
}

}  // namespace bert::reference
