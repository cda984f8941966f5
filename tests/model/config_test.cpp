#include "model/config.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "base/error.h"
#include "model/config_json.h"

using namespace bert;
using namespace bert::model;

namespace {

using Members = std::map<std::string, std::string>;  // key to JSON

// A small config.json with members added or replaced; "" removes a member.
std::string text_of(const Members& changes = {}) {
  Members members = {
      {"model_type", R"("bert")"},      {"vocab_size", "100"},        {"hidden_size", "24"},
      {"num_hidden_layers", "2"},       {"num_attention_heads", "4"}, {"intermediate_size", "48"},
      {"max_position_embeddings", "64"}};
  for (const auto& [key, value] : changes) members[key] = value;
  std::string text;
  for (const auto& [key, value] : members) {
    if (!value.empty()) text += (text.empty() ? "{\"" : ",\"") + key + "\":" + value;
  }
  return text + "}";
}

Config config_of(const Members& changes) { return parse_config("config.json", text_of(changes)); }

std::string refusal(const Members& changes) {
  try {
    config_of(changes);
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == message.npos);
    return message;
  }
  return "";
}

}  // namespace

TEST_CASE("sizes are read from the file, other settings default as in transformers") {
  const auto config = config_of({});
  CHECK(config.vocab_size == 100);
  CHECK(config.hidden == 24);
  CHECK(config.layers == 2);
  CHECK(config.heads == 4);
  CHECK(config.head_size() == 6);
  CHECK(config.feed_forward == 48);
  CHECK(config.positions == 64);
  CHECK(config.types == 2);
  CHECK(config.activation == nn::Activation::gelu);
  CHECK(config.norm_epsilon == 1e-12f);
  CHECK(config.pad_id == 0);
  CHECK(config.hidden_dropout == 0.1f);
  CHECK(config.classifier_dropout == 0.1f);
  CHECK(config.labels == std::vector<std::string>{"LABEL_0", "LABEL_1"});
  CHECK(config.architectures.empty());
  CHECK(!config.problem_type);
  CHECK(config.tied_embeddings);
  CHECK(!config.causal);
  CHECK(!config.weighted_layers);
  CHECK(!config.cross_encoder);
}

TEST_CASE("every setting in the file is read") {
  const auto config = config_of({{"type_vocab_size", "3"},
                                 {"layer_norm_eps", "1e-5"},
                                 {"pad_token_id", "7"},
                                 {"hidden_dropout_prob", "0.25"},
                                 {"attention_probs_dropout_prob", "0"},
                                 {"initializer_range", "0.5"},
                                 {"tie_word_embeddings", "false"},
                                 {"is_decoder", "true"},
                                 {"use_weighted_layer_sum", "true"},
                                 {"architectures", R"(["BertForMaskedLM","BertModel"])"}});
  CHECK(config.types == 3);
  CHECK(config.norm_epsilon == 1e-5f);
  CHECK(config.pad_id == 7);
  CHECK(config.hidden_dropout == 0.25f);
  CHECK(config.classifier_dropout == 0.25f);
  CHECK(config.attention_dropout == 0);
  CHECK(config.init_range == 0.5f);
  CHECK(!config.tied_embeddings);
  CHECK(config.causal);
  CHECK(config.weighted_layers);
  CHECK(config.has_architecture("BertForMaskedLM"));
  CHECK(!config.has_architecture("BertForMasked"));
  CHECK(config_of({{"classifier_dropout", "0.5"}}).classifier_dropout == 0.5f);
  CHECK(config_of({{"classifier_dropout", "null"}, {"pad_token_id", "null"}}).classifier_dropout == 0.1f);
}

TEST_CASE("activations have the names used by transformers") {
  using enum nn::Activation;
  for (const auto& named : std::map<std::string, nn::Activation>{{"gelu", gelu},
                                                                 {"gelu_python", gelu},
                                                                 {"gelu_new", gelu_tanh},
                                                                 {"gelu_pytorch_tanh", gelu_tanh},
                                                                 {"gelu_fast", gelu_tanh},
                                                                 {"relu", relu},
                                                                 {"silu", silu},
                                                                 {"swish", silu},
                                                                 {"tanh", tanh}}) {
    const std::string& name = named.first;
    CHECK_MESSAGE(config_of({{"hidden_act", "\"" + name + "\""}}).activation == named.second, name);
  }
  CHECK(activation_named("torch.nn.modules.activation.Tanh") == tanh);
  CHECK(activation_named("torch.nn.modules.linear.Identity") == none);
  CHECK(!activation_named("torch.nn.modules.activation.Mish"));
  CHECK(!activation_named(""));
  CHECK(refusal({{"hidden_act", R"("quick_gelu")"}})
            .starts_with(R"(config.json: "hidden_act" is "quick_gelu", exp)"));
}

TEST_CASE("labels are in the order of their ids") {
  using Labels = std::vector<std::string>;
  CHECK(config_of({{"id2label", R"({"1":"b","0":"a","2":"ü"})"}}).labels == Labels{"a", "b", "ü"});
  CHECK(config_of({{"id2label", R"({"0":1,"1":-1})"}}).labels == Labels{"1", "-1"});
  CHECK(config_of({{"num_labels", "3"}}).labels == Labels{"LABEL_0", "LABEL_1", "LABEL_2"});
  CHECK(config_of({{"id2label", R"({"0":"a"})"}, {"num_labels", "3"}}).labels == Labels{"a"});
  CHECK(config_of({{"id2label", "{}"}, {"num_labels", "1"}}).labels == Labels{"LABEL_0"});
  std::string eleven;
  for (int id = 10; id >= 0; --id)
    eleven += (eleven.empty() ? "{\"" : ",\"") + std::to_string(id) + "\":\"x\"";
  CHECK(config_of({{"id2label", eleven + "}"}}).labels.size() == 11);
  for (const auto* wrong : {R"({"0":"a","2":"b"})", R"({"-1":"a"})", R"({"00":"a","0":"b"})", R"({"x":"a"})",
                            R"({"0":"a","0":"b"})", R"({"0":"a","1 ":"b"})", R"({"0":null})", "[]", "3"}) {
    CAPTURE(wrong);
    CHECK(refusal({{"id2label", wrong}}).starts_with("config.json: \"id2label\" "));
  }
  CHECK(refusal({{"num_labels", "0"}}) == "config.json: \"num_labels\" is 0, expected 1 to 1048576");
}

TEST_CASE("the problem type is one of three values") {
  CHECK(config_of({{"problem_type", R"("regression")"}}).problem_type == ProblemType::regression);
  CHECK(config_of({{"problem_type", R"("single_label_classification")"}}).problem_type ==
        ProblemType::single_label);
  CHECK(config_of({{"problem_type", R"("multi_label_classification")"}}).problem_type ==
        ProblemType::multi_label);
  CHECK(!config_of({{"problem_type", "null"}}).problem_type);
  CHECK(refusal({{"problem_type", R"("guessing")"}})
            .starts_with(R"(config.json: "problem_type" is "guessing", exp)"));
}

TEST_CASE("a cross-encoder's activation is read from either key") {
  const auto of = [](const char* key, const char* value) { return config_of({{key, value}}); };
  const auto fresh =
      of("sentence_transformers", R"({"activation_fn":"torch.nn.modules.activation.Sigmoid"})");
  CHECK(fresh.cross_encoder);
  CHECK(fresh.score_activation == ScoreActivation::sigmoid);
  const auto old = of("sbert_ce_default_activation_function", R"("torch.nn.modules.linear.Identity")");
  CHECK(old.cross_encoder);
  CHECK(old.score_activation == ScoreActivation::none);
  const auto silent = of("sentence_transformers", R"({"version":"4.0.1"})");
  CHECK(silent.cross_encoder);
  CHECK(!silent.score_activation);
  CHECK(refusal({{"sbert_ce_default_activation_function", R"("my.Softplus")"}}) ==
        R"(config.json: cross-encoder activation is "my.Softplus", expected Sigmoid or Identity)");
}

TEST_CASE("MPNet's positions follow row 1 whatever pad_token_id is, and its table has at least 32 rows") {
  Members members = {{"model_type", R"("mpnet")"}, {"pad_token_id", "0"}};
  const auto config = config_of(members);
  CHECK(config.first_position == 2);
  CHECK(config.positions == 62);
  CHECK(config.types == 0);
  CHECK(config.bias_rows == 32);
  members["relative_attention_num_buckets"] = "40";
  CHECK(config_of(members).bias_rows == 40);
  members["relative_attention_num_buckets"] = "31";
  CHECK(refusal(members) == "config.json: \"relative_attention_num_buckets\" is 31, expected 32 to 131072");
}

TEST_CASE("rotary positions are read in all forms, and longer texts than in training if they are scaled") {
  using Scaling = nn::RotaryConfig::Scaling;
  Members members = {{"model_type", R"("nomic_bert")"},
                     {"hidden_size", ""},
                     {"num_hidden_layers", ""},
                     {"num_attention_heads", ""},
                     {"n_embd", "24"},
                     {"n_layer", "2"},
                     {"n_head", "2"},
                     {"intermediate_size", ""},
                     {"n_inner", "48"},
                     {"max_position_embeddings", ""},
                     {"n_positions", "8192"},
                     {"activation_function", R"("swiglu")"},
                     {"rotary_emb_base", "500"},
                     {"layer_norm_epsilon", "1e-5"},
                     {"prenorm", "false"},
                     {"qkv_proj_bias", "true"}};
  auto config = config_of(members);
  CHECK(config.hidden == 24);
  CHECK(config.positions == 8192);
  CHECK(config.activation == nn::Activation::silu);
  CHECK(config.norm_epsilon == 1e-5f);
  CHECK(config.rotary == std::vector<nn::RotaryConfig>{{.size = 12, .theta = 500, .positions = 8192}});
  CHECK(config.biases == Biases{.inner = false, .output = false});
  const auto again = parse_config("config.json", config_json(config));
  CHECK(again.rotary == config.rotary);
  CHECK(again.biases == config.biases);
  members["rotary_scaling_factor"] = "2";
  members["max_trained_positions"] = "2048";
  members["rotary_emb_fraction"] = "0.5";
  config = config_of(members);
  CHECK(config.positions == 8192);
  CHECK(config.rotary ==
        std::vector<nn::RotaryConfig>{
            {.size = 6, .theta = 500, .scaling = Scaling::dynamic, .factor = 2, .positions = 2048}});
  CHECK(refusal({{"model_type", R"("nomic_bert")"}, {"prenorm", "true"}}) ==
        "config.json: prenorm is true, expected false");
  CHECK(refusal({{"model_type", R"("nomic_bert")"}, {"moe_every_n_layers", "2"}}) ==
        "config.json: moe_every_n_layers is a number, expected 0");

  const Members gte = {{"model_type", R"("new")"},
                       {"position_embedding_type", R"("rope")"},
                       {"rope_theta", "20000"},
                       {"rope_scaling", R"({"type":"ntk","factor":8.0})"},
                       {"type_vocab_size", "0"}};
  config = config_of(gte);
  CHECK(config.types == 0);
  CHECK(config.rotary ==
        std::vector<nn::RotaryConfig>{
            {.size = 6, .theta = 20000, .scaling = Scaling::ntk, .factor = 8, .positions = 64}});
  CHECK(parse_config("config.json", config_json(config)).rotary == config.rotary);
  CHECK(parse_config("config.json", config_json(config)).types == 0);
  auto other = gte;
  other["rope_scaling"] = R"({"type":"yarn"})";
  CHECK(refusal(other) ==
        R"(config.json: "rope_scaling" has the type "yarn", expected default, linear, dynamic or ntk)");
  other["rope_scaling"] = R"({"factor":"8"})";
  CHECK(refusal(other) == R"(config.json: "rope_scaling" is a string, expected a number)");
  other = gte;
  other["num_attention_heads"] = "8";
  CHECK(refusal(other) ==
        "config.json: rotary positions turn 3 of the 3 numbers of a head, expected an even number of them");
  other = gte;
  other["head_dim"] = "5";
  CHECK(refusal(other) ==
        R"(config.json: "head_dim" is 5, expected "hidden_size" / "num_attention_heads", 6)");
}

TEST_CASE("layers with windows are read in both forms") {
  Members members = {{"model_type", R"("modernbert")"},
                     {"num_hidden_layers", "4"},
                     {"pad_token_id", "0"},
                     {"local_attention", "10"},
                     {"global_rope_theta", "1000"},
                     {"local_rope_theta", "100"},
                     {"norm_bias", "true"},
                     {"classifier_pooling", R"("mean")"},
                     {"norm_eps", "1e-6"}};
  members["cls_token_id"] = "7";
  auto config = config_of(members);
  CHECK(parse_config("config.json", config_json(config)).token_ids == config.token_ids);
  CHECK(config.token_ids == std::vector<std::pair<std::string, int64_t>>{{"cls_token_id", 7}});
  CHECK(config.window == 5);
  CHECK(config.in_window == std::vector<bool>{false, true, true, false});
  CHECK(config.rotary.front().theta == 1000);
  CHECK(config.rotary.back().theta == 100);
  CHECK(config.pools_mean);
  CHECK(config.types == 0);
  CHECK(config.norm_epsilon == 1e-6f);
  CHECK(config.biases == Biases{.attention = false,
                                .attention_output = false,
                                .inner = false,
                                .output = false,
                                .norms = true,
                                .head = false});
  const auto again = parse_config("config.json", config_json(config));
  CHECK(again.window == config.window);
  CHECK(again.in_window == config.in_window);
  CHECK(again.rotary == config.rotary);
  CHECK(again.biases == config.biases);
  CHECK(again.pools_mean);
  CHECK(config_json(config).find("\"classifier_dropout\": 0.0,") !=
        std::string::npos);  // transformers wants a number
  members["layer_types"] = R"(["sliding_attention","full_attention"])";
  CHECK(refusal(members) == R"(config.json: "layer_types" has 2 layers, "num_hidden_layers" is 4)");
  members["layer_types"] = R"(["chunked"])";
  CHECK(refusal(members) ==
        R"(config.json: "layer_types" has "chunked", expected full_attention or sliding_attention)");
  members["layer_types"] = "3";
  CHECK(refusal(members) == R"(config.json: "layer_types" is a number, expected an array)");
  members["layer_types"] = "";
  CHECK(config.init_cutoff == 2.0f);
  members["initializer_cutoff_factor"] = "3.5";
  CHECK(parse_config("config.json", config_json(config_of(members))).init_cutoff == 3.5f);
  members["initializer_cutoff_factor"] = "0";
  CHECK(refusal(members) == R"(config.json: "initializer_cutoff_factor" is 0, expected 0.1 to 1000)");
  members["initializer_cutoff_factor"] = "";
  members["classifier_pooling"] = R"("max")";
  CHECK(refusal(members) == "config.json: classifier_pooling is max, expected cls or mean");
  CHECK(refusal({{"model_type", R"("modernbert")"}, {"decoder_bias", "false"}}) ==
        "config.json: decoder_bias is false, expected true");
}

TEST_CASE("disentangled attention is read, written and refused") {
  Members members = {
      {"model_type", R"("deberta-v2")"}, {"relative_attention", "true"},      {"position_buckets", "32"},
      {"max_relative_positions", "-1"},  {"norm_rel_ebd", R"("layer_norm")"}, {"share_att_key", "true"},
      {"pos_att_type", R"("p2c|c2p")"},  {"position_biased_input", "false"},  {"conv_kernel_size", "3"},
      {"conv_act", R"("gelu")"},         {"pooler_dropout", "0.25"},          {"type_vocab_size", "0"}};
  const auto config = config_of(members);
  CHECK(config.relative_positions ==
        nn::RelativePositionConfig{
            .span = 32, .distances = config.positions, .own_layers = false, .norm = true});
  CHECK(!config.position_table);
  CHECK(config_of({{"model_type", R"("deberta-v2")"}}).position_table);
  CHECK(config.types == 0);
  CHECK(config.convolution == 3);
  CHECK(config.pooler_dropout == 0.25f);
  CHECK(config.norm_epsilon == 1e-7f);
  const auto again = parse_config("config.json", config_json(config));
  CHECK(again.relative_positions == config.relative_positions);
  CHECK(again.position_table == config.position_table);
  CHECK(again.convolution == config.convolution);
  CHECK(again.convolution_activation == nn::Activation::gelu);
  CHECK(again.pooler_dropout == config.pooler_dropout);
  CHECK(config.embedding == 0);
  CHECK(!config.is_projected());
  CHECK(config_json(config).find("embedding_size") == std::string::npos);
  auto other = members;
  other["embedding_size"] = "3";
  CHECK(config_of(other).embedding_width() == 3);
  CHECK(parse_config("config.json", config_json(config_of(other))).embedding_width() == 3);
  other["position_buckets"] = "-1";
  other["max_relative_positions"] = "7";
  other["pos_att_type"] = R"(["c2p"])";
  other["share_att_key"] = "";
  CHECK(config_of(other).relative_positions ==
        nn::RelativePositionConfig{
            .span = 7, .distances = 0, .queries = false, .own_layers = true, .norm = true});
  const auto refused = [&](std::string_view key, const std::string& value) {
    auto changed = members;
    changed[std::string(key)] = value;
    return refusal(changed);
  };
  CHECK(refused("relative_attention", "false") ==
        "config.json: relative_attention is false, but pos_att_type is not empty");
  CHECK(refused("pos_att_type", R"("p2c|p2p")") ==
        R"(config.json: "pos_att_type" has "p2p", expected c2p or p2c)");
  CHECK(refused("norm_rel_ebd", R"("rms")") ==
        R"(config.json: "norm_rel_ebd" has "rms", expected layer_norm or none)");
  CHECK(refused("max_relative_positions", "17") ==
        R"(config.json: "position_buckets" is 32, expected 2 to 30 for 17 distances)");
  CHECK(refused("conv_kernel_size", "4") ==
        R"(config.json: "conv_kernel_size" is 4, expected an odd number and more than one layer)");
  CHECK(refused("conv_groups", "2") == R"(config.json: "conv_groups" is 2, expected 1)");
  CHECK(refused("pooler_hidden_act", R"("tanh")") == "config.json: pooler_hidden_act is tanh, expected gelu");
  CHECK(refused("embedding_size", "0") == R"(config.json: "embedding_size" is 0, expected 1 to 131072)");
}

TEST_CASE("unsupported settings are rejected by name") {
  CHECK(refusal({{"model_type", R"("gpt2")"}}) ==
        "config.json: model_type is gpt2, expected bert, roberta, xlm-roberta, camembert, distilbert, "
        "electra, albert, mpnet, deberta-v2, nomic_bert, gte, new or modernbert");
  CHECK(refusal({{"model_type", ""}}) == "");
  CHECK(refusal({{"add_cross_attention", "true"}}).starts_with("config.json: add_cross_attention is true"));
  CHECK(refusal({{"position_embedding_type", R"("relative_key")"}}) ==
        "config.json: position_embedding_type is relative_key, expected absolute");
  CHECK(refusal({{"position_embedding_type", R"("absolute")"}}) == "");
  CHECK(refusal({{"summary_type", R"("mean")"}}) == "config.json: summary_type is mean, expected first");
  CHECK(refusal({{"summary_activation", R"("tanh")"}}) ==
        "config.json: summary_activation is tanh, expected gelu");
  CHECK(refusal({{"summary_use_proj", "false"}}) == "config.json: summary_use_proj is false, expected true");
  CHECK(refusal({{"summary_type", R"("first")"}, {"summary_use_proj", "true"}}) == "");
  CHECK(refusal({{"pruned_heads", R"({"0":[1]})"}}).starts_with("config.json: pruned_heads is not empty"));
  CHECK(refusal({{"pruned_heads", "{}"}}) == "");
}

TEST_CASE("a missing, absurd or mistyped size is reported with its key") {
  for (const auto* key :
       {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"}) {
    const auto prefix = "config.json: \"" + std::string(key) + "\" ";
    CHECK(refusal({{key, ""}}) == prefix + "is missing");
    CHECK(refusal({{key, "null"}}) == prefix + "is missing");
    CHECK(refusal({{key, "0"}}).starts_with(prefix + "is 0, expected 1 to "));
    CHECK(refusal({{key, "-24"}}).starts_with(prefix + "is -24, expected 1 to "));
    CHECK(refusal({{key, "4611686018427387904"}})
              .starts_with(prefix + "is 4611686018427387904, expected 1 to "));
    CHECK(refusal({{key, "1e30"}}) == prefix + "is a number that is too large for a 64-bit integer");
    CHECK(refusal({{key, R"("24")"}}) == prefix + "is a string, expected an integer");
  }
  CHECK(refusal({{"num_attention_heads", "5"}}) ==
        R"(config.json: "hidden_size" is 24, expected a multiple of "num_attention_heads", 5)");
  CHECK(refusal({{"pad_token_id", "100"}}) == R"(config.json: "pad_token_id" is 100, expected 0 to 99)");
  CHECK(refusal({{"layer_norm_eps", "-1"}}).starts_with(R"(config.json: "layer_norm_eps" is -1, expected)"));
  CHECK(refusal({{"hidden_dropout_prob", "1"}})
            .starts_with(R"(config.json: "hidden_dropout_prob" is 1, expected)"));
  CHECK(refusal({{"architectures", R"("BertModel")"}})
            .starts_with("config.json: \"architectures\" is a string"));
  CHECK(refusal({{"architectures", "null"}}) == "");
  CHECK_THROWS_WITH(load_config("/nonexistent"), "/nonexistent/config.json: No such file or directory");
}

TEST_CASE("a randomly changed file is read or rejected in one line") {
  const auto whole = text_of({{"id2label", R"({"0":"a","1":"b"})"}, {"hidden_act", R"("gelu_new")"}});
  std::mt19937 random(3);
  int read = 0;
  for (int round = 0; round < 5000; ++round) {
    auto text = whole;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      text[random() % text.size()] = "{}[]\",:0189-.e \n\\\xff"[random() % 18];
    }
    try {
      const auto config = parse_config("config.json", text);
      ++read;
      CHECK(config.hidden % config.heads == 0);
      CHECK(config.labels.size() > 0);
    } catch (const Error& error) {
      CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
  }
  CHECK(read > 50);
  CHECK(read < 4000);
}

TEST_CASE("DistilBERT has a dropout of its own before the head for answers, which is kept") {
  const std::string sizes =
      R"({"model_type":"distilbert","vocab_size":9,"dim":4,"n_layers":1,"n_heads":1,"hidden_dim":8)";
  const auto given = parse_config("config.json", sizes + R"(,"qa_dropout":0.25})");
  CHECK(given.answer_dropout == 0.25f);
  CHECK(parse_config("config.json", sizes + "}").answer_dropout == 0.1f);
  CHECK(parse_config("config.json", config_json(given)).answer_dropout == 0.25f);
}
