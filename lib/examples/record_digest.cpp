#include "examples/record_digest.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checksum.h"

namespace bert::examples {
namespace {

// A record among those with the same input.
struct Place {
  uint64_t input;
  uint32_t label;
  int64_t index;
};

// The input may be among those added. As a table of single bits: 8 for each record, so that an input that was
// not added is let through once in 8 times.
class MayContain {
 public:
  explicit MayContain(size_t records) : bits_(std::bit_ceil(std::max<size_t>(8 * records, 64))) {}

  bool test(uint64_t input) const { return bits_[input & (bits_.size() - 1)]; }
  // Returns what test() was before.
  bool add(uint64_t input) {
    auto bit = bits_[input & (bits_.size() - 1)];
    const bool before = bit;
    bit = true;
    return before;
  }

 private:
  std::vector<bool> bits_;
};

// Keeps the first records.
void add(SameInput pair, std::vector<SameInput>& first) {
  const auto place = std::ranges::upper_bound(first, pair.record, {}, &SameInput::record);
  if (first.size() == Repeats::kShown && place == first.end()) return;
  first.insert(place, pair);
  if (first.size() > Repeats::kShown) first.pop_back();
}

// Those that pass, sorted. Most records have an input of their own, and are not worth sorting.
template <class Passes>
std::vector<Place> sorted(std::span<const RecordDigest> records, const Passes& passes) {
  std::vector<Place> places;
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i].input != 0 && passes(records[i].input))
      places.push_back({records[i].input, records[i].label, static_cast<int64_t>(i)});
  std::ranges::sort(places, {}, [](const Place& place) { return std::pair(place.input, place.index); });
  return places;
}

void add(std::span<const Place> same, Repeats& repeats) {
  const auto& head = same.front();
  const auto other = std::ranges::find_if(same, [&](const Place& place) {
    return place.label != head.label && place.label != 0 && head.label != 0;
  });
  for (const auto& place : same.subspan(1)) {
    ++repeats.duplicates;
    add({place.index, head.index}, repeats.first);
  }
  if (other == same.end()) return;
  repeats.conflicting += std::ssize(same);
  add({other->index, head.index}, repeats.first_conflicts);
}

}  // namespace

RecordDigest digest_of(const Examples& examples) {
  if (examples.empty()) return {};
  Checksum input;
  uint32_t tokens = 0;
  for (const auto& example : examples) {
    example->add_input(input);
    tokens += static_cast<uint32_t>(example->tokens());
  }
  return {
      .input = std::max<uint64_t>(input.value(), 1), .label = examples.front()->label_hash, .tokens = tokens};
}

Repeats find_repeats(std::span<const RecordDigest> records) {
  MayContain once(records.size()), twice(records.size());
  for (const auto& record : records)
    if (record.input != 0 && once.add(record.input)) twice.add(record.input);
  const auto places = sorted(records, [&](uint64_t input) { return twice.test(input); });
  Repeats repeats;
  for (auto begin = places.begin(); begin != places.end();) {
    const auto end =
        std::find_if(begin, places.end(), [&](const auto& it) { return it.input != begin->input; });
    add(std::span(begin, end), repeats);
    begin = end;
  }
  return repeats;
}

Overlap find_overlap(std::span<const RecordDigest> dev, std::span<const RecordDigest> train) {
  MayContain inputs(dev.size());
  for (const auto& record : dev) inputs.add(record.input);
  const auto places = sorted(train, [&](uint64_t input) { return inputs.test(input); });
  Overlap overlap;
  for (size_t i = 0; i < dev.size(); ++i) {
    if (dev[i].input == 0) continue;
    const auto same = std::ranges::lower_bound(places, dev[i].input, {}, &Place::input);
    if (same == places.end() || same->input != dev[i].input) continue;
    ++overlap.records;
    add({static_cast<int64_t>(i), same->index}, overlap.first);
  }
  return overlap;
}

}  // namespace bert::examples
