#include "ckpt/naming.h"

#include <algorithm>
#include <utility>

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

// Names that transformers has in memory for parts of layers; files have others.
const Renamings kInMemory = {{"attention.self.query.", "self_attn.q_proj."},
                             {"attention.self.key.", "self_attn.k_proj."},
                             {"attention.self.value.", "self_attn.v_proj."},
                             {"attention.output.dense.", "self_attn.o_proj."},
                             {"attention.output.LayerNorm.", "post_attention_layernorm."},
                             {"intermediate.dense.", "mlp.gate_proj."},
                             {"intermediate.up.", "mlp.up_proj."},
                             {"output.dense.", "mlp.down_proj."},
                             {"output.LayerNorm.", "post_mlp_layernorm."}};

Fusion queries_keys_values(std::string_view stored) {
  return {stored, {"attention.self.query.", "attention.self.key.", "attention.self.value."}};
}

Naming gte(std::string_view type, std::string_view prefix) {
  return {.type = type,
          .prefix = prefix,
          .names = {{"cls.predictions.transform.dense.", "lm_head.dense."},
                    {"cls.predictions.transform.LayerNorm.", "lm_head.norm."},
                    {"cls.predictions.decoder.weight", "lm_head.decoder.weight"},
                    {"cls.predictions.bias", "lm_head.decoder.bias"}},
          .in_layer = joined({{"attention.output.dense.", "attention.o_proj."},
                              {"attention.output.LayerNorm.", "attn_ln."},
                              {"output.dense.", "mlp.down_proj."},
                              {"output.LayerNorm.", "mlp_ln."}},
                             kInMemory),
          .fusions = {queries_keys_values("attention.qkv_proj."),
                      {"mlp.up_gate_proj.", {"intermediate.up.", "intermediate.dense."}}}};
}

std::vector<Naming> make_namings() {
  const auto roberta = joined(kTwoLayerClassifier, kLmHead);
  return {
      {.type = "bert", .prefix = "bert."},
      {.type = "jina_bert",
       .prefix = "bert.",
       .in_layer = {{"output.dense.", "mlp.wo."}, {"output.LayerNorm.", "mlp.layernorm."}},
       .fusions = {{"mlp.gated_layers.", {"intermediate.dense.", "intermediate.up."}}}},
      {.type = "jina_bert_code",
       .prefix = "bert.",
       .in_layer = {{"attention.self.query.LayerNorm.", "attention.self.layer_norm_q."},
                    {"attention.self.key.LayerNorm.", "attention.self.layer_norm_k."},
                    {"attention.again.LayerNorm.", "layer_norm_1."},
                    {"output.dense.", "mlp.down_layer."},
                    {"output.LayerNorm.", "layer_norm_2."}},
       .fusions = {{"mlp.up_gated_layer.", {"intermediate.up.", "intermediate.dense."}}}},
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
      {.type = "deberta-v2",
       .prefix = "deberta.",
       .pooler_in_head = true,
       .names = {{"embeddings.projection.", "embeddings.embed_proj."},
                 {"discriminator_predictions.dense_prediction.", "mask_predictions.classifier."},
                 {"discriminator_predictions.", "mask_predictions."},
                 {"cls.predictions.", "cls.predictions."},
                 {"cls.predictions.transform.dense.", "lm_predictions.lm_head.dense."},
                 {"cls.predictions.transform.LayerNorm.", "lm_predictions.lm_head.LayerNorm."},
                 {"cls.predictions.bias", "lm_predictions.lm_head.bias"}},
       .in_layer = {{"attention.self.query.", "attention.self.query_proj."},
                    {"attention.self.key.", "attention.self.key_proj."},
                    {"attention.self.value.", "attention.self.value_proj."}}},
      {.type = "nomic_bert",
       .prefix = "nomic_bert.",
       .names = {{"embeddings.LayerNorm.", "emb_ln."},
                 {"encoder.layer.", "encoder.layers."},
                 {"cls.predictions.transform.LayerNorm.", "cls.predictions.transform.layer_norm."}},
       .in_layer = joined({{"attention.output.dense.", "attn.out_proj."},
                           {"attention.output.LayerNorm.", "norm1."},
                           {"intermediate.dense.", "mlp.fc12."},
                           {"intermediate.up.", "mlp.fc11."},
                           {"output.dense.", "mlp.fc2."},
                           {"output.LayerNorm.", "norm2."}},
                          kInMemory),
       .fusions = {queries_keys_values("attn.Wqkv.")}},
      gte("gte", "gte."),
      gte("new", "new."),
      {.type = "modernbert",
       .prefix = "model.",
       .names = {{"embeddings.word_embeddings.", "embeddings.tok_embeddings."},
                 {"embeddings.LayerNorm.", "embeddings.norm."},
                 {"encoder.layer.", "layers."},
                 {"encoder.final.LayerNorm.", "final_norm."},
                 {"cls.predictions.transform.dense.", "head.dense."},
                 {"cls.predictions.transform.LayerNorm.", "head.norm."},
                 {"cls.predictions.decoder.weight", "decoder.weight"},
                 {"cls.predictions.bias", "decoder.bias"}},
       .in_layer = {{"attention.output.dense.", "attn.Wo."},
                    {"attention.output.LayerNorm.", "attn_norm."},
                    {"output.dense.", "mlp.Wo."},
                    {"output.LayerNorm.", "mlp_norm."}},
       .fusions = {queries_keys_values("attn.Wqkv."),
                   {"mlp.Wi.", {"intermediate.dense.", "intermediate.up."}}}},
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

// The fusion that has a canonical name in a layer as one of its parts, and which; nullptr if there is none.
std::pair<const Fusion*, size_t> fusion_of(std::string_view in_layer, std::string_view type) {
  const auto naming = std::ranges::find(namings(), type, &Naming::type);
  for (const auto& fusion : naming->fusions)
    for (size_t i = 0; i < fusion.parts.size(); ++i)
      if (in_layer.starts_with(fusion.parts[i])) return {&fusion, i};
  return {nullptr, 0};
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

std::vector<std::string> parts_of(std::string_view name) {
  const size_t rest = layer_end(name);
  std::vector<std::string> names;
  for (const auto& naming : namings()) {
    for (const auto& [stored, parts] : naming.fusions) {
      if (rest == 0 || !name.substr(rest).starts_with(stored) || !names.empty()) continue;
      for (const auto part : parts)
        names.push_back(
            std::string(name.substr(0, rest)).append(part).append(name.substr(rest + stored.size())));
    }
  }
  return names;
}

PlaceOfPart place_of_part(std::string_view canonical, std::string_view type) {
  const auto [fusion, place] = fusion_of(canonical.substr(layer_end(canonical)), type);
  return fusion == nullptr ? PlaceOfPart{} : PlaceOfPart{place, fusion->parts.size()};
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
  const auto in_layer = [&](std::string_view name) {
    const auto [fusion, place] = fusion_of(name, type);
    if (fusion == nullptr) return exchange(name, naming->in_layer);
    return std::string(fusion->stored).append(name.substr(fusion->parts[place].size()));
  };
  const size_t rest = layer_end(canonical);
  auto name = exchange(canonical.substr(0, rest == 0 ? canonical.npos : rest), naming->names);
  if (rest > 0) name += in_layer(canonical.substr(rest));
  // The pooler of some types is a layer of the head.
  const bool of_head =
      canonical.starts_with("pooler.") && (naming->pooler_in_head || !name.starts_with("pooler."));
  return in_encoder && !of_head && !architecture.empty() ? std::string(naming->prefix) + name : name;
}

}  // namespace bert::ckpt
