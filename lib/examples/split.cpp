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

// Along the records of one label in random order, and then those of the next, every 1/share-th is taken.
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
  const auto is_alone = [&](size_t i) {
    const auto has_label = [&](size_t other) { return places[other].label == places[i].label; };
    return !(i > 0 && has_label(i - 1)) && !(i + 1 < places.size() && has_label(i + 1));
  };
  const auto taken = [&](size_t count) {
    return std::floor(static_cast<double>(count) * options.share.value_or(0) + 1e-9);
  };
  std::vector<bool> dev(records.size());
  for (size_t i = 0; i < places.size(); ++i)
    dev[places[i].index] = options.fold
                               ? static_cast<int64_t>(i) % options.fold->second == options.fold->first - 1
                               : taken(i + 1) > taken(i) && !is_alone(i);
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
