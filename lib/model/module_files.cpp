#include "model/module_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"
#include "json/json.h"
#include "model/card.h"
#include "model/late_json.h"
#include "model/parts.h"
#include "model/sentence_transformers.h"

namespace bert::model {
namespace {

namespace fs = std::filesystem;

constexpr auto kSettings = "config_sentence_transformers.json";

std::vector<std::string> paths_of(std::string_view modules) {
  json::Document document;
  std::vector<std::string> paths;
  for (const auto& module : document.parse(modules).elements())
    paths.emplace_back(module.find("path").value().string());
  return paths;
}

// Replaces the first path, the transformer's, by "".
std::string with_transformer_in_root(std::string modules, const std::vector<std::string>& paths) {
  std::string quoted;
  json::append_string(quoted, paths.front());
  const size_t place = modules.find(quoted, modules.find("\"path\""));
  if (place != modules.npos) modules.replace(place, quoted.size(), "\"\"");
  auto expected = paths;
  expected.front() = "";
  if (paths_of(modules) != expected) throw Error(kModules, ": the path ", quoted, " cannot be replaced");
  return modules;
}

// "1_SpladePooling" of "document_1_SpladePooling", as a Router names it.
std::string_view without_route(std::string_view folder) {
  for (const std::string_view route : {"query_", "document_"})
    if (folder.starts_with(route)) return folder.substr(route.size());
  return folder;
}

// sentence_bert_config.json, or the same with another model's name.
bool is_transformer_settings(std::string_view name) {
  return name.starts_with("sentence_") && name.ends_with("_config.json");
}

}  // namespace

void ModuleFiles::add(const std::string& root, const std::string& name) {
  const auto path = fs::path(root) / name;
  if (is_file(path)) files_.push_back({name, read_text(path.string())});
}

void ModuleFiles::add_folder(const std::string& root, const std::string& folder, std::optional<Dtype> store) {
  add(root, (fs::path(folder) / "config.json").string());
  const auto path = fs::path(root) / folder;
  const bool has_weights = is_file(path / "model.safetensors") || is_file(path / "pytorch_model.bin");
  if (!has_weights) return;
  Weights weights{.folder = folder, .checkpoint = ckpt::Checkpoint::open(path.string()), .tensors = {}};
  weights.checkpoint.check_sums();
  for (const auto& tensor : weights.checkpoint.tensors()) {
    weights.tensors.push_back({.name = tensor.name,
                               .shape = tensor.shape,
                               .data = tensor.data,
                               .dtype = tensor.dtype,
                               .store = is_floating(tensor.dtype) ? store : std::nullopt,
                               .transposed = tensor.transposed});
  }
  weights_.push_back(std::move(weights));
}

ModuleFiles::ModuleFiles(const std::string& root, std::optional<Dtype> store) {
  add(root, std::string(kCard));
  const auto transformer = transformer_of(root);
  for (const auto& name : names_in_directory(transformer)) {
    if (is_transformer_settings(name))
      files_.push_back({name, read_text((fs::path(transformer) / name).string())});
  }
  const auto listed = (fs::path(root) / kModules).string();
  if (!is_file(listed)) return;
  auto modules = read_text(listed);
  const auto paths = paths_of(modules);
  if (!paths.front().empty()) modules = with_transformer_in_root(std::move(modules), paths);
  files_.push_back({kModules, std::move(modules)});
  add(root, kSettings);
  for (size_t i = 1; i < paths.size(); ++i) {
    if (!paths[i].empty()) add_folder(root, paths[i], store);
  }
  if (const auto list = read_modules(root); !list.query_table.empty()) add_router(root, list, store);
}

// With the transformer in the root, too.
void ModuleFiles::add_router(const std::string& root, const ModuleList& list, std::optional<Dtype> store) {
  auto router = read_text((fs::path(root) / kRouter).string());
  std::string quoted;
  json::append_string(quoted, list.modules.front().path);
  if (!list.modules.front().path.empty())
    for (size_t at; (at = router.find(quoted)) != router.npos;) router.replace(at, quoted.size(), "\"\"");
  files_.push_back({kRouter, std::move(router)});
  for (size_t i = 1; i < list.modules.size(); ++i) add_folder(root, list.modules[i].path, store);
  add_folder(root, list.query_table, store);
  for (const auto& name : names_in_directory((fs::path(root) / list.query_table).string()))
    if (name != "config.json" && name != "model.safetensors" && name != "pytorch_model.bin")
      add(root, (fs::path(list.query_table) / name).string());
}

namespace {

using Modules = std::vector<std::pair<std::string, std::string>>;  // folder, class

std::string module_list(const Modules& modules) {
  std::string text = "[";
  for (size_t i = 0; i < modules.size(); ++i) {
    const auto& [path, type] = modules[i];
    text += i == 0 ? "\n  " : ",\n  ";
    json::Object object(text, 1);
    object.integer("idx", i);
    object.string("name", std::to_string(i));
    object.string("path", path);
    object.string("type", type.find('.') == type.npos ? "sentence_transformers.models." + type : type);
    object.end();
  }
  return text + "\n]\n";
}

std::string pooling_config(const Pooling& pooling, int64_t hidden) {
  std::string text;
  json::Object object(text, 0);
  object.integer("word_embedding_dimension", hidden);
  for (const auto& known : kPoolings)
    object.boolean(known.old_key, std::ranges::find(pooling.modes, known.mode) != pooling.modes.end());
  object.boolean("include_prompt", pooling.include_prompt);
  object.end();
  return text + "\n";
}

// The class in PyTorch. No module has the approximation of gelu.
std::string class_of(nn::Activation activation) {
  constexpr std::string_view kNames[] = {"linear.Identity", "activation.GELU", "", "activation.ReLU",
                                         "activation.SiLU", "activation.Tanh"};  // by value
  return "torch.nn.modules." + std::string(kNames[static_cast<size_t>(activation)]);
}

// The weights are in the same folder. `vectors`: the name of those that it reads; "": the usual one.
std::string dense_config(const Config::Projection& projection, const std::string& vectors = {}) {
  std::string text;
  json::Object object(text, 0);
  object.integer("in_features", projection.in);
  object.integer("out_features", projection.out);
  object.boolean("bias", projection.bias);
  object.string("activation_function", class_of(projection.activation));
  if (!vectors.empty()) object.string("module_input_name", vectors);
  object.end();
  return text + "\n";
}

ModuleFiles::Trained trained_dense(const std::string& folder) {
  return {.folder = folder, .in_network = kProjection, .in_folder = "linear"};
}

std::string settings_of(const std::string& similarity, const SentenceTransformer& source,
                        const std::string& type = {}) {
  std::string text;
  json::Object object(text, 0);
  if (!type.empty()) object.string("model_type", type);
  if (source.late)
    for (const auto& [name, mark] : source.late->marks) object.string(name + std::string(kPrefix), mark);
  if (source.default_prompt) object.string("default_prompt_name", *source.default_prompt);
  if (!source.prompts.empty()) {
    json::Object prompts(object.key("prompts"), 1);
    for (const auto& [name, prompt] : source.prompts) prompts.string(name, prompt);
    prompts.end();
  }
  object.string("similarity_fn_name", similarity);
  if (source.truncate_dim) object.integer("truncate_dim", *source.truncate_dim);
  object.end();
  return text + "\n";
}

}  // namespace

ModuleFiles ModuleFiles::of_vectors(const Vectors& vectors, const SentenceTransformer& source) {
  Modules modules = {{"", "Transformer"}, {"1_Pooling", "Pooling"}};
  if (vectors.words_only) modules = {{"", "StaticEmbedding"}};
  ModuleFiles files;
  if (vectors.projection.out != 0) {
    files.trained_ = trained_dense(std::to_string(modules.size()) + "_Dense");
    modules.emplace_back(files.trained_.folder, "Dense");
  }
  if (vectors.scale == Scale::unit)
    modules.emplace_back(std::to_string(modules.size()) + "_Normalize", "Normalize");
  std::string transformer;
  json::Object limits(transformer, 0);
  limits.integer("max_seq_length", vectors.max_length);
  limits.boolean("do_lower_case", false);
  limits.end();
  files.files_ = {{kModules, module_list(modules)}, {kSettings, settings_of(vectors.similarity, source)}};
  if (!files.trained_.folder.empty())
    files.files_.push_back({files.trained_.folder + "/config.json", dense_config(vectors.projection)});
  if (vectors.words_only) return files;
  files.files_.push_back({"sentence_bert_config.json", transformer + "\n"});
  files.files_.push_back({"1_Pooling/config.json", pooling_config(vectors.pooling, vectors.hidden)});
  return files;
}

namespace {

// sentence_bert_config.json. The keys are there, too, if they have no value: a prefix, which is an older
// setting, would add others.
std::string late_transformer(const LateInteraction& late, int64_t max_length) {
  std::string text;
  json::Object object(text, 0);
  object.integer("max_seq_length", max_length);
  object.boolean("do_lower_case", false);
  const auto length = [&](const char* key, std::optional<int64_t> tokens) {
    if (tokens) object.integer(key, *tokens);
  };
  length("query_length", late.query_length);
  length("document_length", late.document_length);
  auto& value = object.key("query_expansion");
  if (late.expansion) {
    json::Object expansion(value, 1);
    expansion.string("strategy", late.expansion->cuts ? "fixed" : "min");
    expansion.boolean("attend", late.expansion->is_attended);
    if (!late.expansion->token.empty()) expansion.string("token", late.expansion->token);
    expansion.integer("length", late.expansion->length);
    expansion.end();
  } else {
    value += "null";
  }
  object.end();
  return text + "\n";
}

std::string late_mask(const LateInteraction& late) {
  const auto append = [](std::string& out, const std::string& item) { json::append_string(out, item); };
  std::vector<std::string> tasks;
  if (late.skips_in_queries) tasks.emplace_back("query");
  if (late.skips_in_documents) tasks.emplace_back("document");
  std::string text;
  json::Object object(text, 0);
  json::append_array(object.key("skiplist_words"), late.skipped, append);
  json::append_array(object.key("skiplist_tasks"), tasks, append);
  object.end();
  return text + "\n";
}

}  // namespace

ModuleFiles ModuleFiles::of_late(const Late& model, const SentenceTransformer& source) {
  const std::string package = "sentence_transformers.", tokens = "token_embeddings";
  Modules modules = {{"", package + "base.modules.transformer.Transformer"}};
  ModuleFiles files;
  const auto add = [&](const std::string& name, const std::string& type) {
    modules.emplace_back(std::to_string(modules.size()) + "_" + name, package + type + "." + name);
    return modules.back().first;
  };
  if (model.projection.out != 0) {
    files.trained_ = trained_dense(add("Dense", "base.modules.dense"));
    files.files_.push_back({files.trained_.folder + "/config.json", dense_config(model.projection, tokens)});
  }
  files.files_.push_back(
      {add("MultiVectorMask", "multi_vector_encoder.modules.multi_vector_mask") + "/config.json",
       late_mask(model.late)});
  if (model.unit_length)
    files.files_.push_back({add("Normalize", "base.modules.normalize") + "/config.json",
                            "{\n  \"module_input_name\": \"" + tokens + "\"\n}\n"});
  files.files_.push_back({kModules, module_list(modules)});
  files.files_.push_back(
      {kSettings, settings_of(model.late.mean ? "meanmaxsim" : "maxsim", source, "MultiVectorEncoder")});
  files.files_.push_back({"sentence_bert_config.json", late_transformer(model.late, model.max_length)});
  return files;
}

namespace {

std::string router_config(const Modules& query, const Modules& document) {
  std::string text;
  json::Object object(text, 0);
  json::Object types(object.key("types"), 1);
  for (const auto* route : {&query, &document})
    for (const auto& [folder, type] : *route) types.string(folder, type);
  types.end();
  json::Object structure(object.key("structure"), 1);
  for (const auto& [name, route] : {std::pair("query", &query), {"document", &document}}) {
    std::vector<std::string> folders;
    for (const auto& module : *route) folders.push_back(module.first);
    structure.strings(name, folders);
  }
  structure.end();
  json::Object parameters(object.key("parameters"), 1);
  parameters.string("default_route", "document");
  parameters.boolean("allow_empty_key", true);
  parameters.end();
  object.end();
  return text + "\n";
}

}  // namespace

ModuleFiles ModuleFiles::of_sparse(const Sparse& model, const SentenceTransformer& source) {
  const std::string package = "sentence_transformers.", sparse = package + "sparse_encoder.modules.",
                    folder = model.freezes_queries ? "document_1_SpladePooling" : "1_SpladePooling";
  std::string transformer, splade, table;
  json::Object settings(transformer, 0);
  settings.string("transformer_task", "fill-mask");
  settings.integer("max_seq_length", model.max_length);
  settings.boolean("do_lower_case", false);
  settings.end();
  json::Object config(splade, 0);
  config.string("pooling_strategy", is_sum(model.pooling) ? "sum" : "max");
  config.string("activation_function", is_log(model.pooling) ? "log1p_relu" : "relu");
  config.end();
  const Modules documents = {{"", package + "base.modules.transformer.Transformer"},
                             {folder, sparse + "splade_pooling.SpladePooling"}};
  ModuleFiles files;
  files.files_ = {{kModules, module_list(documents)},
                  {kSettings, settings_of("dot", source, "SparseEncoder")},
                  {"sentence_bert_config.json", transformer + "\n"},
                  {folder + "/config.json", splade + "\n"}};
  if (!model.freezes_queries) return files;
  const Modules queries = {
      {"query_0_SparseStaticEmbedding", sparse + "sparse_static_embedding.SparseStaticEmbedding"}};
  files.trained_ = {.folder = queries.front().first,
                    .in_network = kQueryTable.substr(0, kQueryTable.find('.') + 1),
                    .in_folder = "",
                    .has_tokenizer = true};
  json::Object frozen(table, 0);
  frozen.boolean("frozen", *model.freezes_queries);
  frozen.end();
  files.files_.front().bytes = module_list({{"", package + "base.modules.router.Router"}});
  files.files_.push_back({kRouter, router_config(queries, documents)});
  files.files_.push_back({files.trained_.folder + "/config.json", table + "\n"});
  return files;
}

void ModuleFiles::write(OutputDirectory& output) const {
  const auto place = [&](const fs::path& name) {
    const auto first = name.begin()->string();  // a file, or a folder that is replaced as a whole
    const auto path = fs::path(output.file(first)).parent_path() / name;
    fs::create_directories(path.parent_path());
    return path.string();
  };
  for (const auto& [name, bytes] : files_) {
    OutputFile file(place(name));
    file.write(bytes);
    file.commit();
  }
  for (const auto& weights : weights_)
    ckpt::write_safetensors(place(fs::path(weights.folder) / "model.safetensors"), weights.tensors);
}

bool is_module_entry(const std::string& name) {
  constexpr std::array<std::string_view, 9> kFolders = {
      "Transformer", "BERT",    "Pooling",         "SpladePooling",        "Dense",
      "Normalize",   "Dropout", "MultiVectorMask", "SparseStaticEmbedding"};
  if (name == kModules || name == kRouter || name == kSettings || is_transformer_settings(name)) return true;
  const auto folder = without_route(name);
  const auto digits = folder.find_first_not_of("0123456789");
  return digits != folder.npos && digits > 0 && folder[digits] == '_' &&
         std::ranges::find(kFolders, folder.substr(digits + 1)) != kFolders.end();
}

}  // namespace bert::model
