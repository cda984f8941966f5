#include "text/word_counts.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/error.h"

namespace bert::text {
namespace {

constexpr size_t kFirstSlots = 1024;

}  // namespace

WordCounts::WordCounts(size_t max_words) : max_words_(max_words), slots_(kFirstSlots) {}

// The slot that contains the word, or the one to insert it into.
size_t WordCounts::slot_of(std::string_view sought, uint64_t hash) const {
  size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && word(entry) == sought) break;
  }
  return slot;
}

void WordCounts::add(std::string_view added, int64_t count) {
  const uint64_t hash = std::hash<std::string_view>{}(added);
  const size_t slot = slot_of(added, hash);
  if (slots_[slot] != 0) {
    int64_t& sum = entries_[slots_[slot] - 1].count;
    if (__builtin_add_overflow(sum, count, &sum)) throw Error("the count of ", added, " exceeds 63 bits");
    return;
  }
  entries_.push_back(
      {.hash = hash, .count = count, .begin = text_.size(), .size = static_cast<uint32_t>(added.size())});
  text_ += added;
  slots_[slot] = entries_.size();
  if (entries_.size() > max_words_) {
    prune();
  } else if (2 * entries_.size() > slots_.size()) {
    place_all(2 * slots_.size());
  }
}

void WordCounts::place_all(size_t slots) {
  slots_.assign(slots, 0);
  uint32_t number = 0;
  for (const Entry& entry : entries_) {
    size_t slot = entry.hash & (slots - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots - 1);
    slots_[slot] = ++number;
  }
}

// Words with at most this count are dropped. With words in descending order of count, it is the count of the
// first word beyond max_words_ / 2.
int64_t WordCounts::pruning_threshold() const {
  std::vector<int64_t> counts;
  counts.reserve(entries_.size());
  for (const Entry& entry : entries_) counts.push_back(entry.count);
  const auto first_out = counts.begin() + max_words_ / 2;
  std::nth_element(counts.begin(), first_out, counts.end(), std::greater<>());
  return *first_out;
}

void WordCounts::prune() {
  const int64_t threshold = pruning_threshold();
  std::string kept_text;
  std::vector<Entry> kept;
  for (Entry entry : entries_) {
    if (entry.count <= threshold) continue;
    const std::string_view text = word(entry);
    entry.begin = kept_text.size();
    kept_text += text;
    kept.push_back(entry);
  }
  forgotten_ += entries_.size() - kept.size();
  if (__builtin_add_overflow(uncertainty_, threshold, &uncertainty_))
    uncertainty_ = std::numeric_limits<int64_t>::max();
  entries_ = std::move(kept);
  text_ = std::move(kept_text);
  place_all(slots_.size());
}

std::vector<WordCount> WordCounts::sorted() const {
  std::vector<WordCount> words;
  words.reserve(entries_.size());
  for (const Entry& entry : entries_) words.push_back({word(entry), entry.count});
  std::sort(words.begin(), words.end(),
            [](const WordCount& a, const WordCount& b) { return a.word < b.word; });
  return words;
}

}  // namespace bert::text
