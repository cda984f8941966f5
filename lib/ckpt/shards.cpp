#include "ckpt/shards.h"

#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "ckpt/names.h"
#include "ckpt/safetensors.h"
#include "io/json.h"

namespace bert::ckpt {
namespace {

using Names = std::set<std::string, std::less<>>;

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
      if (file.empty() || file == "." || file == ".." || file.find('/') != file.npos ||
          file.find('\0') != file.npos) {
        throw Error("has the file ", quoted(file), ", expected a name without a path");
      }
      if (!shards[file].insert(std::string(name)).second) throw Error("has ", quoted(name), " twice");
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
    throw Error(file, ": tensor ", quoted(name), " is not what ", index, " has in this file");
  }
}

}  // namespace

Contents read_shards(const std::string& path, std::vector<MappedFile>& files) {
  auto shards = read_index(path);
  Contents all;
  for (auto& [name, promised] : shards) {
    files.emplace_back((std::filesystem::path(path).parent_path() / name).string());
    const auto& file = files.back();
    auto contents = read_safetensors(file);
    for (auto& tensor : contents.tensors) {
      expect(promised, tensor.name, file.path(), path);
      all.tensors.push_back(std::move(tensor));
    }
    for (auto& tensor : contents.unread) {
      expect(promised, tensor.name, file.path(), path);
      all.unread.push_back(std::move(tensor));
    }
    if (!promised.empty()) {
      throw Error(file.path(), ": tensor ", quoted(*promised.begin()), " is missing, ", path,
                  " has it in this file");
    }
  }
  return all;
}

}  // namespace bert::ckpt
