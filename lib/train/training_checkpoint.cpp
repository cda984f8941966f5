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
#include <numeric>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "base/output_file.h"
#include "ckpt/checkpoint.h"
#include "ckpt/safetensors.h"
#include "model/model_type.h"
#include "model/parts.h"
#include "train/state_json.h"

namespace bert::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "state.json";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kRecordsFile = "records.bin";
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr std::string_view kPrefix = "step-";

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

// Temporary names used by OutputDirectory and remove_directory, and by OutputFile for WrittenModel's file.
bool is_leftover(const std::string& name) {
  return (name.starts_with("." + std::string(kPrefix)) && name.ends_with(".tmp")) || is_temporary_name(name);
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

// Prefix of the names of tensors.
std::string prefix_of(Moment moment) { return moment == Moment::m ? "adam_m." : "adam_v."; }

ckpt::WrittenFile write_moments(const std::string& path, const nn::Layout& layout,
                                const ReadMoment& read_moment) {
  std::vector<float> numbers;  // of one tensor
  std::vector<ckpt::TensorToWrite> tensors;
  for (const Moment moment : {Moment::m, Moment::v}) {
    for (size_t place = 0; place < layout.entries().size(); ++place) {
      const auto& entry = layout.entries()[place];
      tensors.push_back(
          {.name = prefix_of(moment) + entry.name, .shape = entry.shape, .load = [&, moment, place] {
             numbers.resize(entry.count());
             read_moment(moment, place, numbers);
             return std::as_bytes(std::span(std::as_const(numbers)));
           }});
    }
  }
  return ckpt::write_safetensors(path, tensors);
}

std::string_view bytes_of(const uint64_t& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

// 64-bit numbers, the last of which is the checksum of the others.
void write_records(const std::string& path, int64_t count, const ListRecord& list_record) {
  constexpr size_t kPart = 1 << 20;  // bytes
  OutputFile file(path);
  Checksum checksum;
  std::string part;
  for (int64_t i = 0; i < count; ++i) {
    part += bytes_of(list_record(i));
    if (part.size() < kPart && i + 1 < count) continue;
    checksum.add(part);
    file.write(part);
    part.clear();
  }
  file.write(bytes_of(checksum.value()));
  file.commit();
}

std::vector<uint64_t> read_records(const std::string& path) {
  const auto bytes = read_file(path);
  std::vector<uint64_t> numbers(bytes.size() / sizeof(uint64_t));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(uint64_t));
  Checksum checksum;
  if (!numbers.empty())
    checksum.add(std::string_view(bytes).substr(0, (numbers.size() - 1) * sizeof(uint64_t)));
  if (numbers.empty() || bytes.size() % sizeof(uint64_t) != 0 || numbers.back() != checksum.value())
    throw Error(path, ": the checksum does not match");
  numbers.pop_back();
  return numbers;
}

void check_file(const std::string& path, const ckpt::WrittenFile& expected) {
  const MappedFile file(path);
  if (std::ssize(file.bytes()) != expected.bytes)
    throw Error(file.path(), ": has ", file.bytes().size(), " bytes, expected ", expected.bytes);
  if (checksum(file) != expected.checksum) throw Error(file.path(), ": the checksum does not match");
}

void check_tensor(const ckpt::StoredTensor& tensor, const nn::LayoutEntry& entry) {
  if (tensor.dtype == Dtype::f32 && tensor.shape == entry.shape) return;
  throw Error(tensor.file, ": ", tensor.name, " is ", name_of(tensor.dtype), " ",
              ckpt::shape_text(tensor.shape), ", expected F32 ", ckpt::shape_text(entry.shape));
}

// Takes the numbers of a tensor of the layout.
using Take = std::function<void(int tensor, std::span<const std::byte> numbers)>;

// Takes the tensors whose names begin with `prefix`, which must be exactly those of the layout.
void take_tensors(std::span<const ckpt::StoredTensor> tensors, const std::string& file,
                  const std::string& prefix, const nn::Layout& layout, const Take& take) {
  std::map<std::string_view, const ckpt::StoredTensor*> rest;  // not yet used, by name
  for (const auto& tensor : tensors) {
    if (tensor.name.starts_with(prefix)) rest[tensor.name] = &tensor;
  }
  const auto& entries = layout.entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto found = rest.find(prefix + entries[place].name);
    if (found == rest.end()) throw Error(file, ": ", prefix, entries[place].name, " is missing");
    const auto& tensor = *found->second;
    check_tensor(tensor, entries[place]);
    take(place, tensor.data);
    MappedFile::release(tensor.data);
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

bool State::changes_dev_set(uint64_t checksum) {
  const auto before = std::exchange(dev_checksum, checksum);
  if (before == 0 || before == checksum) return false;
  best.reset();
  stale = 0;
  evaluated = -1;
  return true;
}

void each_moment(const nn::Layout& layout, const ReadMoment& read) {
  const auto& entries = layout.entries();
  std::vector<int> order(entries.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int i) -> const std::string& { return entries[i].name; });
  for (const Moment moment : {Moment::m, Moment::v})
    for (const int tensor : order) read(moment, tensor, {});
}

TrainingCheckpoint::TrainingCheckpoint(const std::string& path) : path_(path) {
  const auto state_path = in(path, kStateFile);
  auto stated = parse_state(state_path, read_file(state_path));
  check_file(in(path, kWeightsFile), stated.weights);
  check_file(in(path, kOptimizerFile), stated.optimizer);
  static_cast<void>(listed_records());  // throws if they are damaged
  state_ = std::move(stated.state);
}

std::vector<uint64_t> TrainingCheckpoint::listed_records() const {
  const auto path = in(path_, kRecordsFile);
  return is_file(path) ? read_records(path) : std::vector<uint64_t>();
}

void TrainingCheckpoint::fill(nn::Params& weights) const { train::fill(weights, path_); }

void fill(nn::Params& weights, const std::string& directory, const model::ModuleFiles::Trained& trained) {
  const auto stored = ckpt::Checkpoint::open(directory);
  auto tensors = stored.tensors();
  const auto& entries = weights.layout().entries();
  const auto has = [&](std::string_view name) {
    return std::ranges::find(entries, name, &nn::LayoutEntry::name) != entries.end();
  };
  const bool generates = std::ranges::any_of(entries, model::is_of_generator, &nn::LayoutEntry::name);
  const auto beside = in(directory, model::kGenerator.data());
  std::optional<ckpt::Checkpoint> generator;
  if (generates && is_directory(beside)) generator = ckpt::Checkpoint::open(beside);
  for (auto tensor : generator ? generator->tensors() : decltype(tensors)()) {
    auto own = std::string(model::kGeneratorPrefix) + tensor.name;
    if (has(tensor.name) && !has(own)) continue;  // shared
    tensor.name = std::move(own);
    tensors.push_back(std::move(tensor));
  }
  std::optional<ckpt::Checkpoint> module;
  if (!trained.folder.empty()) {
    module = ckpt::Checkpoint::open(in(directory, trained.folder.c_str()));
    for (auto tensor : module->tensors()) {
      tensor.name.replace(0, trained.in_folder.size(), trained.in_network);
      tensors.push_back(std::move(tensor));
    }
  }
  take_tensors(tensors, in(directory, kWeightsFile), "", weights.layout(),
               [&](int tensor, std::span<const std::byte> numbers) {
                 std::memcpy(weights.tensor(tensor).data(), numbers.data(), numbers.size());
               });
}

void TrainingCheckpoint::fill(Optimizer::State& optimizer) const {
  const MappedFile file(in(path_, kOptimizerFile));
  const auto contents = ckpt::read_safetensors(file);
  auto& moments = optimizer.moments;
  for (const Moment moment : {Moment::m, Moment::v}) {
    take_tensors(
        contents.tensors, file.path(), prefix_of(moment), moments.layout(),
        [&](int tensor, std::span<const std::byte> numbers) { moments.fill(moment, tensor, numbers); });
  }
  optimizer.steps = state_.optimizer_step;
}

bool is_checkpoint(const std::string& directory) { return is_file(in(directory, kStateFile)); }

std::optional<TrainingCheckpoint> last_checkpoint(const std::string& directory, Log& log, int64_t end,
                                                  std::string_view advice) {
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
  if (damaged) throw Error(directory, ": all checkpoints are damaged", advice);
  return std::nullopt;
}

bool has_checkpoints(const std::string& directory) {
  return is_directory(directory) && !steps_in(directory).empty();
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
  return last_checkpoint(directory_, log_, end,
                         "; start over with " + opt::force + " instead of " + opt::resume);
}

std::string Checkpoints::write(const State& state, const WriteModel& write_model, const Moments& moments) {
  return write(state, write_model, moments.layout(),
               [&](Moment moment, int tensor, std::span<float> to) { moments.read(moment, tensor, to); });
}

std::string Checkpoints::write(const State& state, const WriteModel& write_model, const nn::Layout& layout,
                               const ReadMoment& read_moment, const ListRecord& list_record) {
  auto path = path_in(directory_, state.step);
  OutputDirectory output(path, [](const fs::path&) { return false; });
  output.write([&] {
    const auto weights = write_model(output);
    const auto moments = write_moments(output.file(kOptimizerFile), layout, read_moment);
    if (list_record && state.data.records > 0)
      write_records(output.file(kRecordsFile), state.data.records, list_record);
    OutputFile file(output.file(kStateFile));
    file.write(state_json({state, weights, moments}));
    file.commit();
  });
  output.commit();
  remove_outdated(state.step);
  return path;
}

void Checkpoints::clear() const {
  for (const auto step : steps_in(directory_)) remove_directory(path_in(directory_, step));
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
