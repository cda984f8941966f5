#include "ckpt/naming.h"

#include <algorithm>

namespace bert::ckpt {
namespace {

using Renamings = std::vector<Renaming>;

constexpr std::string_view kClassifies = "ForSequenceClassification";

Renamings joined(Renamings first, const Renamings& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The layer before the classifier's last one computes what BERT's pooler does.
const Renamings kTwoLayerClassifier = {{"pooler.dense.", "classifier.dense.", kClassifies},
                                       {"classifier.", "classifier.out_proj.", kClassifies}};

const Renamings kLmHead = {{"cls.predictions.transform.dense.", "lm_head.dense."},
                           {"cls.predictions.transform.LayerNorm.", "lm_head.layer_norm."},
                           {"cls.predictions.decoder.", "lm_head.decoder."},
                           {"cls.predictions.bias", "lm_head.bias"}};

std::vector<Naming> make_namings() {
  const auto roberta = joined(kTwoLayerClassifier, kLmHead);
  return {
      {.type = "bert", .prefix = "bert."},
      {.type = "roberta", .prefix = "roberta.", .names = roberta},
      {.type = "xlm-roberta", .prefix = "roberta.", .names = roberta},
      {.type = "camembert", .prefix = "roberta.", .names = roberta},
      {.type = "distilbert",
       .prefix = "distilbert.",
       .names = {{"encoder.layer.", "transformer.layer."},
                 {"pooler.dense.", "pre_classifier."},
                 {"cls.predictions.transform.dense.", "vocab_transform."},
                 {"cls.predictions.transform.LayerNorm.", "vocab_layer_norm."},
                 {"cls.predictions.decoder.weight", "vocab_projector.weight"},
                 {"cls.predictions.bias", "vocab_projector.bias"}},
       .in_layer = {{"attention.self.query.", "attention.q_lin."},
                    {"attention.self.key.", "attention.k_lin."},
                    {"attention.self.value.", "attention.v_lin."},
                    {"attention.output.dense.", "attention.out_lin."},
                    {"attention.output.LayerNorm.", "sa_layer_norm."},
                    {"intermediate.dense.", "ffn.lin1."},
                    {"output.dense.", "ffn.lin2."},
                    {"output.LayerNorm.", "output_layer_norm."}}},
      {.type = "electra",
       .prefix = "electra.",
       .names = joined(kTwoLayerClassifier, {{"embeddings.projection.", "embeddings_project."},
                                             {"pooler.dense.", "sequence_summary.summary."},
                                             {"cls.predictions.transform.", "generator_predictions."},
                                             {"cls.predictions.decoder.weight", "generator_lm_head.weight"},
                                             {"cls.predictions.bias", "generator_lm_head.bias"}})},
      {.type = "albert",
       .prefix = "albert.",
       .names = {{"embeddings.projection.", "encoder.embedding_hidden_mapping_in."},
                 {"encoder.layer.", "encoder.albert_layer_groups."},
                 {"pooler.dense.", "pooler."},
                 {"cls.predictions.transform.", "predictions."},
                 {"cls.predictions.decoder.", "predictions.decoder."},
                 {"cls.predictions.bias", "predictions.bias"}},
       .in_layer = {{"attention.self.query.", "albert_layers.0.attention.query."},
                    {"attention.self.key.", "albert_layers.0.attention.key."},
                    {"attention.self.value.", "albert_layers.0.attention.value."},
                    {"attention.output.dense.", "albert_layers.0.attention.dense."},
                    {"attention.output.LayerNorm.", "albert_layers.0.attention.LayerNorm."},
                    {"intermediate.dense.", "albert_layers.0.ffn."},
                    {"output.dense.", "albert_layers.0.ffn_output."},
                    {"output.LayerNorm.", "albert_layers.0.full_layer_layer_norm."}}},
      {.type = "mpnet",
       .prefix = "mpnet.",
       .names = roberta,
       .in_layer = {{"attention.self.query.", "attention.attn.q."},
                    {"attention.self.key.", "attention.attn.k."},
                    {"attention.self.value.", "attention.attn.v."},
                    {"attention.output.dense.", "attention.attn.o."},
                    {"attention.output.LayerNorm.", "attention.LayerNorm."}}},
      {.type = "static", .prefix = "", .names = {{"embeddings.word_embeddings.weight", "embedding.weight"}}},
  };
}

std::string to_canonical(std::string_view name, std::vector<Renaming> Naming::*rules) {
  const Renaming* best = nullptr;  // the longest one: "predictions.decoder.", not "predictions."
  for (const auto& naming : namings()) {
    for (const auto& rule : naming.*rules) {
      // "pooler.dense." is not a name that begins with ALBERT's "pooler.".
      const bool is_done = rule.canonical.starts_with(rule.stored) && name.starts_with(rule.canonical);
      if (!name.starts_with(rule.stored) || is_done) continue;
      if (best == nullptr || rule.stored.size() > best->stored.size()) best = &rule;
    }
  }
  if (best == nullptr) return std::string(name);
  return std::string(best->canonical).append(name.substr(best->stored.size()));
}

}  // namespace

std::span<const Naming> namings() {
  static const auto table = make_namings();
  return table;
}

size_t layer_end(std::string_view canonical) {
  constexpr std::string_view kLayer = "encoder.layer.";
  if (!canonical.starts_with(kLayer)) return 0;
  const size_t dot = canonical.find('.', kLayer.size());
  return dot == canonical.npos ? 0 : dot + 1;
}

std::string renamed(std::string_view stored) {
  auto name = to_canonical(stored, &Naming::names);
  const size_t rest = layer_end(name);
  if (rest == 0) return name;
  return name.substr(0, rest) + to_canonical(std::string_view(name).substr(rest), &Naming::in_layer);
}

std::string stored_name(std::string_view canonical, std::string_view type, std::string_view architecture) {
  const auto naming = std::ranges::find(namings(), type, &Naming::type);
  const bool in_encoder = canonical.starts_with("embeddings.") || canonical.starts_with("encoder.") ||
                          canonical.starts_with("pooler.");
  const auto exchange = [&](std::string_view name, const Renamings& rules) -> std::string {
    for (const auto& rule : rules) {
      if (!name.starts_with(rule.canonical) || !architecture.ends_with(rule.only_in)) continue;
      return std::string(rule.stored).append(name.substr(rule.canonical.size()));
    }
    return std::string(name);
  };
  const size_t rest = layer_end(canonical);
  auto name = exchange(canonical.substr(0, rest == 0 ? canonical.npos : rest), naming->names);
  if (rest > 0) name += exchange(canonical.substr(rest), naming->in_layer);
  // The pooler of some types is a layer of the head.
  const bool of_head = canonical.starts_with("pooler.") && !name.starts_with("pooler.");
  return in_encoder && !of_head && !architecture.empty() ? std::string(naming->prefix) + name : name;
}

}  // namespace bert::ckpt
