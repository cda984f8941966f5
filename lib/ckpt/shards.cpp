#include "ckpt/shards.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "ckpt/forms.h"
#include "io/json.h"

namespace bert::ckpt {
namespace {

using Names = std::set<std::string, std::less<>>;

// A file of the same directory, by a name that fits a message.
bool is_plain(std::string_view name) {
  const auto control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; };
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         std::none_of(name.begin(), name.end(), control);
}

// The tensors that the index promises, by file. A shard lies in the directory of its index: a path to
// elsewhere is refused.
std::map<std::string, Names> read_index(const std::string& path) {
  const io::JsonFile index(path);
  const auto weight_map = index.find("weight_map");
  if (!weight_map) throw Error(path, ": \"weight_map\" is missing");
  std::map<std::string, Names> shards;
  try {
    for (const auto& [name, value] : weight_map->members()) {
      const std::string file(value.string());
      if (!is_plain(file)) {
        throw Error("has the file ", io::in_quotes(file), ", expected a plain name");
      }
      if (!shards[file].insert(std::string(name)).second) throw Error("has ", io::in_quotes(name), " twice");
    }
  } catch (const Error& error) {
    throw Error(path, ": \"weight_map\" ", error.what());
  }
  if (shards.empty()) throw Error(path, ": \"weight_map\" names no file");
  return shards;
}

// Strikes `name`, found in `file`, off what the index promises there.
void expect(Names& promised, const std::string& name, const std::string& file, const std::string& index) {
  if (promised.erase(name) == 0) {
    throw Error(file, ": tensor ", io::in_quotes(name), " is not what ", index, " has in this file");
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
      throw Error(file.path(), ": tensor ", io::in_quotes(*promised.begin()), " is missing, ", path,
                  " has it in this file");
    }
  }
  return all;
}

}  // namespace bert::ckpt
