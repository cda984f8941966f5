// Joins the tokens of a sequence that was split into windows (Featurizer::windows).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "features/features.h"

namespace bert::features {

// Joins one array of all windows of a single text: one element for each token of the text.
template <class T>
std::vector<T> joined(std::span<const Features> windows, std::vector<T> Features::*array) {
  std::vector<T> all;
  for (const Features& window : windows) {
    const auto begin = static_cast<size_t>(window.window_begin);
    const size_t count = window.first.end - window.first.begin;
    all.resize(std::max(all.size(), begin + count));
    const auto values = std::span(window.*array).subspan(window.first.begin);
    std::copy_n(values.begin(), count, all.begin() + static_cast<ptrdiff_t>(begin));
  }
  return all;
}

struct TokenPlace {
  size_t window = 0;
  uint32_t position = 0;  // in the window's ids
};

// Window and position to read each token of a single text: the window that gives it most context.
std::vector<TokenPlace> token_places(std::span<const Features> windows);

// The same for each token of any sequence, pairs and special tokens included. Tokens that every window has
// ([CLS], [SEP], the unsplit text) are read in the first. A single window may be truncated.
std::vector<TokenPlace> sequence_places(std::span<const Features> windows);

}  // namespace bert::features
