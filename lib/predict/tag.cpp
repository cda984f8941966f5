// A tag for each word, and the entities formed by the tags (Devlin et al. 2018, section 5.3).
#include <algorithm>

#include "examples/tag_example.h"
#include "json/json.h"
#include "metric/entities.h"
#include "predict/sentence_head.h"
#include "predict/tagged_words.h"

namespace bert::predict {
namespace {

// Converts a label to the form metric::entities reads. BIOES and BILOU refine BIO: S-X and U-X begin an
// entity, E-X and L-X continue one. Any other label is taken as a type without prefix.
std::string as_bio(const std::string& label) {
  if (label == "O" || label == "B" || label == "I") return label;
  const std::string_view kind =
      label.size() > 1 && label[1] == '-' ? std::string_view(label).substr(0, 1) : "";
  if (kind == "B" || kind == "S" || kind == "U") return 'B' + label.substr(1);
  if (kind == "I" || kind == "E" || kind == "L") return 'I' + label.substr(1);
  return "I-" + label;
}

struct Decision {
  int32_t label = -1;  // -1: the word has no token
  float score = 0;     // probability of the label
};

Decision likeliest(std::span<const float> probabilities) {
  const int32_t label = best(probabilities);
  return {.label = label, .score = probabilities[static_cast<size_t>(label)]};
}

// Combines the tokens of one word.
Decision decide(std::span<const Row* const> subwords, Aggregate aggregate) {
  if (subwords.empty()) return {};
  if (aggregate == Aggregate::first) return likeliest(softmax(subwords.front()->logits));
  Decision surest;
  std::vector<double> sums(subwords.front()->logits.size());
  for (const Row* subword : subwords) {
    const auto probabilities = softmax(subword->logits);
    const Decision decision = likeliest(probabilities);
    if (decision.score > surest.score) surest = decision;
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<double>(probabilities[k]);
  }
  if (aggregate == Aggregate::max) return surest;
  std::vector<float> means;
  for (const double sum : sums)
    means.push_back(static_cast<float>(sum / static_cast<double>(subwords.size())));
  return likeliest(means);
}

class Tag final : public Predictor {
 public:
  Tag(const TaskOptions& options, const model::Config& config)
      : config_(config), aggregate_(options.aggregate), precision_(options.precision) {
    for (const std::string& label : config.labels) bio_.push_back(as_bio(label));
  }

  model::Needs needs() const override { return {.classifier = true}; }

  features::Overflow overflow() const override { return features::Overflow::split; }
  bool takes(features::Overflow overflow) const override { return overflow != features::Overflow::truncate; }
  void adapt(features::FeatureOptions& features) const override {
    features.wanted = {.offsets = text::Offsets::chars, .words = true};
  }

  // Words take precedence over the text, which they may have been made from, unless another field was asked
  // for. Ids take precedence over both; each id is a word.
  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    if (auto windows = examples::find_token_windows(fields, featurizer))
      return TaggedWords::of_tokens(*std::move(windows), featurizer.tokenizer());
    const std::string& asked = featurizer.options().text_field;
    if (const auto given = examples::find_words(fields, asked)) {
      auto windows = featurizer.windows(given->first, given->second);
      std::vector<std::string> words;
      for (const json::Value& word : given->second.elements()) words.emplace_back(word.string());
      return TaggedWords::of_words(std::move(windows), std::move(words));
    }
    const std::string_view text = fields.required_text(asked);
    return TaggedWords::of_text(featurizer.windows(text), std::string(text));
  }

  void positions(const features::Features& features, std::vector<int64_t>& positions) const override {
    for (uint32_t i = features.first.begin; i < features.first.end; ++i) positions.push_back(i);
  }

  std::vector<Row> compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    return logit_rows(network.class_logits(hidden));
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto& tagged = static_cast<const TaggedWords&>(reading);
    std::vector<Decision> decisions;
    for (const auto& rows : tagged.rows()) decisions.push_back(decide(rows, aggregate_));
    json::append_array(added.field("prediction"), decisions, [&](std::string& out, const Decision& decision) {
      json::append_string(out, label_of(config_.labels, decision));
    });
    if (tagged.found()) json::append_strings(added.field("words"), tagged.words());
    std::vector<std::string_view> tags;
    for (const Decision& decision : decisions) tags.push_back(label_of(bio_, decision));
    json::append_array(added.field("entities"), metric::entities(tags),
                       [&](std::string& out, const metric::Entity& entity) {
                         append_entity(out, tagged, decisions, entity);
                       });
  }

 private:
  // A word without tokens is outside all entities, whatever the labels.
  static std::string_view label_of(const std::vector<std::string>& labels, const Decision& decision) {
    return decision.label < 0 ? examples::kOutside : labels[static_cast<size_t>(decision.label)];
  }

  // The score is the mean probability of the words' tags.
  void append_entity(std::string& out, const TaggedWords& tagged, const std::vector<Decision>& decisions,
                     const metric::Entity& entity) const {
    double sum = 0;
    for (size_t w = entity.begin; w < entity.end; ++w) sum += static_cast<double>(decisions[w].score);
    const text::Span place = tagged.place_of(entity.begin, entity.end);
    json::Object object(out);
    object.string("type", entity.type);
    object.string("text", tagged.text_of(entity.begin, entity.end));
    object.integer("start", place.begin);
    object.integer("end", place.end);
    object.number("score", static_cast<float>(sum / static_cast<double>(entity.end - entity.begin)),
                  precision_);
    object.end();
  }

  const model::Config& config_;
  std::vector<std::string> bio_;  // the labels after as_bio
  Aggregate aggregate_;
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_tag(const TaskOptions& options, const model::Config& config,
                                    const text::Tokenizer&) {
  return std::make_unique<Tag>(options, config);
}

}  // namespace bert::predict
