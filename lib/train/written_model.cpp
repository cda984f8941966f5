#include "train/written_model.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/checksum.h"
#include "base/file.h"
#include "base/output_file.h"
#include "json/json.h"
#include "model/save.h"

namespace bert::train {
namespace {

std::map<std::string, uint64_t> version_of(const std::string& directory) {
  std::map<std::string, uint64_t> version;
  for (const auto& name : model::files_of_model(directory)) {
    version[name] = checksum(MappedFile((std::filesystem::path(directory) / name).string()));
  }
  return version;
}

bool is_of_weights(const std::pair<const std::string, uint64_t>& file) {
  const auto& name = file.first;
  return name.find('/') == name.npos && (name.ends_with(".safetensors") || name.ends_with(".bin"));
}

}  // namespace

WrittenModel::WrittenModel(std::string out, bool continued)
    : out_(std::move(out)),
      path_((std::filesystem::path(out_) / "checkpoints" / "model.json").string()),
      present_(version_of(out_)) {
  if (is_file(path_)) {
    const json::File file(path_);
    for (const auto& stored : file.root().member("models").elements()) {
      Version& version = known_.emplace_back();
      for (const auto& [name, sum] : stored.members()) version[std::string(name)] = sum.integer();
    }
  } else if (continued) {  // by an earlier version
    known_ = {present_};
  }
}

std::string WrittenModel::foreign_file() const {
  if (std::ranges::none_of(present_, is_of_weights)) return "";  // no model
  auto names = present_;
  for (const auto& version : known_) names.insert(version.begin(), version.end());
  const auto same = [](const Version& a, const Version& b, const std::string& name) {
    const auto in_a = a.find(name), in_b = b.find(name);
    return in_a == a.end() || in_b == b.end() ? (in_a == a.end()) == (in_b == b.end())
                                              : in_a->second == in_b->second;
  };
  for (const auto& file : names)
    if (std::ranges::none_of(known_, [&](const Version& known) { return same(known, present_, file.first); }))
      return file.first;
  return "";
}

void WrittenModel::replaced_by(const std::string& folder) {
  known_ = {std::exchange(present_, version_of(folder))};
  known_.push_back(present_);
  write();
}

void WrittenModel::write() const {
  std::string text;
  json::Object object(text);
  json::append_array(object.key("models"), known_, [](std::string& out, const Version& version) {
    json::Object files(out);
    for (const auto& [name, sum] : version) files.integer(name, sum);
    files.end();
  });
  object.end();
  OutputFile file(path_);
  file.write(text + "\n");
  file.commit();
}

}  // namespace bert::train
