#include "data/window_tokens.h"

#include "data/overflow.h"

namespace bert::data {

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

}  // namespace bert::data
