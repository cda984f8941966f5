#include "train/tag.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "examples/tag_example.h"
#include "heads/scores.h"
#include "io/conll.h"
#include "json/json.h"
#include "nn/soft_losses.h"
#include "train/label_set.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using examples::TagExample, examples::TagReader;

bool names_entities(const examples::Labels& labels) {
  return std::ranges::all_of(labels.names(), [](const auto& name) { return io::is_entity_tag(name); });
}

}  // namespace

TagLearning::TagLearning(model::TrainingNetwork& network, const examples::Labels& labels, Options options)
    : ClassifierLearner(network, options.keep), labels_(labels), options_(std::move(options)) {}

void TagLearning::begin_evaluation() {
  ClassifierLearner::begin_evaluation();
  evaluation_.plain_tags = !names_entities(labels_);
  predicted_.clear();
}

double TagLearning::importance(const examples::Example& example) const {
  double sum = 0;
  for (const int32_t label : example.as<TagExample>().labels) sum += weight_of(label);
  return sum;
}

std::vector<int64_t> TagLearning::head_rows(Part examples) const {
  std::vector<int64_t> rows;
  for (size_t i = 0; i < examples.size(); ++i)
    for (const int32_t place : examples[i]->as<TagExample>().places)
      rows.push_back(batch_.offsets[i] + place);
  assert(std::ranges::is_sorted(rows));
  return rows;
}

nn::Loss TagLearning::loss(Part examples, float weight, nn::Tensor& logits) {
  std::vector<int32_t> gold;
  std::vector<float> importance, soft;  // empty: all 1, none
  for (const auto* example : examples) {
    const auto& of_example = example->as<TagExample>().soft;
    soft.insert(soft.end(), of_example.begin(), of_example.end());
    for (const int32_t label : example->as<TagExample>().labels) {
      gold.push_back(label);
      if (!options_.class_weights.empty()) importance.push_back(weight_of(label));
    }
  }
  const nn::SoftmaxRows rows = {.gold = gold, .importance = importance};
  if (soft.empty()) return nn::softmax_loss(network_.context(), rows, weight, logits);
  return nn::soft_softmax_loss(
      network_.context(), rows,
      {.probabilities = soft, .share = options_.soft_share, .temperature = options_.temperature}, weight,
      logits);
}

void TagLearning::add_predictions(Part examples, const nn::Tensor& logits) {
  int64_t row = 0;
  for (const auto* one : examples) {
    const auto& example = one->as<TagExample>();
    for (const int32_t word : example.words)
      predicted_.emplace_back(word, heads::best(heads::softmax(logits.values(row++))));
    if (example.tags) end_record(*example.tags);
  }
}

void TagLearning::end_record(std::span<const std::string> tags) {
  const std::vector<std::string_view> gold(tags.begin(), tags.end());
  std::vector<std::string_view> predicted(tags.size(), io::kOutside);
  for (const auto& [word, label] : predicted_) predicted[word] = labels_.names()[label];
  predicted_.clear();
  if (!evaluation_.plain_tags) return evaluation_.entities.add(gold, predicted);
  for (size_t i = 0; i < gold.size(); ++i) evaluation_.labels.add(gold[i], predicted[i]);
}

namespace {

// Splits long sentences into windows as bert-predict does.
features::FeatureOptions windows_of(features::FeatureOptions features) {
  features.overflow = features::Overflow::split;
  features.overlap = features::usual_overlap(features.max_length);
  features.wanted = {.words = true};
  return features;
}

class TagTask final : public TrainingTask {
 public:
  explicit TagTask(const TaskInputs& inputs)
      : TrainingTask(inputs), featurizer_(tokenizer_, windows_of(options_.features)) {}

  void peek(examples::RecordSource& source) override {
    source.peek([&](const io::Fields&, const io::Record& record, int64_t) {
      columns_ = record.source().conll.names;
      tag_key_ = record.source().conll.tag_key;
    });
  }

  void prepare(const Preparation& preparation) override {
    auto set = settle_labels(options_, config_, preparation, question());
    if (!set) return;
    set_ = *std::move(set);
    if (const auto mixture = schemes_.mixture(); !mixture.empty())
      preparation.log.warn("the tags mix the schemes " + mixture +
                           ": I- that begins an entity is read as B-, "
                           "the other tags are unchanged");
    warn_of_two_kinds(preparation.log);
    if (set_.labels.size() < 2)
      throw Error("there is only one tag, \"", set_.labels.names().empty() ? "" : set_.labels.names().front(),
                  "\"; tagging needs at least two",
                  tag_key_.empty() ? "" : "; no word has another under the key " + json::in_quotes(tag_key_));
  }

  void prepare_to_evaluate() override { set_ = labels_of_model(options_, config_, question()); }

  void add_settings(Settings& settings) const override {
    train::add_settings(set_, settings);
    add_soft_labels(options_, settings);
  }

  bool has(metric::Needs needs) const override {
    return needs != metric::Needs::entities || names_entities(set_.labels);
  }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    config.labels = set_.labels.names();
    for (auto& [name, value] : config.kept_options) {
      const auto option = "--" + name;
      if (option != opt::word_column && option != opt::tag_column) continue;
      size_t number = 0;
      const char* const end = value.data() + value.size();
      const bool is_number = std::from_chars(value.data(), end, number).ptr == end;
      if (is_number && number >= 1 && number <= columns_.size()) value = columns_[number - 1];
    }
  }

  bool keeps_head() const override { return set_.of_model; }
  bool makes_windows() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return reader_of(set_.labels, TagReader::For::learning);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return reader_of(set_.labels, TagReader::For::evaluation);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<TagLearning>(network, set_.labels,
                                         TagLearning::Options{.class_weights = set_.weights,
                                                              .soft_share = options_.soft_labels.value_or(0),
                                                              .temperature = options_.temperature,
                                                              .keep = keep});
  }

 private:
  // Such as those of two files, one with entities and one with parts of speech.
  void warn_of_two_kinds(Log& log) const {
    const auto& names = set_.labels.names();
    const auto entity = std::ranges::find_if(names, [](const auto& name) { return io::has_prefix(name); });
    const auto plain = std::ranges::find_if(names, [](const auto& name) { return !io::is_entity_tag(name); });
    if (entity == names.end() || plain == names.end()) return;
    log.warn("tags such as \"" + *entity + "\" mark entities, others, such as \"" + *plain +
             "\", do not: all are scored as labels of words");
  }

  LabelQuestion question() const {
    return {.architecture = architecture(),
            .field = options_.gold_field(),
            .reader_of =
                [this](const examples::Labels& labels) {
                  return std::make_unique<TagReader>(featurizer_, options_.gold_field(), labels,
                                                     TagReader::For::learning, soft_labels_of(options_),
                                                     &schemes_);
                },
            .order = examples::tags_in_order};
  }
  std::unique_ptr<examples::ExampleReader> reader_of(const examples::Labels& labels,
                                                     TagReader::For use) const {
    const auto soft = use == TagReader::For::learning ? soft_labels_of(options_) : examples::SoftLabels::none;
    return std::make_unique<TagReader>(featurizer_, options_.gold_field(), labels, use, soft);
  }

  const features::Featurizer featurizer_;
  std::vector<std::string> columns_;  // of the records, if they are CoNLL-U
  std::string tag_key_;               // of MISC, if tags are there
  LabelSet set_;
  io::TagSchemes schemes_;  // of the training records
};

}  // namespace

std::unique_ptr<TrainingTask> make_tag_task(const TaskInputs& inputs) {
  return std::make_unique<TagTask>(inputs);
}

}  // namespace bert::train
