#include "features/overflow.h"

#include <algorithm>
#include <cassert>

namespace bert::features {
namespace {

using Strategy = text::Truncation::Strategy;

PartLengths cut_longest(PartLengths lengths, int64_t room, text::Compat compat, PartLengths counted) {
  const int64_t shorter = std::min(lengths.first, lengths.second);
  if (2 * shorter <= room) {  // only the longer part is truncated
    if (lengths.first > lengths.second) return {.first = room - shorter, .second = shorter};
    return {.first = shorter, .second = room - shorter};
  }
  const int64_t less = room / 2, more = room - less;
  if (compat == text::Compat::google || counted.first > counted.second)
    return {.first = more, .second = less};
  return {.first = less, .second = more};
}

}  // namespace

std::optional<PartLengths> cut_lengths(PartLengths lengths, int64_t room, const CutRule& rule,
                                       std::optional<PartLengths> counted) {
  const int64_t surplus = lengths.first + lengths.second - room;
  assert(surplus > 0);
  if (rule.strategy == Strategy::longest_first)
    return cut_longest(lengths, room, rule.compat, counted.value_or(lengths));
  int64_t& giving = rule.strategy == Strategy::only_first ? lengths.first : lengths.second;
  if (giving <= surplus) return std::nullopt;
  giving -= surplus;
  return lengths;
}

int64_t counted_length(const text::Tokenizer& tokenizer, std::span<const int32_t> ids, int64_t max_length,
                       bool from_left) {
  const int64_t total = ids.size();
  const auto id = [&](int64_t number) { return ids[from_left ? total - number : number - 1]; };
  // Token number `count` is the last one counted.
  for (int64_t count = max_length; count < total; ++count) {
    const bool word_ends =
        from_left ? !tokenizer.continues_word(id(count)) : !tokenizer.continues_word(id(count + 1));
    if (word_ends && !tokenizer.is_added(id(count))) return count;
  }
  return total;
}

std::vector<Window> slide(int64_t count, const Slide& slide) {
  assert(slide.overlap < slide.length);
  const int64_t step = slide.length - slide.overlap;
  std::vector<Window> windows;
  for (int64_t begin = 0; windows.empty() || windows.back().end < count; begin += step)
    windows.push_back({begin, std::min(begin + slide.length, count)});
  if (slide.from_left)
    for (auto& window : windows) window = {count - window.end, count - window.begin};
  return windows;
}

std::vector<int32_t> most_context(std::span<const Window> windows, int64_t count, Side side) {
  std::vector<int32_t> owners(count, -1);
  std::vector<double> best(count);
  for (size_t w = 0; w < windows.size(); ++w) {
    const Window& window = windows[w];
    const double bonus = side == Side::before ? 0 : 0.01 * static_cast<double>(window.end - window.begin);
    for (int64_t token = window.begin; token < window.end; ++token) {
      const int64_t before = token - window.begin, after = window.end - 1 - token;
      const double score =
          static_cast<double>(side == Side::before ? before : std::min(before, after)) + bonus;
      const size_t place = token;
      if (owners[place] >= 0 && score <= best[place]) continue;
      owners[place] = w;
      best[place] = score;
    }
  }
  return owners;
}

}  // namespace bert::features
