// Training task for tagging words (Devlin et al. 2018, section 5.3).
#include <optional>
#include <utility>

#include "base/error.h"
#include "examples/tag_example.h"
#include "train/label_set.h"
#include "train/tag_learning.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using examples::TagReader;
using model::TrainingNetwork;

constexpr const char* kArchitecture = "BertForTokenClassification";

// Splits long sentences into windows as bert-predict does.
features::FeatureOptions windows_of(features::FeatureOptions features) {
  features.overflow = features::Overflow::split;
  features.overlap = features::usual_overlap(features.max_length.value());
  features.wanted = {.words = true};
  return features;
}

class TagTask final : public TrainingTask {
 public:
  TagTask(const TrainingTaskOptions& options, const text::Tokenizer& tokenizer, const model::Config& config)
      : options_(options), config_(config), featurizer_(tokenizer, windows_of(options.features)) {}

  void prepare(const Preview& preview) override {
    set_ = settle_labels(options_, config_, preview,
                         {.architecture = kArchitecture,
                          .of_record =
                              [this](const io::Fields& fields) {
                                return examples::bio_of(examples::tags_of(fields, label_field()));
                              },
                          .field = label_field(),
                          .order = examples::tags_in_order});
    if (set_.names.size() < 2)
      throw Error("there is only one tag, \"", set_.names.empty() ? "" : set_.names.front(),
                  "\"; tagging needs at least two");
    labels_.emplace(set_.names);
  }

  void add_settings(Settings& settings) const override { train::add_settings(set_, settings); }

  std::vector<std::string> metrics() const override {
    auto names = tag_metrics(*labels_);
    names.insert(names.begin(), "loss");
    return names;
  }

  TrainingNetwork::Heads heads() const override {
    return {.masked_lm = false,
            .next = false,
            .classifier = TrainingNetwork::Classifier{.outputs = labels_->size(),
                                                      .over = TrainingNetwork::Classifier::Over::tokens,
                                                      .dropout = config_.classifier_dropout}};
  }

  void settle(model::Config& config) const override {
    config.architectures = {kArchitecture};
    config.problem_type = {};
    config.labels = set_.names;
  }

  bool keeps_head() const override { return set_.of_model; }
  bool makes_windows() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<TagReader>(featurizer_, label_field(), *labels_, TagReader::For::learning);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return std::make_unique<TagReader>(featurizer_, label_field(), *labels_, TagReader::For::evaluation);
  }
  std::unique_ptr<Learner> make_learner(TrainingNetwork& network, TrainingNetwork::Keep keep) const override {
    return std::make_unique<TagLearning>(network, *labels_,
                                         TagLearning::Options{.class_weights = set_.weights, .keep = keep});
  }

 private:
  std::string label_field() const { return options_.label_field.value_or("tags"); }

  const TrainingTaskOptions options_;
  const model::Config& config_;
  const features::Featurizer featurizer_;
  LabelSet set_;
  std::optional<examples::Labels> labels_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_tag_task(const TrainingTaskOptions& options,
                                            const text::Tokenizer& tokenizer, const model::Config& config) {
  return std::make_unique<TagTask>(options, tokenizer, config);
}

}  // namespace bert::train
