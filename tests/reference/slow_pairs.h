// Slow reference for lib/corpus/pairs: create_instances_from_document of Google's create_pretraining_data.py,
// line by line on copies of token lists, with the three differences listed in lib/corpus/pairs.h, plus the
// modes sentence, sop, none and full. `Chance` draws random numbers: chance(p), below(n).
#pragma once

#include <cstdint>
#include <vector>

namespace bert::reference {

using Tokens = std::vector<int32_t>;
using SlowDocument = std::vector<Tokens>;

struct SlowInstance {
  Tokens a, b;
  int label = 0;
  bool operator==(const SlowInstance&) const = default;
  auto operator<=>(const SlowInstance&) const = default;
};

struct SlowPairRule {
  bool swaps = false;  // sop
  int64_t max_seq_length = 128;
  double short_seq_prob = 0.1, random_next_prob = 0.5;
  bool single = false;  // sentence: a sentence each
};

template <class Chance>
void drop_one(Tokens& tokens, Chance& rng) {
  if (rng.below(2) == 0)
    tokens.erase(tokens.begin());
  else
    tokens.pop_back();
}

template <class Chance>
void truncate_seq_pair(Tokens& a, Tokens& b, size_t max_num_tokens, Chance& rng) {
  while (a.size() + b.size() > max_num_tokens) drop_one(a.size() > b.size() ? a : b, rng);
}

inline void extend(Tokens& tokens, const Tokens& more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
}

template <class Chance>
size_t draw_target(size_t max_num_tokens, double short_seq_prob, Chance& rng) {
  if (!rng.bernoulli(short_seq_prob)) return max_num_tokens;
  return 2 + rng.below(static_cast<uint32_t>(max_num_tokens - 1));
}

template <class Chance>
std::vector<SlowInstance> slow_pairs(const SlowPairRule& rule, const std::vector<SlowDocument>& all_documents,
                                     size_t document_index, Chance& rng) {
  const SlowDocument& document = all_documents[document_index];
  const auto max_num_tokens = static_cast<size_t>(rule.max_seq_length - 3);
  std::vector<SlowInstance> instances;
  size_t i = 0;
  for (;;) {
    SlowDocument current_chunk;
    size_t current_length = 0, target_seq_length = 0;
    SlowInstance instance;
    for (; i < document.size(); ++i) {
      if (current_chunk.empty()) {
        if (i + 1 == document.size()) return instances;  // the last sentence remains unused
        instance.label = rng.bernoulli(rule.random_next_prob) ? 1 : 0;
        if (!rule.single) target_seq_length = draw_target(max_num_tokens, rule.short_seq_prob, rng);
      }
      if (current_chunk.size() >= 2 && current_length >= target_seq_length) break;
      current_chunk.push_back(document[i]);
      current_length += document[i].size();
    }
    if (current_chunk.empty()) return instances;

    const size_t a_end = 1 + rng.below(static_cast<uint32_t>(current_chunk.size() - 1));
    for (size_t j = 0; j < a_end; ++j) extend(instance.a, current_chunk[j]);
    if (instance.label == 1 && !rule.swaps) {
      const auto target_b_length =
          static_cast<int64_t>(target_seq_length) - static_cast<int64_t>(instance.a.size());
      std::vector<size_t> others;
      for (size_t j = 0; j < all_documents.size(); ++j)
        if (j != document_index) others.push_back(j);
      const auto& random_document = all_documents[others[rng.below(static_cast<uint32_t>(others.size()))]];
      for (size_t j = rng.below(static_cast<uint32_t>(random_document.size())); j < random_document.size();
           ++j) {
        extend(instance.b, random_document[j]);
        if (static_cast<int64_t>(instance.b.size()) >= target_b_length) break;
      }
      i -= current_chunk.size() - a_end;  // put unused sentences back
    } else {
      for (size_t j = a_end; j < current_chunk.size(); ++j) extend(instance.b, current_chunk[j]);
      if (instance.label == 1) instance.a.swap(instance.b);
    }
    truncate_seq_pair(instance.a, instance.b, max_num_tokens, rng);
    instances.push_back(instance);
  }
}

// Full sentences, one segment.
template <class Chance>
std::vector<SlowInstance> slow_sentences(const SlowPairRule& rule, const SlowDocument& document,
                                         Chance& rng) {
  const auto max_num_tokens = static_cast<size_t>(rule.max_seq_length - 2);
  std::vector<SlowInstance> instances;
  for (size_t i = 0; i < document.size();) {
    const size_t target_seq_length = draw_target(max_num_tokens, rule.short_seq_prob, rng);
    SlowInstance instance;
    do extend(instance.a, document[i++]);
    while (i < document.size() && instance.a.size() + document[i].size() <= target_seq_length);
    while (instance.a.size() > max_num_tokens) drop_one(instance.a, rng);
    instances.push_back(instance);
  }
  return instances;
}

// Full sentences of all documents: all of them in one list, the separator before those that begin a document
// but not an instance. `chance_of(d, n)` is that of instance n of those that begin in document d.
template <class ChanceOf>
std::vector<Tokens> slow_full(const SlowPairRule& rule, const std::vector<SlowDocument>& documents,
                              int32_t separator, ChanceOf chance_of) {
  const auto max_num_tokens = static_cast<size_t>(rule.max_seq_length - 2);
  std::vector<Tokens> instances;
  size_t target = 0;
  for (size_t d = 0; d < documents.size(); ++d) {
    size_t begun = 0;
    for (size_t i = 0; i < documents[d].size(); ++i) {
      Tokens more;
      if (i == 0) more.push_back(separator);
      extend(more, documents[d][i]);
      if (!instances.empty() && instances.back().size() + more.size() <= target) {
        extend(instances.back(), more);
        continue;
      }
      auto rng = chance_of(d, begun++);
      target = draw_target(max_num_tokens, rule.short_seq_prob, rng);
      instances.push_back(documents[d][i]);
      while (instances.back().size() > max_num_tokens) drop_one(instances.back(), rng);
    }
  }
  return instances;
}

}  // namespace bert::reference
