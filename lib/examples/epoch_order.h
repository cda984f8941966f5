// Which record of the FILEs each draw takes. Each epoch has each record once, shuffled by seed and epoch.
//
// If records were added, removed or moved between two parts of a run, the epoch in which that happened
// continues with those that it has not had, shuffled by seed, epoch and the number of draws before:
//
//   epoch 0 of a b c d    b d | a and c are replaced by e: of b d e, the epoch has had b and d    e | epoch 1
//   …
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bert::examples {

class EpochOrder {
 public:
  // Without a seed, each epoch has the order of the input.
  EpochOrder(std::optional<uint64_t> seed, int64_t records);

  int64_t at(int64_t draw);               // the record; permutations are made when an epoch begins
  int64_t epoch_of(int64_t draw) const;   // from 0
  int64_t epoch_end(int64_t draw) const;  // number of draws in its epoch and all before
  int64_t end_of(int64_t epochs) const;   // number of draws in these
  // For each record, whether the epoch of `draw` has had it before.
  std::vector<bool> had_before(int64_t draw);

  // The records were others up to a draw.
  struct Change {
    int64_t drawn = 0;      // before the change; no earlier draw may be asked for
    int64_t epoch = 0;      // of the draw that follows
    std::vector<bool> had;  // for each record, whether this epoch has had it
  };
  void change(Change change);
  const std::optional<Change>& changed() const { return change_; }

 private:
  // Epochs of all records begin after these draws, with this one.
  struct Whole {
    int64_t drawn = 0, epoch = 0;
  };
  bool in_rest(int64_t draw) const { return change_ && draw < whole_.drawn; }

  const std::optional<uint64_t> seed_;
  const int64_t records_;
  std::optional<Change> change_;
  Whole whole_;
  std::vector<uint32_t> order_;  // of epoch order_epoch_
  int64_t order_epoch_ = -1;
};

}  // namespace bert::examples
