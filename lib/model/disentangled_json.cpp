#include "model/disentangled_json.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/config_numbers.h"

namespace bert::model {
namespace {

constexpr int64_t kMostRows = 1 << 16, kMostDistance = 1 << 20, kMostTokens = 99;
constexpr std::string_view kOfKeys = "c2p", kOfQueries = "p2c", kNorm = "layer_norm";

void require(const json::File& file, std::string_view key, int64_t only) {
  if (const auto value = file.integer(key, only); value != only)
    throw Error(file.path(), ": \"", key, "\" is ", value, ", expected ", only);
}

// ["p2c", "c2p"] or "p2c|c2p".
std::vector<std::string> words_of(const json::File& file, std::string_view key) {
  const auto value = file.find(key);
  if (!value || value->is_null()) return {};
  try {
    std::vector<std::string> words;
    if (value->is_array()) {
      for (const auto& word : value->elements()) words.emplace_back(word.string());
      return words;
    }
    std::string_view rest = value->string();
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('|'), rest.size());
      auto word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      while (word.starts_with(' ')) word.remove_prefix(1);
      while (word.ends_with(' ')) word.remove_suffix(1);
      words.emplace_back(word);
      std::ranges::transform(words.back(), words.back().begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
    }
    return words;
  } catch (const Error& error) {
    throw Error(file.path(), ": ", json::in_quotes(key), " ", error.what());
  }
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

void read_positions(const json::File& file, Config& config) {
  const auto terms = words_of(file, "pos_att_type");
  for (const auto& term : terms)
    if (term != kOfKeys && term != kOfQueries)
      throw Error(file.path(), ": \"pos_att_type\" has ", json::in_quotes(term), ", expected c2p or p2c");
  if (!file.boolean("relative_attention", false)) {
    if (!terms.empty())
      throw Error(file.path(), ": relative_attention is false, but pos_att_type is not empty");
    return;
  }
  auto& positions = config.relative_positions.emplace();
  positions.keys = has(terms, kOfKeys);
  positions.queries = has(terms, kOfQueries);
  positions.own_layers = !file.boolean("share_att_key", false);
  const auto norms = words_of(file, "norm_rel_ebd");
  for (const auto& norm : norms)
    if (norm != kNorm && norm != "none")
      throw Error(file.path(), ": \"norm_rel_ebd\" has ", json::in_quotes(norm),
                  ", expected layer_norm or none");
  positions.norm = has(norms, kNorm);
  int64_t distances = integer_within(file, "max_relative_positions", {-1, kMostDistance}, -1);
  if (distances < 1) distances = config.positions;
  const int64_t buckets = integer_within(file, "position_buckets", {-1, kMostRows}, -1);
  if (buckets > 0 && (buckets < 2 || distances - 1 <= buckets / 2))
    throw Error(file.path(), ": \"position_buckets\" is ", buckets, ", expected 2 to ", 2 * (distances - 2),
                " for ", distances, " distances");
  positions.span = buckets > 0 ? buckets : distances;
  positions.distances = buckets > 0 ? distances : 0;
}

}  // namespace

void read_disentangled(const json::File& file, Config& config) {
  require(file, "attention_head_size", config.head_size());
  require(file, "pooler_hidden_size", config.hidden);
  require(file, "conv_groups", 1);
  read_positions(file, config);
  config.position_table = file.boolean("position_biased_input", true);
  config.convolution = integer_within(file, "conv_kernel_size", {0, kMostTokens}, 0);
  if (config.convolution > 0 && (config.convolution % 2 == 0 || config.layers < 2))
    throw Error(file.path(), ": \"conv_kernel_size\" is ", config.convolution,
                ", expected an odd number and more than one layer");
  const auto name = file.string("conv_act", "tanh");
  const auto activation = activation_named(name);
  if (!activation)
    throw Error(file.path(), ": \"conv_act\" is ", json::in_quotes(name), ", expected ", kActivationNames);
  config.convolution_activation = *activation;
  config.pooler_dropout = fraction(file, "pooler_dropout", 0);
}

void write_disentangled(const Config& config, json::Object& object) {
  if (config.convolution > 0) {
    object.string("conv_act", hidden_act(config.convolution_activation));
    object.integer("conv_kernel_size", config.convolution);
  }
  json::append_number(object.key("pooler_dropout"), config.pooler_dropout);
  object.string("pooler_hidden_act", "gelu");
  object.integer("pooler_hidden_size", config.hidden);
  object.boolean("position_biased_input", config.position_table);
  object.boolean("relative_attention", config.relative_positions.has_value());
  if (!config.relative_positions) return;
  const auto& positions = *config.relative_positions;
  std::vector<std::string> terms;
  if (positions.queries) terms.emplace_back(kOfQueries);
  if (positions.keys) terms.emplace_back(kOfKeys);
  const bool shared_rows = positions.distances > 0;
  object.integer("max_relative_positions", shared_rows ? positions.distances : positions.span);
  object.string("norm_rel_ebd", positions.norm ? kNorm : "none");
  json::append_strings(object.key("pos_att_type"), terms);
  if (shared_rows) object.integer("position_buckets", positions.span);
  object.boolean("share_att_key", !positions.own_layers);
}

}  // namespace bert::model
