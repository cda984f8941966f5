#include "examples/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/random.h"

namespace bert::examples {
namespace {

constexpr uint64_t kSplitStream = 0x73706c6974;  // separates these random numbers from others of the seed

uint64_t shuffled(uint64_t content, uint64_t seed) {
  Random random(seed, {kSplitStream, content});
  const uint64_t high = random.next();
  return high << 32 | random.next();
}

// Number of the first `count` records that are taken.
int64_t taken(int64_t count, double share) {
  return static_cast<int64_t>(std::floor(static_cast<double>(count) * share + 1e-9));
}

// How many of the numbers [begin, end) leave `rest` when divided by `divisor`.
int64_t count_with_rest(int64_t begin, int64_t end, int64_t rest, int64_t divisor) {
  const auto below = [&](int64_t n) { return (n + divisor - 1 - rest) / divisor; };
  return below(end) - below(begin);
}

// Of the records of a label in random order, a share takes the first ones, and the folds take one part after
// another. So a record more moves few others. The numbers that are taken follow from all records with the
// labels before, so that rounding does not add up.
std::vector<bool> split_records(std::span<const SplitKey> records, const SplitOptions& options,
                                uint64_t seed) {
  struct Place {
    uint32_t label;
    uint64_t key;
    size_t index;
  };
  std::vector<Place> places;
  for (size_t i = 0; i < records.size(); ++i)
    places.push_back({records[i].label, shuffled(records[i].content, seed), i});
  std::ranges::sort(places, {},
                    [](const Place& place) { return std::tie(place.label, place.key, place.index); });
  std::vector<bool> dev(records.size());
  for (int64_t begin = 0, end = 0; begin < std::ssize(places); begin = end) {
    while (end < std::ssize(places) && places[end].label == places[begin].label) ++end;
    int64_t first = begin, last = begin;
    if (!options.fold) {
      if (end - begin > 1) last = begin + taken(end, *options.share) - taken(begin, *options.share);
    } else {
      const auto [fold, folds] = *options.fold;
      for (int64_t rest = 0; rest < fold; ++rest) {
        first = last;
        last += count_with_rest(begin, end, rest, folds);
      }
    }
    for (int64_t i = first; i < last; ++i) dev[places[i].index] = true;
  }
  return dev;
}

struct Group {
  uint64_t key = 0;
  int64_t records = 0;
  std::map<uint32_t, double> labels;  // number of records
  bool dev = false;
};

// Each group goes to the part that has least of its labels, relative to what it should have.
void share_out(std::vector<Group*>& groups, const std::vector<double>& shares, size_t dev) {
  std::ranges::sort(groups, {}, [](const Group* group) { return std::tuple(-group->records, group->key); });
  std::vector<std::map<uint32_t, double>> parts(shares.size());
  std::map<uint32_t, double> all;
  for (const auto* group : groups)
    for (const auto& [label, count] : group->labels) all[label] += count;
  for (auto* group : groups) {
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t part = 0; part < shares.size(); ++part) {
      double filled = 0;
      for (const auto& [label, count] : group->labels)
        filled += count * (parts[part][label] + count) / (shares[part] * all[label]);
      if (filled >= least * (1 - 1e-9)) continue;
      best = part;
      least = filled;
    }
    for (const auto& [label, count] : group->labels) parts[best][label] += count;
    group->dev = best == dev;
  }
}

std::vector<bool> split_groups(std::span<const SplitKey> records, const SplitOptions& options,
                               uint64_t seed) {
  std::map<uint64_t, Group> groups;
  for (const auto& record : records) {
    auto& group = groups[record.content];
    ++group.records;
    ++group.labels[record.label];
  }
  std::vector<Group*> ordered;
  for (auto& [content, group] : groups) {
    group.key = shuffled(content, seed);
    ordered.push_back(&group);
  }
  if (options.fold) {
    const auto folds = static_cast<size_t>(options.fold->second);
    share_out(ordered, std::vector<double>(folds, 1.0 / static_cast<double>(folds)), options.fold->first - 1);
  } else {
    share_out(ordered, {1 - *options.share, *options.share}, 1);
  }
  std::vector<bool> dev(records.size());
  for (size_t i = 0; i < records.size(); ++i) dev[i] = groups[records[i].content].dev;
  return dev;
}

}  // namespace

std::vector<bool> split(std::span<const SplitKey> records, const SplitOptions& options, uint64_t seed) {
  return options.group_field.empty() ? split_records(records, options, seed)
                                     : split_groups(records, options, seed);
}

}  // namespace bert::examples
