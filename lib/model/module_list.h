// The modules of a sentence-transformers directory, as modules.json lists them.
#pragma once

#include <string>
#include <vector>

namespace bert::model {

struct Listed {
  std::string type;  // Python class, as in the file
  std::string kind;  // last component of the class; its package differs between releases
  std::string path;  // folder in the model directory, "" for the directory itself

  bool is_table() const { return kind == "StaticEmbedding"; }
};

struct ModuleList {
  // In order; the first is an encoder. Empty if there is no modules.json.
  std::vector<Listed> modules;
  // A Router of a SparseEncoder sends documents through `modules`, and queries to a SparseStaticEmbedding in
  // this folder of the directory; "": there is none.
  std::string query_table;
};

constexpr auto kModules = "modules.json", kRouter = "router_config.json";

ModuleList read_modules(const std::string& directory);

}  // namespace bert::model
