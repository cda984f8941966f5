// Slow reference for lib/data: tokens are single objects in vectors and are removed one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "features/features.h"
#include "features/overflow.h"

namespace bert::reference {

struct Token {
  int32_t id = 0, type = 0, word = features::kNoWord;
  text::Span offset;
  bool operator==(const Token&) const = default;
};
using Tokens = std::vector<Token>;

inline void drop_one(Tokens& tokens, bool from_left) {
  tokens.erase(from_left ? tokens.begin() : tokens.end() - 1);
}

// Counts tokens by whole words (an added token is not part of one) from the beginning or the end until there
// are max_length or more.
inline size_t counted(Tokens tokens, int64_t max_length, bool from_left) {
  if (from_left) std::reverse(tokens.begin(), tokens.end());
  size_t count = 0;
  while (count < tokens.size() && static_cast<int64_t>(count) < max_length) {
    const int32_t word = tokens[count].word;
    while (count < tokens.size() && tokens[count].word == word) ++count;
  }
  return count;
}

// Removes token by token from the longer part. On a tie, Google's run_classifier.py removes from B; Hugging
// Face's fast tokenizer in effect removes from the part that was shorter at first, or from A if both were
// equal.
inline void cut_pair(Tokens& a, Tokens& b, int64_t room, const features::CutRule& rule,
                     int64_t max_length = std::numeric_limits<int64_t>::max()) {
  using Strategy = text::Truncation::Strategy;
  const bool a_was_longer = counted(a, max_length, rule.from_left) > counted(b, max_length, rule.from_left);
  const bool b_gives_on_tie = rule.compat == text::Compat::google || a_was_longer;
  while (static_cast<int64_t>(a.size() + b.size()) > room) {
    bool from_b = b.size() > a.size() || (b.size() == a.size() && b_gives_on_tie);
    if (rule.strategy == Strategy::only_first) from_b = false;
    if (rule.strategy == Strategy::only_second) from_b = true;
    drop_one(from_b ? b : a, rule.from_left);
  }
}

// Hugging Face's stride: a window starts length - overlap tokens after the one before.
inline std::vector<Tokens> slide(const Tokens& tokens, const features::Slide& slide) {
  std::vector<Tokens> windows;
  for (bool last = false; !last;) {
    const int64_t done = static_cast<int64_t>(windows.size()) * (slide.length - slide.overlap);
    Tokens window;
    for (int64_t i = done; i < done + slide.length; ++i) {
      if (i >= static_cast<int64_t>(tokens.size())) break;
      const size_t place = static_cast<size_t>(i);
      if (slide.from_left)
        window.insert(window.begin(), tokens[tokens.size() - 1 - place]);
      else
        window.push_back(tokens[place]);
    }
    last = done + slide.length >= static_cast<int64_t>(tokens.size());
    windows.push_back(window);
  }
  return windows;
}

// run_squad.py's _check_is_max_context, called for every token and every window.
inline std::vector<int32_t> most_context(const std::vector<features::Window>& windows, int64_t count) {
  const auto is_best = [&](size_t asked, int64_t position) {
    double best_score = 0;
    int best = -1;
    for (size_t w = 0; w < windows.size(); ++w) {
      const int64_t last = windows[w].end - 1;
      if (position < windows[w].begin || position > last) continue;
      const int64_t left = position - windows[w].begin, right = last - position;
      const double length = static_cast<double>(windows[w].end - windows[w].begin);
      const double score = static_cast<double>(left < right ? left : right) + 0.01 * length;
      if (best < 0 || score > best_score) {
        best_score = score;
        best = static_cast<int>(w);
      }
    }
    return best == static_cast<int>(asked);
  };
  std::vector<int32_t> owners(static_cast<size_t>(count), -1);
  for (int64_t t = 0; t < count; ++t)
    for (size_t w = 0; w < windows.size(); ++w)
      if (is_best(w, t)) owners[static_cast<size_t>(t)] = static_cast<int32_t>(w);
  return owners;
}

// [CLS] A [SEP] (B [SEP]), or A and B alone.
inline Tokens join(Tokens a, const Tokens* b, const text::Tokenizer* specials) {
  Tokens all;
  if (specials) all.push_back({.id = specials->cls()});
  all.insert(all.end(), a.begin(), a.end());
  if (specials) all.push_back({.id = specials->sep()});
  const size_t first = all.size();
  if (b) all.insert(all.end(), b->begin(), b->end());
  if (b && specials) all.push_back({.id = specials->sep()});
  for (size_t i = first; i < all.size(); ++i) all[i].type = 1;
  return all;
}

}  // namespace bert::reference
