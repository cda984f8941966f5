#include "train/sharding.h"

#include <algorithm>
#include <functional>

#include "model/parts.h"

namespace bert::train {
namespace {

int64_t level_of(const nn::Layout& layout, const Slice& slice) {
  return model::level_of(layout.entries()[slice.tensor].name);
}

// Levels of the layout above the frozen ones, from the heads down.
std::vector<int64_t> trained_levels(const nn::Layout& layout, std::optional<int64_t> frozen) {
  std::set<int64_t, std::greater<>> levels;
  for (const auto& entry : layout.entries())
    if (!frozen || !model::is_frozen(entry.name, *frozen)) levels.insert(model::level_of(entry.name));
  return {levels.begin(), levels.end()};
}

}  // namespace

// Level by level, each slice goes to the rank that owns least so far. So the ranks own equal parts of each
// level and of the whole, as far as whole slices allow.
Sharding::Sharding(comm::Communicator& ranks, const nn::Layout& layout, std::optional<int64_t> frozen)
    : ranks_(ranks),
      layout_(layout),
      slices_(slices_of(layout)),
      owners_(slices_.size(), 0),
      levels_(trained_levels(layout, frozen)) {
  std::vector<int64_t> loads(ranks.size());
  for (const int64_t level : levels_) {
    for (size_t i = 0; i < slices_.size(); ++i) {
      if (level_of(layout, slices_[i]) != level) continue;
      const auto least = std::ranges::min_element(loads);
      *least += slices_[i].count;
      owners_[i] = least - loads.begin();
    }
  }
}

std::vector<bool> Sharding::owned() const {
  std::vector<bool> owned;
  if (ranks_.alone()) return owned;
  for (const int owner : owners_) owned.push_back(owner == ranks_.rank());
  return owned;
}

std::vector<comm::Piece> Sharding::pieces_of(int64_t level, nn::Params& params) {
  std::vector<comm::Piece> pieces;
  for (size_t i = 0; i < slices_.size(); ++i) {
    if (level_of(layout_, slices_[i]) != level) continue;
    const auto& slice = slices_[i];
    pieces.push_back({.numbers = params.tensor(slice.tensor).data() + slice.offset,
                      .count = slice.count,
                      .owner = owners_[i]});
  }
  return pieces;
}

void Sharding::start_sum(int64_t level, nn::Params& gradients) {
  if (ranks_.alone()) return;
  started_.insert(level);
  ranks_.start_sum(pieces_of(level, gradients));
}

void Sharding::finish_sums(nn::Params& gradients) {
  if (ranks_.alone()) return;
  for (const int64_t level : levels_)
    if (!started_.contains(level)) start_sum(level, gradients);
  ranks_.wait();
  started_.clear();
}

void Sharding::share(nn::Params& parameters) {
  if (ranks_.alone()) return;
  std::vector<comm::Piece> pieces;
  for (const int64_t level : levels_) {
    const auto more = pieces_of(level, parameters);
    pieces.insert(pieces.end(), more.begin(), more.end());
  }
  ranks_.share(pieces);
}

void Sharding::complete(std::span<nn::SquareSums> of_slices) {
  std::vector<double> numbers;
  for (const auto& sums : of_slices) numbers.insert(numbers.end(), {sums.p, sums.r});
  ranks_.sum(numbers);
  for (size_t i = 0; i < of_slices.size(); ++i) of_slices[i] = {.p = numbers[2 * i], .r = numbers[2 * i + 1]};
}

void Sharding::collect(Moments& moments, Moment moment, int tensor, std::span<float> to) {
  if (ranks_.is_first()) moments.read(moment, tensor, to);
  const int64_t end = layout_.entries()[tensor].count();
  std::vector<comm::Piece> pieces;
  for (size_t i = 0; i < slices_.size(); ++i) {
    const auto& slice = slices_[i];
    if (slice.tensor != tensor || owners_[i] == 0) continue;
    const auto numbers = ranks_.is_first() ? part_of(to, slice) : moments.slice(moment, i);
    pieces.push_back(
        {.numbers = numbers.data(), .count = std::min(slice.count, end - slice.offset), .owner = owners_[i]});
  }
  ranks_.collect(pieces);
}

}  // namespace bert::train
