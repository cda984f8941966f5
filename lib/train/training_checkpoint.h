// Checkpoints: everything a run needs to resume bit for bit.
//
//   OUT/checkpoints/step-00001000/config.json, model.safetensors, ...   a model directory
//   OUT/checkpoints/step-00001000/optimizer.safetensors                 adam_m.NAME, adam_v.NAME
//   OUT/checkpoints/step-00001000/records.bin   RecordSource::list_entry of all records of FILEs
//   OUT/checkpoints/step-00001000/state.json    numbers, settings, checksums of the .safetensors files
//
// A checkpoint is written under a temporary name, synced to disk and renamed; older ones are removed only
// then. So the last checkpoint is complete whenever the process is killed.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/output_directory.h"
#include "ckpt/safetensors_writer.h"
#include "examples/steps.h"
#include "model/module_files.h"
#include "nn/params.h"
#include "nn/weights.h"
#include "train/curve.h"
#include "train/moments.h"
#include "train/optimizer.h"
#include "train/settings.h"

namespace bert::train {

struct State {
  int64_t step = 0;            // steps done
  int64_t optimizer_step = 0;  // t of the bias correction; differs from `step` with another run's moments
  examples::DataPosition data;
  double elapsed_s = 0;
  std::optional<double> best;                        // best value of the metric that selects the model
  int64_t stale = 0;                                 // consecutive evaluations without improvement
  int64_t evaluated = -1;                            // step of the last evaluation
  uint64_t dev_checksum = 0;                         // of the records of the dev set; 0 if unknown or none
  std::vector<std::pair<std::string, double>> sums;  // for the next line of the training log; finite
  Curve curve;
  Settings settings;
  bool operator==(const State&) const = default;

  // The dev set of the resumed run. If its records are others, earlier evaluations do not count, and the
  // result is true.
  bool changes_dev_set(uint64_t checksum);
};

// Writes the model's files and returns what its model.safetensors is.
using WriteModel = std::function<ckpt::WrittenFile(OutputDirectory&)>;

// Copies all numbers of a moment of a tensor to `to`. They may be spread over several owners.
using ReadMoment = std::function<void(Moment moment, int tensor, std::span<float> to)>;

// RecordSource::list_entry.
using ListRecord = std::function<uint64_t(int64_t)>;

// Calls `read` in the order in which Checkpoints::write does, with empty spans: for owners that only send.
void each_moment(const nn::Layout& layout, const ReadMoment& read);

// Reads the weights of a model that a run has written, bit for bit. Throws Error if tensors or shapes differ.
// `trained`: the module whose weights are in a folder of its own; none if model.safetensors has all. A
// generator may be in a folder of its own.
void fill(nn::Params& weights, const std::string& directory, const model::ModuleFiles::Trained& trained = {});

// A checkpoint that has been verified.
class TrainingCheckpoint {
 public:
  // Throws Error if anything differs from what was written.
  explicit TrainingCheckpoint(const std::string& path);

  const std::string& path() const { return path_; }
  const State& state() const { return state_; }
  std::vector<uint64_t> listed_records() const;  // empty if they were not stored

  // Restore the weights and the optimizer bit for bit. Throw Error if tensors or shapes differ from those of
  // the layout, even for slices of moments that are not held.
  void fill(nn::Params& weights) const;
  void fill(Optimizer::State& optimizer) const;

 private:
  std::string path_;
  State state_;
};

// Whether `directory` is a checkpoint rather than the output of a run.
bool is_checkpoint(const std::string& directory);

// The last intact checkpoint in `directory`, see Checkpoints::last(). Creates and locks nothing. `advice`
// ends the message that there is none.
std::optional<TrainingCheckpoint> last_checkpoint(const std::string& directory, Log& log,
                                                  int64_t end = std::numeric_limits<int64_t>::max(),
                                                  std::string_view advice = "");

// Whether `directory` has any, intact or not.
bool has_checkpoints(const std::string& directory);

class Checkpoints {
 public:
  // Creates `directory`, removes leftovers of killed runs and locks it against other processes for the
  // lifetime of this object; throws Error if another process holds the lock. After each write, removes all
  // but the last `keep` checkpoints.
  Checkpoints(std::string directory, int64_t keep, Log& log);
  // Removes directories it created if no checkpoint was written.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // The last intact checkpoint of a step before `end`. Damaged ones are skipped with a warning. nullopt if
  // there are none; throws Error if all are damaged.
  std::optional<TrainingCheckpoint> last(int64_t end = std::numeric_limits<int64_t>::max()) const;

  // Writes a checkpoint and returns its path. If it throws, nothing has changed. Also removes checkpoints of
  // later steps, which are obsolete if the run resumed from an earlier one. Moments are read once for each
  // tensor of the layout, in ascending order of names, first all m, then all v. One is in memory at a time.
  std::string write(const State& state, const WriteModel& write_model, const nn::Layout& layout,
                    const ReadMoment& read_moment, const ListRecord& list_record = {});
  // The same with the moments that one owner holds; others are 0.
  std::string write(const State& state, const WriteModel& write_model, const Moments& moments);

  // Removes all of them.
  void clear() const;

 private:
  void remove_outdated(int64_t written) const;

  std::string directory_;
  int64_t keep_;
  Log& log_;
  bool made_output_ = false;  // whether the parent directory was created here
  FileDescriptor lock_;
};

}  // namespace bert::train
