#include "search/index_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/option.h"
#include "base/output_file.h"
#include "io/sparse_weights.h"
#include "json/json.h"

namespace bert::search {
namespace {

constexpr std::string_view kWeightsDirectory = "sparse_directory";

std::string first_line(const Manifest& manifest) {
  std::string text;
  json::Object object(text);
  object.integer("version", Manifest::kVersion);
  object.string("vectors", manifest.vectors);
  object.string("records", manifest.records);
  object.string("embedding_model", manifest.model);
  object.string("directory", manifest.directory);
  object.integer("width", manifest.width);
  if (manifest.has_weights()) {
    object.string(io::kSparseModel, manifest.weights_model);
    object.string(kWeightsDirectory, manifest.weights_directory);
  }
  object.string("text_field", manifest.fields.text);
  object.string("pair_field", manifest.fields.pair);
  object.key("settings") += manifest.settings;
  object.end();
  return text += '\n';
}

// The JSON of a member that is an object.
std::string object_in(std::string_view line, std::string_view key) {
  const auto begin = line.find("\"" + std::string(key) + "\":{");
  return begin == line.npos
             ? ""
             : std::string(line.substr(begin + key.size() + 3, line.size() - begin - key.size() - 4));
}

Manifest parse_first(std::string_view line) {
  json::Document document;
  const auto root = document.parse(line);
  const auto text = [&](std::string_view key) { return std::string(root.member(key).string()); };
  const auto optional_text = [&](std::string_view key) { return root.find(key) ? text(key) : ""; };
  if (const auto version = root.member("version").integer(); version != Manifest::kVersion) {
    const auto directory = root.find("directory");
    const bool is_known = directory && directory->kind() == json::Value::Kind::string;
    return {.vectors = {},
            .records = {},
            .model = {},
            .directory = is_known ? std::string(directory->string()) : "",
            .settings = {},
            .fields = {},
            .files = {},
            .version = version};
  }
  return {.vectors = text("vectors"),
          .records = text("records"),
          .model = text("embedding_model"),
          .directory = text("directory"),
          .width = root.member("width").integer(),
          .weights_model = optional_text(io::kSparseModel),
          .weights_directory = optional_text(kWeightsDirectory),
          .settings = object_in(line, "settings"),
          .fields = {.text = text("text_field"), .pair = text("pair_field")},
          .files = {}};
}

}  // namespace

void Manifest::write(const std::string& path) const {
  OutputFile output(path);
  auto text = first_line(*this);
  for (const auto& file : files) {
    json::Object object(text);
    object.string("file", file.path);
    object.integer("size", file.size);
    object.integer("time", file.time);
    object.string("checksum", file.checksum);
    object.integer("records", file.records);
    object.integer("bytes", file.bytes);
    object.end();
    text += '\n';
  }
  output.write(text);
  output.commit();
}

Manifest Manifest::read(const std::string& path) {
  const auto text = read_file(path);
  Manifest manifest;
  json::Document document;
  int64_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    try {
      if (++number == 1) {
        manifest = parse_first(line);
        if (!manifest.is_current()) return manifest;
        continue;
      }
      const auto file = document.parse(line);
      manifest.files.push_back({.path = std::string(file.member("file").string()),
                                .size = file.member("size").integer(),
                                .time = file.member("time").integer(),
                                .checksum = std::string(file.member("checksum").string()),
                                .records = file.member("records").integer(),
                                .bytes = file.member("bytes").integer()});
    } catch (const Error& error) {
      throw Error(path, ":", number, ": ", error.what());
    }
  }
  if (number == 0) throw Error(path, ": is empty, expected the manifest of an index");
  return manifest;
}

Manifest IndexFolder::read_current() const {
  auto manifest = read();
  if (!manifest.is_current())
    throw Error(manifest_path(), ": is of version ", manifest.version, ", expected ", Manifest::kVersion,
                "; a search with ", opt::in, " makes it again");
  return manifest;
}

void IndexFolder::create() const {
  std::error_code failure;
  std::filesystem::create_directories(path_, failure);
  if (failure) throw Error(path_, ": ", failure.message());
  for (const auto& name : names_in_directory(path_))
    if (!is_of_index(name))
      throw Error(path_, ": has ", name,
                  ", which is no part of an index; an index needs a folder of its own");
}

std::vector<std::string> IndexFolder::parts() const {
  auto names = names_in_directory(path_);
  std::erase_if(names, [](const std::string& name) {
    return !name.starts_with(kIndexPart) || !name.ends_with(".jsonl");
  });
  return names;
}

void IndexFolder::remove_parts() const {
  for (const auto& name : names_in_directory(path_))
    if (name.starts_with(kIndexPart) || name.starts_with("vectors-part") || name.starts_with("records-part"))
      ::unlink(at(name).c_str());
}

void IndexFolder::remove_all_but(const std::vector<std::string>& names) const {
  for (const auto& name : names_in_directory(path_))
    if (is_of_index(name) && name != kIndexLock && std::ranges::find(names, name) == names.end())
      ::unlink(at(name).c_str());
}

FileDescriptor IndexFolder::lock(Access access) const {
  const auto path = at(kIndexLock);
  const bool writes = access == Access::write;
  FileDescriptor file(::open(path.c_str(), (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0666));
  if (file.get() < 0 && !writes) return file;
  if (file.get() < 0) throw Error(path, ": ", std::strerror(errno));
  while (::flock(file.get(), writes ? LOCK_EX : LOCK_SH) != 0) {
    if (errno == EINTR) continue;
    if (!writes) return file;
    throw Error(path, ": cannot be locked: ", std::strerror(errno));
  }
  return file;
}

}  // namespace bert::search
