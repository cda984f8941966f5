#include "examples/epoch_order.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace bert::examples {
namespace {

// Separates these random numbers from others with the same seed.
constexpr uint64_t kOrderStream = 0x6f72646572;

}  // namespace

EpochOrder::EpochOrder(std::optional<uint64_t> seed, int64_t records) : seed_(seed), records_(records) {
  if (seed && records > std::numeric_limits<uint32_t>::max())
    throw Error(records, " records are too many to be shuffled");
}

int64_t EpochOrder::epoch_of(int64_t draw) const {
  return in_rest(draw) ? change_->epoch : whole_.epoch + (draw - whole_.drawn) / records_;
}

int64_t EpochOrder::epoch_end(int64_t draw) const {
  return in_rest(draw) ? whole_.drawn : end_of(epoch_of(draw) + 1);
}

int64_t EpochOrder::end_of(int64_t epochs) const {
  if (change_ && epochs <= change_->epoch) return change_->drawn;  // they had ended before the change
  return whole_.drawn + std::max<int64_t>(epochs - whole_.epoch, 0) * records_;
}

int64_t EpochOrder::at(int64_t draw) {
  const bool rest = in_rest(draw);
  const int64_t epoch = epoch_of(draw);
  const int64_t i = rest ? draw - change_->drawn : (draw - whole_.drawn) % records_;
  if (!rest && !seed_) return i;
  if (epoch != order_epoch_) {
    order_.clear();
    for (int64_t record = 0; record < records_; ++record)
      if (!rest || !change_->had[record]) order_.push_back(record);
    const uint64_t number = epoch;
    if (seed_ && rest)
      Random(*seed_, {kOrderStream, number, static_cast<uint64_t>(change_->drawn)}).shuffle(order_);
    else if (seed_)
      Random(*seed_, {kOrderStream, number}).shuffle(order_);
    order_epoch_ = epoch;
  }
  return order_[i];
}

std::vector<bool> EpochOrder::had_before(int64_t draw) {
  auto had = in_rest(draw) ? change_->had : std::vector<bool>(records_);
  const int64_t begin = in_rest(draw) ? change_->drawn : end_of(epoch_of(draw));
  for (int64_t before = begin; before < draw; ++before) had[at(before)] = true;
  return had;
}

void EpochOrder::change(Change change) {
  whole_ = {.drawn = change.drawn + std::ranges::count(change.had, false), .epoch = change.epoch + 1};
  change_ = std::move(change);
  order_epoch_ = -1;
}

}  // namespace bert::examples
