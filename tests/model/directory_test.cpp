#include "model/directory.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"

using namespace bert;
using namespace bert::model;

namespace {

constexpr auto kConfig = R"({"vocab_size":9,"hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,
                             "intermediate_size":8,"max_position_embeddings":64})";

// A transformer without weights, because opening a directory does not read them.
void write_transformer(const Folder& folder, const std::string& path = "") {
  folder.write(path + "config.json", kConfig);
  folder.write(path + "model.safetensors", safetensors("{}", ""));
}

std::string modules(const std::string& rest, const std::string& path = "") {
  return R"([{"idx":0,"name":"0","path":")" + path +
         R"(","type":"sentence_transformers.models.Transformer"})" + rest + "]";
}

std::string module(const std::string& type, const std::string& path) {
  return R"(,{"idx":1,"name":"1","path":")" + path + R"(","type":"sentence_transformers.models.)" + type +
         R"("})";
}

// A transformer with mean pooling, followed by the modules in `rest`.
void write_sentence_model(const Folder& folder, const std::string& rest = "") {
  write_transformer(folder);
  folder.write("modules.json", modules(module("Pooling", "1_Pooling") + rest));
  folder.write("1_Pooling/config.json", R"({"word_embedding_dimension":4,"pooling_mode_mean_tokens":true})");
}

// The message of the Error, with the folder's path replaced by "DIR".
std::string refusal(const Folder& folder) {
  try {
    open_directory(folder.path());
  } catch (const Error& error) {
    std::string message = error.what();
    CHECK(message.find('\n') == message.npos);
    const auto at = message.find(folder.path());
    return at == message.npos ? message : message.replace(at, folder.path().size(), "DIR/");
  }
  return "";
}

std::vector<PoolingMode> modes_of(const Folder& folder, const std::string& config) {
  folder.write("1_Pooling/config.json", config);
  return open_directory(folder.path()).sentence.pooling->modes;
}

}  // namespace

TEST_CASE("a plain directory sets no pooling") {
  const Folder folder;
  write_transformer(folder);
  const auto directory = open_directory(folder.path());
  CHECK(directory.root == folder.path());
  CHECK(directory.path == folder.path());
  CHECK(directory.config.hidden == 4);
  CHECK(directory.max_length == 64);
  CHECK(!directory.sentence.pooling);
  CHECK(directory.sentence.modules.empty());
  CHECK(directory.vector_size(3) == 12);
}

TEST_CASE(
    "the maximum length is that of sentence-transformers, else of the tokenizer, at most the positions") {
  const Folder folder;
  write_transformer(folder);
  const auto with = [&](const char* file, const char* text) {
    folder.write(file, text);
    return open_directory(folder.path()).max_length;
  };
  CHECK(with("tokenizer_config.json", R"({"model_max_length":1000000000000000019884624838656})") == 64);
  CHECK(with("tokenizer_config.json", R"({"model_max_length":1e30})") == 64);
  CHECK(with("tokenizer_config.json", R"({"model_max_length":null})") == 64);
  CHECK(with("tokenizer_config.json", R"({"model_max_length":32})") == 32);
  CHECK(with("sentence_bert_config.json", R"({"max_seq_length":null})") == 32);
  CHECK(with("sentence_bert_config.json", R"({"max_seq_length":48})") == 48);
  CHECK(with("sentence_bert_config.json", R"({"max_seq_length":65})") == 64);
  CHECK(with("sentence_bert_config.json", R"({"max_seq_length":16,"do_lower_case":true})") == 16);
  CHECK(open_directory(folder.path()).sentence.lowercase);
  CHECK(with("tokenizer_config.json", "{}") == 16);
  folder.write("sentence_bert_config.json", R"({"max_seq_length":0})");
  CHECK(refusal(folder) == R"(DIR/sentence_bert_config.json: "max_seq_length" is 0, expected at least 1)");
}

TEST_CASE("the old pooling format concatenates its vectors in a fixed order") {
  using enum PoolingMode;
  using Modes = std::vector<PoolingMode>;
  const Folder folder;
  write_sentence_model(folder);
  CHECK(modes_of(folder, R"({"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false})") ==
        Modes{cls});
  CHECK(modes_of(folder, R"({"pooling_mode_lasttoken":true,"pooling_mode_weightedmean_tokens":true,
      "pooling_mode_mean_sqrt_len_tokens":true,"pooling_mode_mean_tokens":true,"pooling_mode_max_tokens":true,
      "pooling_mode_cls_token":true})") == Modes{cls, max, mean, mean_sqrt_len, weighted_mean, last});
  CHECK(modes_of(folder, R"({"pooling_mode_mean_tokens":false})") == Modes{mean});
  CHECK(modes_of(folder, "{}") == Modes{mean});
}

TEST_CASE("the new pooling format concatenates its vectors in its own order") {
  using enum PoolingMode;
  using Modes = std::vector<PoolingMode>;
  const Folder folder;
  write_sentence_model(folder);
  CHECK(modes_of(folder, R"({"embedding_dimension":4,"pooling_mode":"cls"})") == Modes{cls});
  CHECK(modes_of(folder, R"({"pooling_mode":["mean","cls"]})") == Modes{mean, cls});
  CHECK(modes_of(folder, R"({"pooling_mode":["mean_sqrt_len_tokens","weightedmean","lasttoken","max"]})") ==
        Modes{mean_sqrt_len, weighted_mean, last, max});
  CHECK(modes_of(folder, R"({"pooling_mode":"cls","pooling_mode_max_tokens":true})") == Modes{cls});
  CHECK(open_directory(folder.path()).sentence.pooling->include_prompt);
  folder.write("1_Pooling/config.json", R"({"pooling_mode":"cls","include_prompt":false})");
  CHECK(!open_directory(folder.path()).sentence.pooling->include_prompt);
  folder.write("1_Pooling/config.json", R"({"pooling_mode":"median"})");
  CHECK(refusal(folder).starts_with(
      R"(DIR/1_Pooling/config.json: "pooling_mode" is "median", expected cls, max)"));
  folder.write("1_Pooling/config.json", R"({"pooling_mode":[]})");
  CHECK(refusal(folder) == R"(DIR/1_Pooling/config.json: "pooling_mode" is empty)");
  folder.write("1_Pooling/config.json", R"({"embedding_dimension":5})");
  CHECK(refusal(folder).starts_with(R"(DIR/1_Pooling/config.json: "embedding_dimension" is 5, expected)"));
}

TEST_CASE("modules are recognized by the last part of their type, in old and new packages") {
  const Folder folder;
  write_sentence_model(folder);
  folder.write("modules.json", R"([
      {"path":"","type":"sentence_transformers.base.modules.transformer.Transformer"},
      {"path":"1_Pooling","type":"sentence_transformers.sentence_transformer.modules.pooling.Pooling"},
      {"path":"2_Normalize","type":"sentence_transformers.base.modules.normalize.Normalize"}])");
  const auto directory = open_directory(folder.path());
  REQUIRE(directory.sentence.modules.size() == 1);
  CHECK(std::holds_alternative<Normalize>(directory.sentence.modules[0]));
}

TEST_CASE("old models have the transformer in a subfolder") {
  const Folder folder;
  write_transformer(folder, "0_BERT/");
  folder.write("0_BERT/sentence_bert_config.json", R"({"max_seq_length":20})");
  folder.write("modules.json", modules("", "0_BERT"));
  const auto directory = open_directory(folder.path());
  CHECK(directory.root == folder.path());
  CHECK(directory.path == folder.path("0_BERT"));
  CHECK(directory.max_length == 20);
}

TEST_CASE("a dense module is loaded with its weights") {
  const Folder folder;
  write_sentence_model(folder, module("Dense", "2_Dense") + module("Normalize", "3_Normalize"));
  folder.write("2_Dense/model.safetensors",
               safetensors({f32("linear.weight", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                            f32("linear.bias", {2}, {9, 10})}));
  const auto with = [&](const std::string& config) { folder.write("2_Dense/config.json", config); };
  with(
      R"({"in_features":4,"out_features":2,"bias":true,"activation_function":"torch.nn.modules.linear.Identity"})");
  const auto directory = open_directory(folder.path());
  REQUIRE(directory.sentence.modules.size() == 2);
  const auto& dense = std::get<Dense>(directory.sentence.modules[0]);
  CHECK(dense.in == 4);
  CHECK(dense.out == 2);
  CHECK(dense.activation == nn::Activation::none);
  CHECK(dense.weight == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(dense.bias == std::vector<float>{9, 10});
  CHECK(directory.vector_size(1) == 2);

  with(R"({"in_features":4,"out_features":2,"bias":false})");
  const auto plain = open_directory(folder.path());
  CHECK(std::get<Dense>(plain.sentence.modules[0]).bias.empty());
  CHECK(std::get<Dense>(plain.sentence.modules[0]).activation == nn::Activation::tanh);

  with(R"({"in_features":5,"out_features":2})");
  CHECK(refusal(folder).find(R"("in_features" is 5, but the vector it reads has 4 numbers)") !=
        std::string::npos);
  with(R"({"in_features":4,"out_features":3})");
  CHECK(refusal(folder) ==
        "DIR/2_Dense/model.safetensors: tensor linear.weight has shape [2, 4], expected [3, 4]");
  with(R"({"in_features":4,"out_features":2,"activation_function":"torch.nn.modules.activation.Mish"})");
  CHECK(refusal(folder).find(R"("activation_function" is "torch.nn.modules.activation.Mish")") !=
        std::string::npos);
  with(R"({"in_features":4,"out_features":2,"use_residual":true})");
  CHECK(refusal(folder).find(R"("use_residual" is true)") != std::string::npos);
  with(R"({"in_features":4,"out_features":2,"module_input_name":"token_embeddings"})");
  CHECK(refusal(folder).find(R"("module_input_name" is "token_embeddings", expected sentence_embedding)") !=
        std::string::npos);
}

TEST_CASE("unsupported modules are rejected by name") {
  const Folder folder;
  write_sentence_model(folder, module("WeightedLayerPooling", "2"));
  CHECK(
      refusal(folder) ==
      R"(DIR/modules.json: module 2 is "sentence_transformers.models.WeightedLayerPooling", expected Dense, Normalize or Dropout; to use the encoder alone, remove modules.json from a copy of the directory)");
  folder.write("modules.json", modules(module("LSTM", "1_LSTM")));
  CHECK(
      refusal(folder) ==
      R"(DIR/modules.json: module 1 is "sentence_transformers.models.LSTM", expected Pooling or Dropout; to use the encoder alone, remove modules.json from a copy of the directory)");
  folder.write("modules.json", modules(module("Normalize", "1")));
  CHECK(refusal(folder).find("Normalize\", expected Pooling") != std::string::npos);
  folder.write("modules.json", modules(module("Pooling", "1_Pooling") + module("Pooling", "1_Pooling")));
  CHECK(refusal(folder).find("module 2 is \"sentence_transformers.models.Pooling\"") != std::string::npos);
  folder.write("modules.json", "[]");
  CHECK(refusal(folder) ==
        "DIR/modules.json: module 0 is missing, expected a Transformer or a StaticEmbedding");
  folder.write("modules.json", "{}");
  CHECK(refusal(folder) == "DIR/modules.json: is an object, expected an array");
  folder.write("modules.json", R"([{"type":"Transformer"}])");
  CHECK(refusal(folder) == R"(DIR/modules.json: module 0 has no "path")");
  folder.write("modules.json", modules("", "../other"));
  CHECK(refusal(folder).find(R"(has the path "../other", expected a subfolder)") != std::string::npos);
  folder.write("modules.json", modules("", "/etc"));
  CHECK(refusal(folder).find("expected a subfolder") != std::string::npos);
}

TEST_CASE("prompts are found by name") {
  const Folder folder;
  write_sentence_model(folder);
  const auto with = [&](const std::string& text) { folder.write("config_sentence_transformers.json", text); };
  with(
      R"({"prompts":{"query":"query: ","document":null},"default_prompt_name":"query","similarity_fn_name":"cosine"})");
  const auto sentence = open_directory(folder.path()).sentence;
  CHECK(sentence.prompts.size() == 2);
  CHECK(sentence.prompts.find("query")->second == "query: ");
  CHECK(sentence.prompts.find("document")->second == "");
  CHECK(sentence.default_prompt == "query");
  with(R"({"prompts":{},"default_prompt_name":null})");
  CHECK(!open_directory(folder.path()).sentence.default_prompt);
  with(R"({"default_prompt_name":"query"})");
  CHECK(
      refusal(folder) ==
      R"(DIR/config_sentence_transformers.json: "default_prompt_name" is "query", which "prompts" does not have)");
  with(R"({"prompts":{"a":1}})");
  CHECK(refusal(folder).find(R"("prompts" is a number, expected a string)") != std::string::npos);
  with(R"({"model_type":"Recommender"})");
  CHECK(refusal(folder).find(R"("model_type" is "Recommender")") != std::string::npos);
}

TEST_CASE("a cross-encoder of the new format is declared next to modules.json") {
  const Folder folder;
  write_transformer(folder);
  folder.write("modules.json", modules(""));
  folder.write("config_sentence_transformers.json",
               R"({"model_type":"CrossEncoder","activation_fn":"torch.nn.modules.linear.Identity"})");
  folder.write("sentence_bert_config.json",
               R"({"transformer_task":"sequence-classification","module_output_name":"scores"})");
  const auto directory = open_directory(folder.path());
  CHECK(directory.config.cross_encoder);
  CHECK(directory.config.score_activation == ScoreActivation::none);
  CHECK(!directory.sentence.pooling);
  folder.write("sentence_bert_config.json", R"({"transformer_task":"text-generation"})");
  CHECK(refusal(folder).find(R"("transformer_task" is "text-generation")") != std::string::npos);
}

TEST_CASE("unsupported weight files are named in the error, with or without config.json") {
  const Folder folder;
  folder.write("tf_model.h5", "");
  CHECK(refusal(folder).find("in \"tf_model.h5\", an unsupported format") != std::string::npos);
  folder.write("model.safetensors", safetensors("{}", ""));
  CHECK(refusal(folder) == "DIR/config.json: No such file or directory");
  CHECK_THROWS_WITH(open_directory("/nonexistent"), "/nonexistent: no such model directory");
  CHECK_THROWS_WITH(open_directory("/dev/null"), "/dev/null: is a file, expected a model directory");
}

TEST_CASE("the golden models have the settings they were made with") {
  const auto sentence = [](const char* name) {
    return open_directory(golden::model_directory(name)).sentence;
  };
  using enum PoolingMode;
  CHECK(sentence("sentence-old").max_seq_length == 32);
  CHECK(sentence("sentence-new").default_prompt == "query");
  CHECK(sentence("sentence-new").modules.size() == 2);
  CHECK(!sentence("sentence-prompt").pooling->include_prompt);
  CHECK(sentence("sentence-modes").pooling->modes.size() == 4);
  const auto rank = open_directory(golden::model_directory("rank")).config;
  CHECK(rank.cross_encoder);
  CHECK(rank.labels.size() == 1);
}

TEST_CASE("the configuration of Google's directories is completed from their weights") {
  const auto directory = [](const char* form) {
    return (golden::directory() / "checkpoints" / form).string();
  };
  const auto google = open_directory(directory("tensorflow")).config;
  const auto expected = open_directory(directory("safetensors")).config;
  CHECK(google.activation == nn::Activation::gelu_tanh);  // Google's "gelu" is the tanh approximation
  CHECK(google.architectures == expected.architectures);
  CHECK(google.hidden == expected.hidden);
  CHECK(google.types == 2);
  CHECK(google.positions == 16);

  const Folder folder;  // Google's configuration with PyTorch weights, as in pytorch-pretrained-bert
  const auto copy = [&](const std::string& form, const std::string& name) {
    folder.write(name, read_file(directory(form.c_str()) + "/" + name));
  };
  copy("tensorflow", "bert_config.json");
  copy("zip", "pytorch_model.bin");
  CHECK(open_directory(folder.path()).config.activation == nn::Activation::gelu);
  CHECK(open_directory(folder.path(), "gelu_tanh").config.activation == nn::Activation::gelu_tanh);
  CHECK_THROWS_WITH(
      open_directory(folder.path(), "geglu"),
      "unknown activation \"geglu\", expected gelu, gelu_new, gelu_tanh, relu, silu, tanh or linear");
  CHECK(open_directory(folder.path()).config.has_architecture("BertForPreTraining"));
  folder.write("config.json", kConfig);
  CHECK(open_directory(folder.path()).config.hidden == 4);
}

TEST_CASE("a classifier without labels gets one label per output") {
  const Folder folder;
  folder.write("bert_config.json", kConfig);
  folder.write("pytorch_model.bin", "");
  CHECK(refusal(folder).starts_with("DIR/pytorch_model.bin: is neither "));
  std::filesystem::remove(folder.path("pytorch_model.bin"));
  folder.write("model.safetensors", safetensors({f32("classifier.weight", {3, 4}, std::vector<float>(12)),
                                                 f32("classifier.bias", {3}, {1, 2, 3})}));
  const auto config = open_directory(folder.path()).config;
  CHECK(config.labels == std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"});
  CHECK(config.has_architecture("BertForSequenceClassification"));
}
