#include "hub/cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace bert::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModels = "models--";

// "" if unset.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// ~ at the beginning of a variable is the home directory, as in the Python libraries.
fs::path expanded(const std::string& path) {
  return path.starts_with("~/") ? fs::path(variable("HOME")) / path.substr(2) : fs::path(path);
}

std::optional<fs::path> hub_home() {
  if (const auto home = variable("HF_HOME"); !home.empty()) return expanded(home);
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return expanded(cache) / "huggingface";
  const auto home = variable("HOME");
  if (home.empty()) return std::nullopt;
  return fs::path(home) / ".cache/huggingface";
}

std::string first_line(const std::string& path) {
  if (!is_file(path)) return "";
  const auto text = read_file(path);
  return text.substr(0, text.find_first_of(" \r\n"));
}

// Characters of the Hub's names, and of branches and tags; no part of a path is "..".
bool is_plain(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, plain) && text.front() != '.' && text.front() != '/' &&
         text.front() != '-' && text.back() != '/' && text.find("..") == text.npos &&
         text.find("//") == text.npos;
}

}  // namespace

std::optional<ModelName> ModelName::parse(std::string_view text) {
  ModelName model;
  if (const size_t at = text.find('@'); at != text.npos) {
    model.revision = text.substr(at + 1);
    text = text.substr(0, at);
  }
  if (!is_plain(text) || !is_plain(model.revision) || std::ranges::count(text, '/') > 1) return std::nullopt;
  model.name = text;
  return model;
}

std::optional<std::string> cache_directory() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const auto cache = variable(name); !cache.empty()) return expanded(cache).string();
  const auto home = hub_home();
  return home ? std::optional((*home / "hub").string()) : std::nullopt;
}

std::string access_token() {
  if (const auto token = variable("HF_TOKEN"); !token.empty()) return token;
  if (const auto path = variable("HF_TOKEN_PATH"); !path.empty()) return first_line(expanded(path).string());
  const auto home = hub_home();
  return home ? first_line((*home / "token").string()) : "";
}

std::string directory_of(const ModelName& model) {
  const auto cache = cache_directory();
  if (!cache) throw Error("no cache for models of the Hugging Face Hub: set HF_HOME or HOME");
  std::string folder = std::string(kModels) + model.name;
  if (const size_t slash = folder.find('/'); slash != folder.npos) folder.replace(slash, 1, "--");
  return (fs::path(*cache) / folder).string();
}

std::string name_of_snapshot(const fs::path& directory) {
  const auto parent = directory.parent_path();
  auto name = parent.parent_path().filename().string();
  if (parent.filename() != "snapshots" || !name.starts_with(kModels)) return "";
  name.erase(0, kModels.size());
  if (const size_t end = name.find("--"); end != name.npos) name.replace(end, 2, "/");
  return name;
}

std::optional<std::string> cached_snapshot(const ModelName& model) {
  if (!cache_directory()) return std::nullopt;
  const fs::path directory = directory_of(model);
  const auto commit = first_line((directory / "refs" / model.revision).string());
  const auto snapshot = directory / "snapshots" / (commit.empty() ? model.revision : commit);
  if (!is_directory(snapshot.string())) return std::nullopt;
  return snapshot.string();
}

}  // namespace bert::hub
