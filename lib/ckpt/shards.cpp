#include "ckpt/shards.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "ckpt/forms.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

using Names = std::set<std::string, std::less<>>;

// Whether this is the name of a file in the same directory, without control characters.
bool is_plain(std::string_view name) {
  const auto control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; };
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         std::none_of(name.begin(), name.end(), control);
}

// The tensors listed in the index, by file. Shards must be in the directory of the index; other paths are
// rejected.
std::map<std::string, Names> read_index(const std::string& path) {
  const json::File index(path);
  const auto weight_map = index.find("weight_map");
  if (!weight_map) throw Error(path, ": \"weight_map\" is missing");
  std::map<std::string, Names> shards;
  try {
    for (const auto& [name, value] : weight_map->members()) {
      const std::string file(value.string());
      if (!is_plain(file)) {
        throw Error("has the file ", json::in_quotes(file), ", expected a file name without a directory");
      }
      if (!shards[file].insert(std::string(name)).second)
        throw Error("has ", json::in_quotes(name), " twice");
    }
  } catch (const Error& error) {
    throw Error(path, ": \"weight_map\" ", error.what());
  }
  if (shards.empty()) throw Error(path, ": \"weight_map\" names no file");
  return shards;
}

// Removes `name`, found in `file`, from the tensors that the index lists for this file.
void expect(Names& promised, const std::string& name, const std::string& file, const std::string& index) {
  if (promised.erase(name) == 0) {
    throw Error(file, ": tensor ", json::in_quotes(name), " is in this file, but not according to ", index);
  }
}

}  // namespace

Contents read_shards(const std::string& path, std::vector<MappedFile>& files) {
  auto shards = read_index(path);
  Contents all;
  for (auto& [name, promised] : shards) {
    files.emplace_back((std::filesystem::path(path).parent_path() / name).string());
    const auto& file = files.back();
    auto contents = read_single(file);
    for (auto& tensor : contents.tensors) {
      expect(promised, tensor.name, file.path(), path);
      all.tensors.push_back(std::move(tensor));
    }
    for (auto& tensor : contents.unread) {
      expect(promised, tensor.name, file.path(), path);
      all.unread.push_back(std::move(tensor));
    }
    if (!promised.empty()) {
      throw Error(file.path(), ": tensor ", json::in_quotes(*promised.begin()), " is missing; according to ",
                  path, " it is in this file");
    }
  }
  return all;
}

}  // namespace bert::ckpt
