// Snapshots: all that a run needs to go on to the last bit.
//
//   OUT/snapshots/step-00001000/state.json             numbers, settings, and the checksum of the other file
//   OUT/snapshots/step-00001000/training.safetensors   weights.NAME, adam_m.NAME, adam_v.NAME
//
// A snapshot is written under another name, brought to the disk, and renamed; older ones go only then. So
// whenever the process is killed, the last one is whole.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "data/steps.h"
#include "nn/params.h"
#include "train/curve.h"
#include "train/settings.h"

namespace bert::train {

struct State {
  int64_t step = 0;            // steps done
  int64_t optimizer_step = 0;  // t of the bias correction; another run's moments may come with theirs
  data::DataPosition data;
  double elapsed_s = 0;
  std::optional<double> best;                        // of the metric that chooses the model
  int64_t stale = 0;                                 // evaluations since then, in a row, that were no better
  std::vector<std::pair<std::string, double>> sums;  // of what the next journal line will tell; finite
  Curve curve;
  Settings settings;
  bool operator==(const State&) const = default;
};

// Arrays of one run; `name` stands before their tensors' names ("weights", "adam_m", "adam_v").
struct ParamsToKeep {
  std::string name;
  const nn::Params& params;
};
struct ParamsToFill {
  std::string name;
  nn::Params& params;
};

// A snapshot that was found whole.
class Snapshot {
 public:
  // Error when anything about it is not as it was written.
  explicit Snapshot(const std::string& path);

  const std::string& path() const { return path_; }
  const State& state() const { return state_; }

  // Bit for bit what was written. Error when the snapshot has other tensors or shapes under these names;
  // arrays of other names are passed over.
  void fill(std::span<const ParamsToFill> arrays) const;

 private:
  std::string path_;
  State state_;
  MappedFile file_;
};

// The last whole one in `directory`, as Snapshots::last() has it, without making or locking anything.
std::optional<Snapshot> last_snapshot(const std::string& directory, Log& log,
                                      int64_t end = std::numeric_limits<int64_t>::max());

class Snapshots {
 public:
  // Makes `directory`, clears what killed runs left in it, and holds it against other processes while this
  // lives (Error when another has it). Once a snapshot is safe, all but the last `keep` are removed.
  Snapshots(std::string directory, int64_t keep, Log& log);
  // Leaves nothing where there was nothing and none was written.
  ~Snapshots();
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  // The last whole one of a step before `end`; each damaged one is passed over with a warning. nullopt when
  // there are none at all; Error when all are damaged.
  std::optional<Snapshot> last(int64_t end = std::numeric_limits<int64_t>::max()) const;
  bool empty() const { return steps().empty(); }

  // Returns its path. When this throws, all is as before. Snapshots of later steps, which a run that goes on
  // from here has passed over, are removed.
  std::string write(const State& state, std::span<const ParamsToKeep> arrays);

  // Removes all of them.
  void clear();

 private:
  std::vector<int64_t> steps() const;
  std::string path_of(int64_t step) const;
  void remove_outdated(int64_t written) const;

  std::string directory_;
  int64_t keep_;
  Log& log_;
  bool made_output_ = false;  // the folder above
  FileDescriptor lock_;
};

}  // namespace bert::train
