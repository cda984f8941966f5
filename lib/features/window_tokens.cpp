#include "features/window_tokens.h"

#include <algorithm>

#include "features/overflow.h"

namespace bert::features {
namespace {

// Position of each window's A or B in the whole A or B.
std::vector<Window> spans_of(std::span<const Features> windows, text::Span Features::*part) {
  std::vector<Window> spans;
  for (const Features& window : windows) {
    const text::Span own = window.*part;
    const int64_t begin = own.begin == own.end ? 0 : int64_t{window.places[own.begin]};
    spans.push_back({begin, begin + (int64_t{own.end} - own.begin)});
  }
  const int64_t base = std::ranges::min(spans, {}, &Window::begin).begin;
  for (Window& span : spans) span = {span.begin - base, span.end - base};
  return spans;
}

std::vector<TokenPlace> in_order(size_t count) {
  std::vector<TokenPlace> places;
  for (size_t i = 0; i < count; ++i) places.push_back({.window = 0, .position = static_cast<uint32_t>(i)});
  return places;
}

}  // namespace

std::vector<TokenPlace> token_places(std::span<const Features> windows) {
  std::vector<Window> spans;
  int64_t count = 0;
  for (const Features& window : windows) {
    spans.push_back(
        {window.window_begin, window.window_begin + int64_t{window.first.end} - window.first.begin});
    count = std::max(count, spans.back().end);
  }
  std::vector<TokenPlace> places;
  for (const int32_t owner : most_context(spans, count)) {
    const auto window = static_cast<size_t>(owner);
    const auto within = static_cast<int64_t>(places.size()) - spans[window].begin;
    places.push_back({window, windows[window].first.begin + static_cast<uint32_t>(within)});
  }
  return places;
}

std::vector<TokenPlace> sequence_places(std::span<const Features> windows) {
  if (windows.size() == 1) return in_order(windows.front().ids.size());
  size_t length = 0;
  for (const Features& window : windows) {
    length = std::max<size_t>(length, window.places.back() + 1);
  }
  std::vector<TokenPlace> places(length);
  const auto read = [&](size_t window, uint32_t position) {
    places[windows[window].places[position]] = {window, position};
  };
  for (size_t w = windows.size(); w-- > 0;) {  // backwards, so that the first window wins
    for (uint32_t i = 0; i < windows[w].ids.size(); ++i) read(w, i);
  }
  // The unsplit part is equal in all windows, and most_context takes the first on ties.
  for (const auto part : {&Features::first, &Features::second}) {
    const auto spans = spans_of(windows, part);
    const auto owners = most_context(spans, std::ranges::max(spans, {}, &Window::end).end);
    for (size_t token = 0; token < owners.size(); ++token) {
      const auto owner = static_cast<size_t>(owners[token]);
      const auto within = static_cast<uint32_t>(static_cast<int64_t>(token) - spans[owner].begin);
      read(owner, (windows[owner].*part).begin + within);
    }
  }
  return places;
}

}  // namespace bert::features
