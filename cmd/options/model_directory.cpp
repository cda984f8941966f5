#include "options/model_directory.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/model_files.h"
#include "base/option.h"
#include "cli/app.h"
#include "hub/cache.h"
#include "options/installed.h"

namespace bert::cmd {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_installed(std::string_view relative) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  return (executable.parent_path() / relative).lexically_normal();
}

std::optional<fs::path> installed_model(std::string_view name) {
  return find_installed(BERT_MODELS "/" + std::string(name));
}

fs::path default_model(std::string_view ways) {
  const auto directory = installed_model("default-model");
  std::error_code error;
  if (!directory)
    throw cli::UsageError("no model: ", ways, "; the default model cannot be found without /proc/self/exe");
  if (!fs::is_directory(*directory, error))
    throw cli::UsageError("no model: ", ways, "; there is no default model in ", directory->string());
  return *directory;
}

// Whether `path` may be the name of a model on the Hugging Face Hub: ORG/NAME, or the NAME of an old one.
bool looks_like_hub_name(std::string_view path) {
  const auto model = hub::ModelName::parse(path);
  if (!model) return false;
  const auto& name = model->name;
  if (const size_t slash = name.find('/'); slash != name.npos)
    return kind_of(name.substr(0, slash)) == FileKind::absent;
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return has("-") && (has("bert") || has("BERT") || has("MiniLM"));
}

// The name of a model on the Hugging Face Hub that `path` may be, also as the address of its page; "" if
// none: https://huggingface.co/ORG/NAME/tree/main -> ORG/NAME
std::string hub_name(std::string_view path) {
  constexpr std::string_view kSite = "huggingface.co/";
  std::string_view name = path;
  for (const std::string_view protocol : {"https://", "http://"})
    if (name.starts_with(protocol)) name.remove_prefix(protocol.size());
  if (!name.starts_with(kSite)) return looks_like_hub_name(path) ? std::string(path) : "";
  name.remove_prefix(kSite.size());
  name = name.substr(0, name.find("/tree/"));
  name = name.substr(0, name.find_last_not_of('/') + 1);
  return hub::ModelName::parse(name) ? std::string(name) : "";
}

// The last checkpoint in a folder of checkpoints; "" if it is none.
std::string last_checkpoint_in(const fs::path& folder) {
  if (!is_directory(folder.string())) return "";
  std::string last;
  for (const auto& name : names_in_directory(folder.string()))
    if (name.starts_with("step-")) last = (folder / name).string();
  return last;
}

// The model of the Hub that `path` names, in the cache; Error if it is not there.
std::string find_in_cache(const std::string& path, std::string_view from) {
  const auto name = hub_name(path);
  const auto model = hub::ModelName::parse(name.empty() ? path : name);
  if (model)
    if (auto snapshot = hub::cached_snapshot(*model)) return *std::move(snapshot);
  if (name.empty()) throw Error(from, path, ": no such model directory");
  throw Error(from, path, ": is neither a model directory nor a model in the cache of the Hugging Face Hub, ",
              hub::cache_directory().value_or("which needs HF_HOME or HOME"),
              "; to download it, type: bert-fetch ", name);
}

// The directory of a model that comes with the tools, such as "static-model"; "" if there is none of the
// name.
std::string find_by_name(const std::string& name) {
  if (name.empty() || name.find('/') != name.npos || name.front() == '.') return "";
  const auto directory = installed_model(name);
  return directory && is_directory(directory->string()) ? directory->string() : "";
}

// `path`, or the directory of the model that it names, which came with the tools or is in the cache.
std::string find_directory(const std::string& path, std::string_view from) {
  const auto kind = kind_of(path);
  if (kind == FileKind::absent) {
    const auto own = find_by_name(path);
    return own.empty() ? find_in_cache(path, from) : own;
  }
  if (kind != FileKind::directory) throw Error(from, path, ": is a file, expected a model directory");
  for (const auto* name : {"config.json", "modules.json"})
    if (is_file((fs::path(path) / name).string())) return path;
  if (const auto last = last_checkpoint_in(path); !last.empty())
    throw Error(from, path, ": has the checkpoints of a training run: use ", last);
  if (const auto last = last_checkpoint_in(fs::path(path) / "checkpoints"); !last.empty())
    throw Error(from, path, ": has the checkpoints of an unfinished training run and no model yet: use ",
                last, ", or finish the run with bert-train ", opt::resume);
  return path;
}

bool is_of_model(const std::string& name) {
  return is_settings_file(name) || is_tokenizer_file(name) || name == "bert_config.json" ||
         name.ends_with(".safetensors") || name.ends_with(".index.json") || name.ends_with(".index") ||
         name.find(".data-") != std::string::npos ||
         (name.starts_with("pytorch_model") && name.ends_with(".bin"));
}

}  // namespace

std::string find_model_directory(const std::string& given) { return find_directory(given, ""); }

void read_files_beside(cli::App& app, const std::string& path, const std::string& option) {
  app.reads(option, path);
  const auto folder = fs::path(path).parent_path();
  read_files_of(app, folder.empty() ? "." : folder.string(), option);
}

void read_files_of(cli::App& app, const std::string& model, const std::string& option) {
  std::error_code error;
  fs::recursive_directory_iterator entry(model, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    const bool module = entry.depth() == 0 && name.front() >= '0' && name.front() <= '9';  // 1_Pooling
    if (!module) entry.disable_recursion_pending();
    if (is_of_model(name)) app.reads(option, entry->path());
  }
}

fs::path installed(std::string_view relative) {
  const auto path = find_installed(relative);
  if (!path) throw Error("files that are installed with the tools cannot be found without /proc/self/exe");
  return *path;
}

std::string model_directory(const std::string& given, std::string_view ways) {
  if (!given.empty()) return find_directory(given, "");
  if (const char* const named = std::getenv("BERT_MODEL"); named != nullptr && *named != '\0')
    return find_directory(named, "BERT_MODEL: ");
  return default_model(ways).string();
}

}  // namespace bert::cmd
