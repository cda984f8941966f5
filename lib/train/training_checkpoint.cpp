#include "train/training_checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/checksum.h"
#include "base/error.h"
#include "base/output_file.h"
#include "ckpt/checkpoint.h"
#include "ckpt/safetensors.h"
#include "train/state_json.h"

namespace bert::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "state.json";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr std::string_view kPrefix = "step-";
constexpr const char *kFirst = "adam_m.", *kSecond = "adam_v.";  // prefixes of the moments' tensors

std::string in(const std::string& directory, const char* name) {
  return (fs::path(directory) / name).string();
}

// "step-00001000" -> 1000; nullopt for other names.
std::optional<int64_t> step_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto digits = std::string_view(name).substr(kPrefix.size());
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != digits.npos)
    return std::nullopt;
  return std::stoll(std::string(digits));
}

// Temporary names used by OutputDirectory and remove_directory.
bool is_leftover(const std::string& name) {
  return name.starts_with("." + std::string(kPrefix)) && name.ends_with(".tmp");
}

FileDescriptor lock(const std::string& directory) {
  auto file = FileDescriptor::open(directory);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) throw Error(directory, ": another process is training here");
  return file;  // the file system has no locks
}

void clear_leftovers(const std::string& directory) {
  std::error_code error;
  for (const auto& name : names_in_directory(directory)) {
    if (!is_leftover(name)) continue;
    const auto path = fs::path(directory) / name;
    fs::remove_all(path, error);
    if (error) throw Error(path.string(), ": cannot be removed: ", error.message());
  }
}

std::vector<ckpt::TensorToWrite> tensors_of(const Optimizer::State& optimizer) {
  std::vector<ckpt::TensorToWrite> tensors;
  for (const auto& [prefix, params] : {std::pair(kFirst, &optimizer.m), {kSecond, &optimizer.v}}) {
    const auto& entries = params->layout().entries();
    for (size_t place = 0; place < entries.size(); ++place) {
      tensors.push_back({.name = prefix + entries[place].name,
                         .shape = entries[place].shape,
                         .data = std::as_bytes(params->tensor(static_cast<int>(place)))});
    }
  }
  return tensors;
}

void check_file(const std::string& path, const ckpt::WrittenFile& expected) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (static_cast<int64_t>(bytes.size()) != expected.bytes)
    throw Error(file.path(), ": has ", bytes.size(), " bytes, expected ", expected.bytes);
  constexpr size_t kPart = 64 << 20;  // bytes in memory at a time
  Checksum checksum;
  for (size_t begin = 0; begin < bytes.size(); begin += kPart) {
    const auto part = bytes.subspan(begin, std::min(kPart, bytes.size() - begin));
    checksum.add(part);
    MappedFile::release(part);
  }
  if (checksum.value() != expected.checksum) throw Error(file.path(), ": the checksum does not match");
}

void fill_tensor(const ckpt::StoredTensor& tensor, const nn::LayoutEntry& entry, std::span<float> to) {
  if (tensor.dtype != Dtype::f32 || tensor.shape != entry.shape) {
    throw Error(tensor.file, ": ", tensor.name, " is ", name_of(tensor.dtype), " ",
                ckpt::shape_text(tensor.shape), ", expected F32 ", ckpt::shape_text(entry.shape));
  }
  std::memcpy(to.data(), tensor.data.data(), to.size_bytes());
  MappedFile::release(tensor.data);
}

// Fills `params` with the tensors whose names begin with `prefix`, which must be exactly those of its layout.
void fill_tensors(std::span<const ckpt::StoredTensor> tensors, const std::string& file,
                  const std::string& prefix, nn::Params& params) {
  std::map<std::string_view, const ckpt::StoredTensor*> rest;  // not yet used, by name
  for (const auto& tensor : tensors) {
    if (tensor.name.starts_with(prefix)) rest[tensor.name] = &tensor;
  }
  const auto& entries = params.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto found = rest.find(prefix + entries[place].name);
    if (found == rest.end()) throw Error(file, ": ", prefix, entries[place].name, " is missing");
    fill_tensor(*found->second, entries[place], params.tensor(static_cast<int>(place)));
    rest.erase(found);
  }
  if (!rest.empty()) throw Error(file, ": contains ", rest.begin()->first, ", which the model does not have");
}

std::string path_in(const std::string& directory, int64_t step) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%08lld", static_cast<long long>(step));
  return (fs::path(directory) / std::string(kPrefix).append(digits)).string();
}

// In ascending order.
std::vector<int64_t> steps_in(const std::string& directory) {
  std::vector<int64_t> steps;
  for (const auto& name : names_in_directory(directory)) {
    const auto step = step_of(name);
    if (step && path_in(directory, *step) == fs::path(directory) / name) steps.push_back(*step);
  }
  std::ranges::sort(steps);
  return steps;
}

}  // namespace

TrainingCheckpoint::TrainingCheckpoint(const std::string& path) : path_(path) {
  const auto state_path = in(path, kStateFile);
  auto stated = parse_state(state_path, read_file(state_path));
  check_file(in(path, kWeightsFile), stated.weights);
  check_file(in(path, kOptimizerFile), stated.optimizer);
  state_ = std::move(stated.state);
}

void TrainingCheckpoint::fill(nn::Params& weights) const {
  const auto stored = ckpt::Checkpoint::open(path_);
  fill_tensors(stored.tensors(), in(path_, kWeightsFile), "", weights);
}

void TrainingCheckpoint::fill(Optimizer::State& optimizer) const {
  const MappedFile file(in(path_, kOptimizerFile));
  const auto contents = ckpt::read_safetensors(file);
  fill_tensors(contents.tensors, file.path(), kFirst, optimizer.m);
  fill_tensors(contents.tensors, file.path(), kSecond, optimizer.v);
  optimizer.steps = state_.optimizer_step;
}

bool is_checkpoint(const std::string& directory) { return is_file(in(directory, kStateFile)); }

std::optional<TrainingCheckpoint> last_checkpoint(const std::string& directory, Log& log, int64_t end) {
  if (!is_directory(directory)) return std::nullopt;
  bool damaged = false;
  const auto all = steps_in(directory);
  for (auto step = all.rbegin(); step != all.rend(); ++step) {
    if (*step >= end) continue;
    try {
      return TrainingCheckpoint(path_in(directory, *step));
    } catch (const Error& error) {
      log.warn(std::string(error.what()) + "; the checkpoint is skipped");
      damaged = true;
    }
  }
  if (damaged) throw Error(directory, ": all checkpoints are damaged");
  return std::nullopt;
}

Checkpoints::Checkpoints(std::string directory, int64_t keep, Log& log)
    : directory_(std::move(directory)), keep_(keep), log_(log) {
  assert(keep >= 1);
  std::error_code error;
  const auto output = fs::path(directory_).parent_path();
  made_output_ = !output.empty() && kind_of(output.string()) == FileKind::absent;
  fs::create_directories(directory_, error);
  if (error) throw Error(directory_, ": ", error.message());
  lock_ = lock(directory_);
  clear_leftovers(directory_);
}

Checkpoints::~Checkpoints() {
  std::error_code is_not_empty;
  if (!fs::remove(directory_, is_not_empty)) return;
  const auto output = fs::path(directory_).parent_path();
  if (made_output_ && !output.empty()) fs::remove(output, is_not_empty);
}

std::optional<TrainingCheckpoint> Checkpoints::last(int64_t end) const {
  return last_checkpoint(directory_, log_, end);
}

std::string Checkpoints::write(const State& state, const WriteModel& write_model,
                               const Optimizer::State& optimizer) {
  const auto path = path_in(directory_, state.step);
  OutputDirectory output(path, [](const std::string&) { return false; });
  output.write([&] {
    const auto weights = write_model(output);
    const auto moments = ckpt::write_safetensors(output.file(kOptimizerFile), tensors_of(optimizer));
    OutputFile file(output.file(kStateFile));
    file.write(state_json({state, weights, moments}));
    file.commit();
  });
  output.commit();
  remove_outdated(state.step);
  return path;
}

void Checkpoints::remove_outdated(int64_t written) const {
  const auto all = steps_in(directory_);
  const auto newer = std::ranges::upper_bound(all, written);
  const auto kept = std::max<std::ptrdiff_t>(newer - all.begin() - keep_, 0);
  for (auto step = all.begin(); step != all.end(); ++step) {
    if (step - all.begin() < kept || step >= newer) remove_directory(path_in(directory_, *step));
  }
}

}  // namespace bert::train
