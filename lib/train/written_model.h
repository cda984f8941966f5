// The models that a run has written to its directory, so that it replaces no others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bert::train {

// Knows the last two models, since a run may end before one replaces the other: the checksums of their files
// are in OUT/checkpoints/model.json. A directory of an earlier version lacks that file; its model is taken
// for the run's.
class WrittenModel {
 public:
  // `out`: the directory. `continued`: whether the run has a checkpoint there.
  WrittenModel(std::string out, bool continued);

  // A file in the directory that is not as the run left it, or is missing where others are; "" if there is
  // none.
  std::string foreign_file() const;
  // The model that is there may be replaced, and no other.
  void accept() { known_ = {present_}; }
  void write() const;  // when there will be a checkpoint
  // The model in `folder` is about to replace the one that is there.
  void replaced_by(const std::string& folder);

 private:
  using Version = std::map<std::string, uint64_t>;  // checksums of the files, by name

  std::string out_, path_;
  Version present_;
  std::vector<Version> known_;  // at most two
};

}  // namespace bert::train
