#include "model/module_list.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"

namespace bert::model {

using json::in_quotes;

namespace {

namespace fs = std::filesystem;

std::string kind_of_class(const std::string& type) { return type.substr(type.rfind('.') + 1); }

void require_subfolder(const std::string& path) {
  for (const auto& part : fs::path(path))
    if (part == ".." || part == "/") throw Error("has the path ", in_quotes(path), ", expected a subfolder");
}

Listed read_listed(const json::Value& entry) {
  const auto member = [&](std::string_view key) {
    const auto value = entry.find(key);
    if (!value) throw Error("has no \"", key, "\"");
    return std::string(value->string());
  };
  Listed listed{.type = member("type"), .path = member("path")};
  if (listed.path == ".") listed.path.clear();  // as model2vec writes it
  listed.kind = kind_of_class(listed.type);
  require_subfolder(listed.path);
  return listed;
}

bool is_encoder(const Listed& listed) {
  return listed.kind == "Transformer" || listed.kind == "BERT" || listed.kind == "MLMTransformer" ||
         listed.is_table();
}

// The modules of a route: their folders, whose classes "types" has.
std::vector<Listed> read_route(const json::File& file, std::string_view route) {
  std::vector<Listed> modules;
  const auto ids = file.root().member("structure").find(route);
  if (!ids) throw Error("\"structure\" has no ", in_quotes(route));
  for (const auto& id : ids->elements()) {
    auto& listed = modules.emplace_back();
    listed.path = id.string();
    require_subfolder(listed.path);
    listed.type = file.root().member("types").member(listed.path).string();
    listed.kind = kind_of_class(listed.type);
  }
  return modules;
}

// Only documents and queries, and documents if nobody says which.
void require_two_routes(const json::File& file) {
  const auto routes = file.root().member("structure").members();
  const auto parameters = file.find("parameters");
  const auto usual = parameters ? parameters->find("default_route") : std::nullopt;
  const auto first = routes.empty() ? std::string() : std::string(routes.front().first);
  const auto taken = usual && !usual->is_null() ? std::string(usual->string()) : first;
  if (routes.size() != 2 || taken != "document")
    throw Error("has ", counted(routes.size(), "route", "routes"), ", by default ", in_quotes(taken),
                ", expected query and document, by default document");
  const auto mappings = parameters ? parameters->find("route_mappings") : std::nullopt;
  if (mappings && !mappings->is_null() && !mappings->members().empty())
    throw Error("\"route_mappings\" is set, which is not supported");
}

// sentence-transformers' Router, whose routes may have any modules.
void read_router(const fs::path& directory, ModuleList& list) {
  const json::File file((directory / kRouter).string());
  try {
    require_two_routes(file);
    list.modules = read_route(file, "document");
    const auto queries = read_route(file, "query");
    if (queries.size() != 1 || queries.front().kind != "SparseStaticEmbedding")
      throw Error("the query's module is ", queries.empty() ? "missing" : queries.front().type,
                  ", expected a SparseStaticEmbedding alone");
    list.query_table = queries.front().path;
    if (list.modules.size() < 2 || !is_encoder(list.modules[0]) || list.modules[1].kind != "SpladePooling")
      throw Error("the document's modules are not a Transformer and a SpladePooling, which queries need");
  } catch (const Error& error) {
    throw Error(file.path(), ": ", error.what());
  }
}

}  // namespace

ModuleList read_modules(const std::string& directory) {
  ModuleList list;
  auto& modules = list.modules;
  const auto path = fs::path(directory) / kModules;
  if (!is_file(path.string())) return list;
  json::Document document;
  try {
    for (const auto& entry : document.parse(read_text(path.string())).elements()) {
      try {
        modules.push_back(read_listed(entry));
      } catch (const Error& error) {
        throw Error("module ", modules.size(), " ", error.what());
      }
    }
  } catch (const Error& error) {
    throw Error(path.string(), ": ", error.what());
  }
  const bool is_router = modules.size() == 1 && modules[0].kind == "Router" && modules[0].path.empty();
  if (is_router) {
    read_router(directory, list);
  } else if (modules.empty() || !is_encoder(modules[0])) {
    throw Error(path.string(), ": module 0 is ", modules.empty() ? "missing" : modules[0].type,
                ", expected a Transformer or a StaticEmbedding");
  }
  return list;
}

}  // namespace bert::model
