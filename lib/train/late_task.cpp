// The training task of late interaction: --task embed with a vector for each token.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "heads/late_texts.h"
#include "model/parts.h"
#include "train/compared_texts.h"
#include "train/late.h"
#include "train/projection.h"
#include "train/training_task.h"

namespace bert::train {

using examples::EmbedRecords;

namespace {

constexpr int64_t kNewWidth = 128;  // of the vectors of a new model (Khattab and Zaharia 2020)

features::FeatureOptions with_prompt(features::FeatureOptions options, const heads::LateTexts& texts,
                                     const model::SentenceTransformer& sentence, std::string_view name) {
  options.max_length = texts.max_length();
  if (const auto prompt = sentence.prompts.find(name); prompt != sentence.prompts.end())
    options.prompt = prompt->second;
  return options;
}

class LateTask final : public TrainingTask {
 public:
  explicit LateTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        sentence_(inputs.sentence),
        late_(inputs.sentence.late.value_or(model::LateInteraction())),
        queries_(late_, config_, options_.features.max_length, tokenizer_, heads::Side::query),
        documents_(late_, config_, options_.features.max_length, tokenizer_, heads::Side::document),
        query_featurizer_(tokenizer_, with_prompt(options_.features, queries_, sentence_, heads::kQuery)),
        featurizer_(tokenizer_, with_prompt(options_.features, documents_, sentence_, heads::kDocument)),
        loss_{.loss = options_.embed.loss, .unit_length = true, .mean = late_.mean} {
    loss_.loss.temperature = options_.temperature;
    if (!options_.embed.scale_given) loss_.loss.scale = 1;
    require_layers(config_, "vectors of tokens in their context");
    if (options_.embed.pooling.kind == heads::Pooling::Kind::mode)
      throw Error(opt::pooling, " cannot be used with ", inputs.path, ", which has a vector for each token");
    if (!sentence_.late) {
      projection_ = {.in = config_.hidden, .out = kNewWidth, .bias = false};
      return;
    }
    bool unit_length = false;
    for (const auto& module : sentence_.modules) {
      const auto* const dense = std::get_if<model::Dense>(&module);
      if (dense != nullptr && (dense_ != nullptr || unit_length))
        throw Error("the model has a Dense module after another module, which ", opt::task,
                    " embed cannot train");
      if (dense != nullptr) dense_ = dense;
      if (dense == nullptr) unit_length = true;
    }
    if (dense_ != nullptr) projection_ = projection_of(*dense_);
    loss_.unit_length = unit_length;
  }

  void peek(examples::RecordSource& source) override {
    require_compared_texts(options_.embed, "a vector for each token");
    source.peek([&](const io::Fields& fields, const io::Record&, int64_t) {
      has_label_ = examples::has_value(fields, options_.gold_field());
    });
  }

  void prepare(const Preparation& preparation) override {
    warn_of_compared_texts(preparation, loss_.loss.loss, has_label_, options_.gold_field());
    preparation.check(make_reader());
  }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    config.projection = projection_;
  }

  std::string_view complete(nn::Params& parameters) const override {
    fill_projection(dense_, parameters);
    return model::kProjection;
  }

  void add_settings(Settings& settings) const override {
    add_compared_texts(loss_.loss, settings);
    settings.emplace_back(opt::pooling, "none");
  }

  model::ModuleFiles modules() const override {
    return model::ModuleFiles::of_late({.late = late_,
                                        .projection = projection_,
                                        .unit_length = loss_.unit_length,
                                        .max_length = options_.features.max_length},
                                       sentence_);
  }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return reader_of(nn::compares_ratings(loss_.loss.loss) ? EmbedRecords::rated : EmbedRecords::pairs);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return reader_of(nn::compares_ratings(loss_.loss.loss) ? EmbedRecords::rated_dev : EmbedRecords::dev);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<LateLearning>(network, EmbedLearning::Options{.loss = loss_.loss, .keep = keep},
                                          loss_, queries_, documents_);
  }

 private:
  std::unique_ptr<examples::ExampleReader> reader_of(EmbedRecords records) const {
    return std::make_unique<examples::EmbedReader>(
        records, featurizer_, options_.gold_field(), nullptr, examples::TeacherVectors(),
        examples::QueryTexts{.featurizer = &query_featurizer_,
                             .expand = [this](features::Features& query) { queries_.expand(query); }});
  }

  const model::SentenceTransformer& sentence_;  // settings of the initial model
  const model::LateInteraction late_;
  const heads::LateTexts queries_, documents_;
  const features::Featurizer query_featurizer_, featurizer_;
  nn::LateOptions loss_;
  const model::Dense* dense_ = nullptr;   // of the initial model; may be nullptr
  model::Config::Projection projection_;  // that is trained
  bool has_label_ = false;                // the first record
};

}  // namespace

std::unique_ptr<TrainingTask> make_late_task(const TaskInputs& inputs) {
  return std::make_unique<LateTask>(inputs);
}

}  // namespace bert::train
