#include "model/sentence_transformers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/checkpoint.h"
#include "json/json.h"
#include "model/late_json.h"
#include "model/module_list.h"

namespace bert::model {

using json::in_quotes;

namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxFeatures = 1 << 20;

// "model_type" of models of late interaction.
constexpr std::string_view kMultiVector = "MultiVectorEncoder", kPyLate = "ColBERT";

PoolingMode mode_named(std::string_view name) {
  const auto known = std::ranges::find(kPoolings, name, &PoolingName::transformers_name);
  if (known != std::end(kPoolings)) return known->mode;
  std::vector<std::string> names;
  for (const auto& pooling : kPoolings) names.emplace_back(pooling.transformers_name);
  throw Error("is ", in_quotes(name), ", expected ", listed(names, "or"));
}

std::vector<PoolingMode> modes_of(const json::File& file) {
  std::vector<PoolingMode> modes;
  const auto stated = file.find("pooling_mode");
  try {
    if (stated && stated->kind() == json::Value::Kind::array) {
      for (const auto& element : stated->elements()) modes.push_back(mode_named(element.string()));
    } else if (stated) {
      modes.push_back(mode_named(stated->string()));
    }
  } catch (const Error& error) {
    throw Error(file.path(), ": \"pooling_mode\" ", error.what());
  }
  if (stated && modes.empty()) throw Error(file.path(), ": \"pooling_mode\" is empty");
  for (const auto& known : kPoolings) {
    if (!stated && file.boolean(known.old_key, false)) modes.push_back(known.mode);
  }
  if (modes.empty()) modes.push_back(PoolingMode::mean);  // default of sentence-transformers
  return modes;
}

Pooling read_pooling(const fs::path& folder, int64_t hidden) {
  const json::File file((folder / "config.json").string());
  for (const auto* key : {"word_embedding_dimension", "embedding_dimension"}) {  // old form, new form
    const int64_t width = file.integer(key, hidden);
    if (width != hidden) {
      throw Error(file.path(), ": \"", key, "\" is ", width, ", expected the transformer's hidden size, ",
                  hidden);
    }
  }
  return {.modes = modes_of(file), .include_prompt = file.boolean("include_prompt", true)};
}

SparsePooling read_sparse_pooling(const fs::path& folder) {
  const json::File file((folder / "config.json").string());
  const auto strategy = file.string("pooling_strategy", "max"),
             activation = file.string("activation_function", "relu");
  if (strategy != "max" && strategy != "sum")
    throw Error(file.path(), ": \"pooling_strategy\" is ", in_quotes(strategy), ", expected max or sum");
  if (activation != "relu" && activation != "log1p_relu")
    throw Error(file.path(), ": \"activation_function\" is ", in_quotes(activation),
                ", expected relu or log1p_relu");
  const bool log = activation != "relu";
  if (strategy == "sum") return log ? SparsePooling::sum_log : SparsePooling::sum;
  return log ? SparsePooling::max_log : SparsePooling::max;
}

// What a module of the new form reads and writes. Without a name, Dense of a MultiVectorEncoder has tokens.
enum class Of { sentence, tokens };
void require_vector(const json::File& file, Of of, Of usual) {
  constexpr const char* kNames[] = {"sentence_embedding", "token_embeddings"};
  const auto* const expected = kNames[static_cast<size_t>(of)];
  const auto input = file.string("module_input_name", kNames[static_cast<size_t>(usual)]);
  for (const auto& [key, name] : {std::pair("module_input_name", input),
                                  {"module_output_name", file.string("module_output_name", input)}})
    if (name != expected)
      throw Error(file.path(), ": \"", key, "\" is ", in_quotes(name), ", expected ", expected);
}

std::vector<float> floats_of(const ckpt::StoredTensor& tensor) {
  std::vector<float> numbers(tensor.count());
  ckpt::to_f32(tensor, numbers);
  return numbers;
}

// `width` is the length of the input vector.
Dense read_dense(const fs::path& folder, int64_t width, Of of) {
  const json::File file((folder / "config.json").string());
  require_vector(file, of, of);
  if (file.boolean("use_residual", false)) {
    throw Error(file.path(), ": \"use_residual\" is true, which cannot be computed");
  }
  Dense dense{.in = file.integer("in_features"), .out = file.integer("out_features")};
  if (dense.in != width) {
    throw Error(file.path(), ": \"in_features\" is ", dense.in, ", but the vector it reads has ", width,
                " numbers");
  }
  if (dense.out < 1 || dense.out > kMaxFeatures) {
    throw Error(file.path(), ": \"out_features\" is ", dense.out, ", expected 1 to ", kMaxFeatures);
  }
  const auto name = file.string("activation_function", "torch.nn.modules.activation.Tanh");
  const auto activation = activation_named(name);
  if (!activation) {
    throw Error(file.path(), ": \"activation_function\" is ", in_quotes(name),
                ", expected Identity, Tanh, ReLU, GELU or SiLU");
  }
  dense.activation = *activation;
  const auto weights = ckpt::Checkpoint::open(folder.string());
  dense.weight = floats_of(weights.get("linear.weight", std::array{dense.out, dense.in}));
  if (file.boolean("bias", true)) dense.bias = floats_of(weights.get("linear.bias", std::array{dense.out}));
  return dense;
}

void read_normalize(const fs::path& folder, Of of) {
  const auto path = folder / "config.json";
  if (is_file(path)) {
    require_vector(json::File(path.string()), of, Of::sentence);
  } else if (of == Of::tokens) {  // the old form has no file
    throw Error(path.string(), ": is missing; it says which vectors the module reads");
  }
}

// Reads the modules after the encoder. A table of words has the pooling in it.
void read_pipeline(const fs::path& directory, const std::vector<Listed>& listed, int64_t hidden,
                   SentenceTransformer& sentence) {
  int64_t width = hidden;
  if (listed[0].is_table()) sentence.pooling = Pooling{.modes = {PoolingMode::mean}};
  const bool late = sentence.late.has_value();
  const Of of = late ? Of::tokens : Of::sentence;
  for (size_t i = 1; i < listed.size(); ++i) {
    const auto& [type, kind, path] = listed[i];
    const auto folder = directory / path;
    const bool has_vector = late || sentence.pooling;
    if (kind == "SpladePooling" && i == 1 && !has_vector) {
      sentence.sparse = read_sparse_pooling(folder);
    } else if (kind == "Pooling" && !has_vector && !sentence.sparse) {
      sentence.pooling = read_pooling(folder, hidden);
      width *= sentence.pooling->modes.size();
    } else if (kind == "Dense" && has_vector) {
      auto dense = read_dense(folder, width, of);
      width = dense.out;
      sentence.modules.emplace_back(std::move(dense));
    } else if (kind == "Normalize" && has_vector) {
      read_normalize(folder, of);
      sentence.modules.emplace_back(Normalize());
    } else if (kind == "MultiVectorMask" && late) {
      read_late_mask(json::File((folder / "config.json").string()), *sentence.late);
    } else if (kind != "Dropout") {  // no effect outside training
      throw Error((directory / kModules).string(), ": module ", i, " is ", in_quotes(type), ", expected ",
                  sentence.sparse    ? "nothing after SpladePooling"
                  : late             ? "Dense, MultiVectorMask, Normalize"
                  : sentence.pooling ? "Dense, Normalize"
                                     : "Pooling",
                  " or Dropout; to use the encoder alone, remove modules.json from a copy of the directory");
    }
  }
}

bool is_empty(const json::Value& value) {
  switch (value.kind()) {
    case json::Value::Kind::object:
      return value.members().empty();
    case json::Value::Kind::array:
      return value.elements().empty();
    default:
      return value.is_null();
  }
}

// Rejects settings that would change the input or the output of the transformer.
void refuse_settings(const json::File& file, bool classifies) {
  for (const auto* key :
       {"processing_kwargs", "processor_kwargs", "tokenizer_args", "config_kwargs", "config_args"}) {
    const auto value = file.find(key);
    if (value && !is_empty(*value))
      throw Error(file.path(), ": \"", key, "\" is set, which is not supported");
  }
  const auto modalities = file.find("modality_config");
  const auto text = modalities ? modalities->find("text") : std::nullopt;
  for (const auto& [key, expected] : {std::pair{"method", "forward"},
                                      {"method_output_name", classifies ? "logits" : "last_hidden_state"}}) {
    const auto value = text ? text->find(key) : std::nullopt;
    const bool same = value && value->kind() == json::Value::Kind::string && value->string() == expected;
    if (value && !same)
      throw Error(file.path(), ": \"", key, "\" in \"modality_config\" is not ", in_quotes(expected),
                  ", which is not supported");
  }
}

constexpr std::string_view kFillsMasks = "fill-mask";

// Reads the transformer's sentence_bert_config.json, which older releases named after the model. Returns its
// task.
std::string read_transformer(const fs::path& folder, SentenceTransformer& sentence) {
  for (const auto* model : {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    const auto path = folder / ("sentence_" + std::string(model) + "_config.json");
    if (!is_file(path)) continue;
    const json::File file(path.string());
    if (file.find("max_seq_length")) {
      sentence.max_seq_length = file.integer("max_seq_length");
      if (*sentence.max_seq_length < 1) {
        throw Error(file.path(), ": \"max_seq_length\" is ", *sentence.max_seq_length,
                    ", expected at least 1");
      }
    }
    sentence.lowercase = file.boolean("do_lower_case", false);
    const auto task = file.string("transformer_task", "feature-extraction");
    if (task != "feature-extraction" && task != "sequence-classification" && task != kFillsMasks) {
      throw Error(file.path(), ": \"transformer_task\" is ", in_quotes(task),
                  ", expected feature-extraction, sequence-classification or fill-mask");
    }
    refuse_settings(file, task != "feature-extraction");
    sentence.late = read_late(file);
    const auto output = file.string("module_output_name", "token_embeddings");
    if (output != "token_embeddings" && output != "scores") {
      throw Error(file.path(), ": \"module_output_name\" is ", in_quotes(output),
                  ", expected token_embeddings or scores");
    }
    return task;
  }
  return "";
}

void read_prompts(const json::File& file, SentenceTransformer& sentence) {
  if (const auto prompts = file.find("prompts")) {
    try {
      for (const auto& [name, text] : prompts->members()) {
        sentence.prompts[std::string(name)] = text.is_null() ? "" : text.string();
      }
    } catch (const Error& error) {
      throw Error(file.path(), ": \"prompts\" ", error.what());
    }
  }
  if (!file.find("default_prompt_name")) return;
  sentence.default_prompt = file.string("default_prompt_name");
  if (!sentence.prompts.contains(*sentence.default_prompt)) {
    throw Error(file.path(), ": \"default_prompt_name\" is ", in_quotes(*sentence.default_prompt),
                ", which \"prompts\" does not have");
  }
}

void read_truncate_dim(const json::File& file, SentenceTransformer& sentence) {
  constexpr auto kKey = "truncate_dim";
  if (!file.find(kKey)) return;
  sentence.truncate_dim = file.integer(kKey);
  if (*sentence.truncate_dim < 1)
    throw Error(file.path(), ": \"", kKey, "\" is ", *sentence.truncate_dim, ", expected at least 1");
}

// Reads config_sentence_transformers.json. Returns the type of the model.
std::string read_settings(const fs::path& directory, SentenceTransformer& sentence) {
  const auto path = directory / "config_sentence_transformers.json";
  if (!is_file(path)) return "";
  const json::File file(path.string());
  const auto type = file.string("model_type", "SentenceTransformer");
  if (type != "SentenceTransformer" && type != "CrossEncoder" && type != "SparseEncoder" &&
      type != kMultiVector && type != kPyLate) {
    throw Error(file.path(), ": \"model_type\" is ", in_quotes(type),
                ", expected SentenceTransformer, CrossEncoder, SparseEncoder or MultiVectorEncoder");
  }
  sentence.cross_encoder = type == "CrossEncoder";
  read_prompts(file, sentence);
  read_truncate_dim(file, sentence);
  if (file.find("similarity_fn_name")) sentence.similarity = file.string("similarity_fn_name");
  if (type == kMultiVector || type == kPyLate) {
    if (!sentence.late) sentence.late.emplace();
    sentence.late->mean = sentence.similarity == "meanmaxsim";
    read_prefixes(file, sentence);
    if (type == kPyLate) read_pylate(file, *sentence.late);
  }
  if (!sentence.cross_encoder || !file.find("activation_fn")) return type;
  try {
    sentence.score_activation = score_activation_named(file.string("activation_fn"));
  } catch (const Error& error) {
    throw Error(file.path(), ": \"activation_fn\" ", error.what());
  }
  return type;
}

}  // namespace

std::string_view name_of(PoolingMode mode) {
  return std::ranges::find(kPoolings, mode, &PoolingName::mode)->name;
}

std::string_view name_of(SparsePooling pooling) {
  return std::ranges::find(kSparsePoolings, pooling, [](const auto& entry) { return entry.second; })->first;
}

std::string transformer_of(const std::string& directory) {
  const auto modules = read_modules(directory).modules;
  return modules.empty() || modules[0].path.empty() ? directory
                                                    : (fs::path(directory) / modules[0].path).string();
}

bool is_static(const std::string& directory) {
  const auto modules = read_modules(directory).modules;
  return !modules.empty() && modules[0].is_table();
}

SentenceTransformer load_text_settings(const std::string& directory) {
  SentenceTransformer sentence;
  read_transformer(transformer_of(directory), sentence);
  return sentence;
}

std::string default_prompt_of(const SentenceTransformer& sentence) {
  return sentence.default_prompt ? sentence.prompts.at(*sentence.default_prompt) : "";
}

SentenceTransformer load_sentence_transformer(const std::string& directory, int64_t hidden) {
  SentenceTransformer sentence;
  const auto [modules, query_table] = read_modules(directory);
  const fs::path root(directory);
  if (!query_table.empty()) sentence.query_table = (root / query_table).string();
  const auto task = read_transformer(modules.empty() ? root : root / modules[0].path, sentence);
  std::string type;
  if (!modules.empty()) type = read_settings(root, sentence);  // otherwise sentence-transformers ignores them
  if (sentence.late && type != kMultiVector && type != kPyLate)
    throw Error(
        directory,
        ": the transformer has a length of queries or documents, or an expansion of queries, which only a ",
        kMultiVector, " has");
  if (!modules.empty()) {
    read_pipeline(root, modules, hidden, sentence);
    if (type == kPyLate) sentence.modules.emplace_back(Normalize());  // which is not listed
  }
  const bool fills_masks = task == kFillsMasks || (!modules.empty() && modules[0].kind == "MLMTransformer");
  if (fills_masks && !sentence.sparse)
    throw Error(directory,
                ": the transformer fills masks (MLMTransformer, or transformer_task fill-mask), expected "
                "SpladePooling after it in modules.json");
  return sentence;
}

}  // namespace bert::model
