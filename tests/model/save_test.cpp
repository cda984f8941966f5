#include "model/save.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/safetensors.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"
#include "model/config_json.h"
#include "model/directory.h"
#include "model/network.h"
#include "model/stored_tensors.h"

using namespace bert;
namespace fs = std::filesystem;

namespace {

void check_same(const model::Config& a, const model::Config& b) {
  CHECK(a.vocab_size == b.vocab_size);
  CHECK(a.hidden == b.hidden);
  CHECK(a.layers == b.layers);
  CHECK(a.heads == b.heads);
  CHECK(a.feed_forward == b.feed_forward);
  CHECK(a.positions == b.positions);
  CHECK(a.types == b.types);
  CHECK(a.activation == b.activation);
  CHECK(a.norm_epsilon == b.norm_epsilon);
  CHECK(a.pad_id == b.pad_id);
  CHECK(a.causal == b.causal);
  CHECK(a.weighted_layers == b.weighted_layers);
  CHECK(a.document_context == b.document_context);
  CHECK(a.pairs == b.pairs);
  CHECK(a.hidden_dropout == b.hidden_dropout);
  CHECK(a.attention_dropout == b.attention_dropout);
  CHECK(a.classifier_dropout == b.classifier_dropout);
  CHECK(a.answer_dropout == b.answer_dropout);
  CHECK(a.init_range == b.init_range);
  CHECK(a.architectures == b.architectures);
  CHECK(a.labels == b.labels);
  CHECK(a.problem_type == b.problem_type);
  CHECK(a.tied_embeddings == b.tied_embeddings);
  CHECK(a.cross_encoder == b.cross_encoder);
  CHECK(a.score_activation == b.score_activation);
}

// A model directory's weights, loaded as for training.
struct Model {
  explicit Model(const std::string& directory)
      : config(model::load_config(directory)), tokenizer(text::load_tokenizer(directory)) {
    const auto checkpoint = ckpt::Checkpoint::open(directory);
    for (const auto& tensor : checkpoint.tensors()) layout.add_plain(tensor.name, tensor.shape);
    params.emplace(layout);
    for (size_t i = 0; i < checkpoint.tensors().size(); ++i) {
      const auto& tensor = checkpoint.tensors()[i];
      to_f32(tensor.dtype, tensor.data.data(), params->tensor(static_cast<int>(i)));
    }
    files = model::tokenizer_files(tokenizer, directory, config.positions);
  }

  model::Config config;
  text::Tokenizer tokenizer;
  model::TokenizerFiles files;
  nn::Layout layout;
  std::optional<nn::Params> params;
};

std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename().string());
  return names;
}

std::vector<int32_t> ids_of(const text::Tokenizer& tokenizer, std::string_view text) {
  text::Tokens tokens;
  tokenizer.encode(text, {}, tokens);
  return tokens.ids;
}

std::vector<float> vectors_of(const std::string& directory, std::span<const int32_t> ids) {
  Pool pool(1);
  model::Network network(model::load_config(directory), ckpt::Checkpoint::open(directory), {}, pool);
  nn::Batch batch;
  batch.add(ids, std::vector<int32_t>(ids.size()));
  const auto hidden = network.hidden(batch, {.layers = {static_cast<int>(network.config().layers)}});
  std::vector<float> values;
  for (int64_t row = 0; row < hidden[0].rows(); ++row)
    values.insert(values.end(), hidden[0].values(row).begin(), hidden[0].values(row).end());
  return values;
}

constexpr const char* kConfig = R"({"vocab_size": 7, "hidden_size": 2, "num_hidden_layers": 1,
    "num_attention_heads": 1, "intermediate_size": 4, "architectures": ["BertForPreTraining"]})";

// The tensors of BertForPreTraining with one layer, by their canonical names; all values differ.
nn::Layout pretraining_layout() {
  nn::Layout layout;
  layout.add_plain("embeddings.word_embeddings.weight", {7, 2});
  layout.add_plain("embeddings.position_embeddings.weight", {512, 2});
  layout.add_plain("embeddings.token_type_embeddings.weight", {2, 2});
  for (const auto* norm : {"embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm",
                           "encoder.layer.0.output.LayerNorm", "cls.predictions.transform.LayerNorm"}) {
    layout.add_plain(std::string(norm) + ".weight", {2});
    layout.add_plain(std::string(norm) + ".bias", {2});
  }
  for (const auto* linear : {"encoder.layer.0.attention.self.query", "encoder.layer.0.attention.self.key",
                             "encoder.layer.0.attention.self.value", "encoder.layer.0.attention.output.dense",
                             "pooler.dense", "cls.predictions.transform.dense", "cls.seq_relationship"}) {
    layout.add_matrix(std::string(linear) + ".weight", 2, 2);
    layout.add_plain(std::string(linear) + ".bias", {2});
  }
  layout.add_matrix("encoder.layer.0.intermediate.dense.weight", 4, 2);
  layout.add_plain("encoder.layer.0.intermediate.dense.bias", {4});
  layout.add_matrix("encoder.layer.0.output.dense.weight", 2, 4);
  layout.add_plain("encoder.layer.0.output.dense.bias", {2});
  layout.add_plain("cls.predictions.bias", {7});
  return layout;
}

model::TokenizerFiles some_tokenizer() {
  return {
      .vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n", .settings = "{}\n", .special_tokens = "{}\n"};
}

}  // namespace

TEST_CASE("every golden model is unchanged after saving and loading") {
  for (const auto& name : golden::model_names()) {
    CAPTURE(name);
    const auto source = golden::encoder_directory(name);
    Model model(source);
    const Folder folder;
    const auto out = folder.path("out");
    model::save(out, model.config, model.files, *model.params);

    check_same(model::load_config(out), model.config);
    // A sentence model's max_seq_length is not saved: it is in files outside the encoder directory.
    const auto limit = model.tokenizer.config().model_max_length.value_or(model.config.positions);
    CHECK(model::open_directory(out).max_length == std::min(limit, model.config.positions));
    const auto before = ckpt::Checkpoint::open(source), after = ckpt::Checkpoint::open(out);
    REQUIRE(after.tensors().size() == before.tensors().size());
    for (size_t i = 0; i < before.tensors().size(); ++i) {
      const auto &a = before.tensors()[i], &b = after.tensors()[i];
      CHECK(a.name == b.name);
      CHECK(a.shape == b.shape);
      CHECK(b.dtype == Dtype::f32);
      const auto wide = model.params->tensor(static_cast<int>(i));
      CHECK(std::memcmp(b.data.data(), wide.data(), wide.size_bytes()) == 0);
      if (a.dtype == Dtype::f32) CHECK(ckpt::equal(a, b));
    }

    const auto tokenizer = text::load_tokenizer(out);
    const auto* text = "The Quick brown fox, [MASK] é 漢字 don't [SEP] unaffable";
    const auto ids = ids_of(tokenizer, text);
    CHECK(ids == ids_of(model.tokenizer, text));
    CHECK(tokenizer.size() == model.tokenizer.size());
    CHECK(read_file(out + "/vocab.txt") == read_file(source + "/vocab.txt"));
    CHECK(vectors_of(out, ids) == vectors_of(source, ids));
  }
}

TEST_CASE("tensors have the names that Hugging Face's BertForPreTraining saves") {
  const Folder folder;
  const auto layout = pretraining_layout();
  nn::Params params(layout);
  std::iota(params.all().begin(), params.all().end(), 1.0f);
  const auto config = model::parse_config("config.json", kConfig);
  model::save(folder.path("out"), config, some_tokenizer(), params);
  const MappedFile file(folder.path("out/model.safetensors"));
  const auto contents = ckpt::read_safetensors(file);
  std::vector<std::string> names;
  for (const auto& tensor : contents.tensors) names.push_back(tensor.name);
  const std::vector<std::string> expected = {"bert.embeddings.LayerNorm.bias",
                                             "bert.embeddings.LayerNorm.weight",
                                             "bert.embeddings.position_embeddings.weight",
                                             "bert.embeddings.token_type_embeddings.weight",
                                             "bert.embeddings.word_embeddings.weight",
                                             "bert.encoder.layer.0.attention.output.LayerNorm.bias",
                                             "bert.encoder.layer.0.attention.output.LayerNorm.weight",
                                             "bert.encoder.layer.0.attention.output.dense.bias",
                                             "bert.encoder.layer.0.attention.output.dense.weight",
                                             "bert.encoder.layer.0.attention.self.key.bias",
                                             "bert.encoder.layer.0.attention.self.key.weight",
                                             "bert.encoder.layer.0.attention.self.query.bias",
                                             "bert.encoder.layer.0.attention.self.query.weight",
                                             "bert.encoder.layer.0.attention.self.value.bias",
                                             "bert.encoder.layer.0.attention.self.value.weight",
                                             "bert.encoder.layer.0.intermediate.dense.bias",
                                             "bert.encoder.layer.0.intermediate.dense.weight",
                                             "bert.encoder.layer.0.output.LayerNorm.bias",
                                             "bert.encoder.layer.0.output.LayerNorm.weight",
                                             "bert.encoder.layer.0.output.dense.bias",
                                             "bert.encoder.layer.0.output.dense.weight",
                                             "bert.pooler.dense.bias",
                                             "bert.pooler.dense.weight",
                                             "cls.predictions.bias",
                                             "cls.predictions.transform.LayerNorm.bias",
                                             "cls.predictions.transform.LayerNorm.weight",
                                             "cls.predictions.transform.dense.bias",
                                             "cls.predictions.transform.dense.weight",
                                             "cls.seq_relationship.bias",
                                             "cls.seq_relationship.weight"};
  CHECK(names == expected);
  CHECK(model::stored_name(config, "classifier.weight") == "classifier.weight");
  CHECK(model::stored_name(config, "qa_outputs.bias") == "qa_outputs.bias");
  auto bare = config;
  bare.architectures = {"BertModel"};
  CHECK(model::stored_name(bare, "pooler.dense.bias") == "pooler.dense.bias");
}

TEST_CASE("config.json has the fields that Hugging Face writes for a BERT") {
  const auto config = model::parse_config("config.json", kConfig);
  CHECK(model::config_json(config) == R"({
  "architectures": [
    "BertForPreTraining"
  ],
  "attention_probs_dropout_prob": 0.1,
  "classifier_dropout": null,
  "hidden_act": "gelu",
  "hidden_dropout_prob": 0.1,
  "hidden_size": 2,
  "initializer_range": 0.02,
  "intermediate_size": 4,
  "layer_norm_eps": 1e-12,
  "max_position_embeddings": 512,
  "model_type": "bert",
  "num_attention_heads": 1,
  "num_hidden_layers": 1,
  "pad_token_id": 0,
  "position_embedding_type": "absolute",
  "torch_dtype": "float32",
  "type_vocab_size": 2,
  "use_cache": true,
  "vocab_size": 7
}
)");
}

TEST_CASE("every configuration setting is read back") {
  auto config = model::parse_config("config.json", kConfig);
  for (const auto activation : {nn::Activation::none, nn::Activation::gelu, nn::Activation::gelu_tanh,
                                nn::Activation::relu, nn::Activation::silu, nn::Activation::tanh}) {
    config.activation = activation;
    check_same(model::parse_config("config.json", model::config_json(config)), config);
  }
  config.architectures = {};
  config.hidden_dropout = 0.3f;
  config.attention_dropout = 0;
  config.classifier_dropout = 0.7f;
  config.init_range = 0.0123f;
  config.norm_epsilon = 1e-5f;
  config.pad_id = 3;
  config.causal = config.weighted_layers = config.document_context = true;
  config.pairs = false;
  config.labels = {"a \"quoted\" one", "zwei", "三"};
  config.tied_embeddings = false;
  config.cross_encoder = true;
  check_same(model::parse_config("config.json", model::config_json(config)), config);
  for (const auto score : {model::ScoreActivation::none, model::ScoreActivation::sigmoid}) {
    config.score_activation = score;
    check_same(model::parse_config("config.json", model::config_json(config)), config);
  }
  for (const auto type :
       {model::ProblemType::regression, model::ProblemType::single_label, model::ProblemType::multi_label}) {
    config.problem_type = type;
    check_same(model::parse_config("config.json", model::config_json(config)), config);
  }
}

TEST_CASE("saved tokenizer files define the same tokenizer, whatever files it was loaded from") {
  const auto source = golden::encoder_directory("bare");
  const Folder folder;
  const auto vocab = read_file(source + "/vocab.txt");
  for (const auto letter_case : {text::Case::cased, text::Case::uncased, text::Case::from_files}) {
    // A CR before LF is white space at the end of a token and is preserved.
    const auto path = folder.write("vocab/vocab.txt", "[PAD]\r\n" + vocab.substr(vocab.find('\n') + 1));
    const auto tokenizer = text::load_vocab(path, text::Compat::hf, letter_case);
    const auto files = model::tokenizer_files(tokenizer, path, 128);
    CHECK(files.vocab == read_file(path));
    CHECK(!files.json);
    folder.write("saved/vocab.txt", files.vocab);
    folder.write("saved/tokenizer_config.json", files.settings);
    folder.write("saved/special_tokens_map.json", files.special_tokens);
    const auto saved = text::load_tokenizer(folder.path("saved"));
    CHECK(saved.config().lowercase == tokenizer.config().lowercase);
    CHECK(saved.config().strip_accents == tokenizer.config().strip_accents);
    CHECK(saved.config().model_max_length == 128);
    const auto* text = "The Quick Brown É [MASK] fox";
    CHECK(ids_of(saved, text) == ids_of(tokenizer, text));
  }
}

TEST_CASE("tokenizer.json is copied if it defines the tokenizer in use") {
  const Folder folder;
  const auto json =
      folder.write("m/tokenizer.json", R"({"version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 3, "content": "[NEW]", "single_word": false, "lstrip": false, "rstrip": true,
                      "normalized": false, "special": false}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                   "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 6], "cls": ["[CLS]", 5]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[PAD]": 0, "a": 1, "[UNK]": 2, "[NEW]": 3, "b": 4, "[CLS]": 5, "[SEP]": 6,
                        "[MASK]": 7}}})");
  const auto bytes = read_file(json);
  for (const auto& source : {folder.path("m"), json}) {
    const auto tokenizer = source == json ? text::load_vocab(json) : text::load_tokenizer(source);
    const auto files = model::tokenizer_files(tokenizer, source, 512);
    CHECK(files.json == bytes);
    CHECK(files.vocab == "[PAD]\na\n[UNK]\n[NEW]\nb\n[CLS]\n[SEP]\n[MASK]\n");
  }
  const auto cased = text::load_tokenizer(folder.path("m"), text::Compat::hf, text::Case::cased);
  const auto files = model::tokenizer_files(cased, folder.path("m"), 512);
  CHECK(!files.json);
  CHECK(files.settings.find("\"do_lower_case\": false") != std::string::npos);
  CHECK(files.settings.find("\"[NEW]\"") != std::string::npos);

  const auto other = folder.write("m/other.txt", "[PAD]\n[UNK]\n[CLS]\n[NEW]\n[SEP]\n[MASK]\nc\n");
  const auto from_other = model::tokenizer_files(text::load_vocab(other), other, 512);
  CHECK(!from_other.json);
  CHECK(from_other.vocab == read_file(other));
}

TEST_CASE("a saved model replaces the existing one and keeps other files") {
  const Folder folder;
  const auto layout = pretraining_layout();
  const nn::Params params(layout);
  const auto config = model::parse_config("config.json", kConfig);
  folder.write("out/config.json", "{}");
  folder.write("out/tokenizer.json", "another's");
  folder.write("out/model-00001-of-00002.safetensors", "another's");
  folder.write("out/model.safetensors.index.json", "another's");
  folder.write("out/README.md", "mine");
  folder.write("out/checkpoints/step-00000001/state.json", "{}");
  model::require_output(folder.path("out"), model::Existing::replace);
  model::save(folder.path("out"), config, some_tokenizer(), params);
  const auto first = read_file(folder.path("out/model.safetensors"));
  CHECK(names_in(folder.path("out")) == std::set<std::string>{"README.md", "config.json", "model.safetensors",
                                                              "checkpoints", "special_tokens_map.json",
                                                              "tokenizer_config.json", "vocab.txt"});
  CHECK(fs::exists(folder.path("out/checkpoints/step-00000001/state.json")));
  CHECK(names_in(folder.path()) == std::set<std::string>{"out"});
  model::save(folder.path("out"), config, some_tokenizer(), params);
  CHECK(read_file(folder.path("out/model.safetensors")) == first);
}

TEST_CASE("a model is replaced only if that is asked for") {
  const Folder folder;
  folder.write("out/modules.json", "[]");
  folder.write("out/0_BERT/config.json", "{}");
  folder.write("out/notes", "mine");
  model::require_output(folder.path("out"), model::Existing::replace);
  CHECK_THROWS_WITH_AS(
      model::require_output(folder.path("out"), model::Existing::refuse),
      (folder.path("out") + ": holds a model (modules.json): replace it with --force, or write to another "
                            "directory")
          .c_str(),
      Error);
}

TEST_CASE("a non-empty directory without a model is rejected before training starts") {
  const Folder folder;
  const std::vector<std::string> besides = {"checkpoints"};
  model::require_output(folder.path("new"), model::Existing::replace, besides);
  CHECK(!fs::exists(folder.path("new")));
  fs::create_directories(folder.path("empty"));
  model::require_output(folder.path("empty"), model::Existing::replace, besides);
  folder.write("run/checkpoints/x", "");
  model::require_output(folder.path("run"), model::Existing::replace, besides);
  folder.write("home/letter", "");
  CHECK_THROWS_WITH_AS(
      model::require_output(folder.path("home"), model::Existing::replace, besides),
      (folder.path("home") + ": holds letter and no model: expected a new or an empty directory").c_str(),
      Error);
  CHECK_THROWS_WITH_AS(model::require_output(folder.path("home/letter"), model::Existing::replace, besides),
                       (folder.path("home/letter") + ": is not a directory").c_str(), Error);
}
