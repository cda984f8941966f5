// Priority queue of the pairs that may be merged, ordered by upper bounds of their scores. With upper bounds,
// few pairs are examined to find the best one, and few move when true scores change slightly. Scores may rise
// and fall: each pair has at most one entry, whose position is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bert::text {

class PairHeap {
 public:
  // For equal scores the lower rank is better; ranks are unique.
  struct Item {
    double score = 0;
    uint64_t rank = 0;
    uint32_t pair = 0;
  };

  bool empty() const { return items_.empty(); }

  // The item with the best true_score(pair), with that score. true_score must not exceed the stored score.
  // Requires a non-empty heap.
  template <class TrueScore>
  Item best(const TrueScore& true_score) {
    Item best = items_.front();
    best.score = true_score(best.pair);
    to_see_.assign(1, 0);
    while (!to_see_.empty()) {
      const size_t at = to_see_.back();
      to_see_.pop_back();
      if (at >= items_.size() || !better(items_[at], best)) continue;  // nor is any item below
      Item item = items_[at];
      item.score = true_score(item.pair);
      if (better(item, best)) best = item;
      to_see_.push_back(2 * at + 1);
      to_see_.push_back(2 * at + 2);
    }
    return best;
  }

  // Adds the pair or updates its score.
  void set(const Item& item) {
    if (item.pair >= places_.size()) places_.resize(item.pair + 1, kNowhere);
    if (places_[item.pair] == kNowhere) {
      items_.push_back(item);
      places_[item.pair] = items_.size() - 1;
    }
    const size_t at = places_[item.pair];
    items_[at] = item;
    sink(rise(at));
  }

  // No effect if the pair is not in the heap.
  void remove(uint32_t pair) {
    if (pair >= places_.size() || places_[pair] == kNowhere) return;
    const size_t at = std::exchange(places_[pair], kNowhere);
    const Item last = items_.back();
    items_.pop_back();
    if (at == items_.size()) return;
    put(at, last);
    sink(rise(at));
  }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  static bool better(const Item& a, const Item& b) {
    return a.score != b.score ? a.score > b.score : a.rank < b.rank;
  }

  void put(size_t at, const Item& item) {
    items_[at] = item;
    places_[item.pair] = at;
  }

  size_t rise(size_t at) {
    const Item item = items_[at];
    for (; at > 0 && better(item, items_[(at - 1) / 2]); at = (at - 1) / 2) put(at, items_[(at - 1) / 2]);
    put(at, item);
    return at;
  }

  void sink(size_t at) {
    const Item item = items_[at];
    for (size_t child; (child = 2 * at + 1) < items_.size(); at = child) {
      if (child + 1 < items_.size() && better(items_[child + 1], items_[child])) ++child;
      if (!better(items_[child], item)) break;
      put(at, items_[child]);
    }
    put(at, item);
  }

  std::vector<Item> items_;
  std::vector<uint32_t> places_;  // index into items_ by pair
  std::vector<size_t> to_see_;    // used by best()
};

}  // namespace bert::text
