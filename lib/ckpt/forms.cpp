#include "ckpt/forms.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/download.h"
#include "base/error.h"
#include "base/file.h"
#include "ckpt/checkpoint.h"
#include "ckpt/names.h"
#include "ckpt/pytorch.h"
#include "ckpt/safetensors.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTableSuffix = ".index", kJsonSuffix = ".index.json";
constexpr auto kForms =
    "model.safetensors, pytorch_model.bin (either may be sharded) or a TensorFlow checkpoint (*.index)";

WeightsFile by_name(std::string path) {
  const auto form = path.ends_with(kJsonSuffix)    ? Form::sharded
                    : path.ends_with(kTableSuffix) ? Form::tensorflow
                                                   : Form::single;
  return {form, std::move(path)};
}

// The file names in `directory` that end with `suffix`, sorted.
std::vector<std::string> names_ending(const fs::path& directory, std::string_view suffix) {
  auto names = names_in_directory(directory.string());
  std::erase_if(names, [&](const auto& name) { return !name.ends_with(suffix); });
  return names;
}

// The prefix in TensorFlow's file "checkpoint": model_checkpoint_path: "model.ckpt-1000". The directory part
// of the path refers to the training machine and is ignored.
std::string latest_checkpoint(const fs::path& directory) {
  constexpr std::string_view kKey = "model_checkpoint_path:";
  constexpr std::uintmax_t kMaxBytes = 1 << 20;
  const auto path = directory / "checkpoint";
  std::error_code failure;
  if (!is_file(path) || fs::file_size(path, failure) > kMaxBytes) return "";
  const auto text = read_file(path.string());
  const size_t key = text.starts_with(kKey) ? 0 : text.find("\n" + std::string(kKey));
  const size_t open = key == text.npos ? key : text.find('"', key);
  const size_t close = open == text.npos ? open : text.find('"', open + 1);
  if (close == text.npos) return "";
  return fs::path(text.substr(open + 1, close - open - 1)).filename().string();
}

std::optional<fs::path> tensorflow_index(const fs::path& directory) {
  for (const auto& prefix : {latest_checkpoint(directory), std::string("bert_model.ckpt")}) {
    const auto path = directory / (prefix + std::string(kTableSuffix));
    if (!prefix.empty() && is_file(path)) return path;
  }
  const auto found = names_ending(directory, kTableSuffix);
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return directory / found[0];
  throw Error(directory.string(), ": has ", found.size(), " TensorFlow checkpoints, among them ",
              json::in_quotes(found[0]), " and ", json::in_quotes(found[1]),
              ", and no file \"checkpoint\" that selects one");
}

// A file of `directory` with weights in an unsupported format; "" if there is none.
std::string other_form(const fs::path& directory) {
  for (const auto* name : {"tf_model.h5", "flax_model.msgpack"}) {
    if (is_file(directory / name)) return name;
  }
  const auto first_form = names_ending(directory, ".ckpt");
  return first_form.empty() ? "" : first_form[0];
}

}  // namespace

WeightsFile find_weights(const std::string& path) {
  if (is_file(path)) return by_name(path);
  if (is_file(path + std::string(kTableSuffix))) return by_name(path + std::string(kTableSuffix));
  const fs::path directory(path);
  if (!is_directory(path)) throw Error(path, ": no such model directory");
  for (const auto* name : {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                           "pytorch_model.bin.index.json"}) {
    if (is_file(directory / name)) return by_name((directory / name).string());
  }
  if (const auto index = tensorflow_index(directory)) return by_name(index->string());
  const auto other = other_form(directory);
  if (other.empty()) throw Error(path, ": has no weights, expected ", kForms);
  throw Error(path, ": has weights in ", json::in_quotes(other), ", an unsupported format; expected ",
              kForms);
}

Contents read_weights(const WeightsFile& weights, std::vector<MappedFile>& files, DataSums sums) {
  if (weights.form == Form::tensorflow) return read_tensorflow(weights.path, files, sums);
  if (weights.form == Form::sharded) return read_shards(weights.path, files);
  files.emplace_back(weights.path);
  return read_single(files.back());
}

Contents read_single(const MappedFile& file) {
  refuse_failed_download(file.path(), file.text());
  constexpr std::array<std::string_view, 3> kPyTorch = {".bin", ".pt", ".pth"};
  const bool named =
      std::ranges::any_of(kPyTorch, [&](auto suffix) { return file.path().ends_with(suffix); });
  return named || is_pytorch(file) ? read_pytorch(file) : read_safetensors(file);
}

}  // namespace bert::ckpt
