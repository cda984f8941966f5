// Training task for pre-training: masked tokens and, for records with labels, next sentences.
#include <utility>

#include "base/error.h"
#include "examples/pretrain_example.h"
#include "train/pretraining.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

// Checks that a dev set has next-sentence labels if and only if the training records do.
class DevReader final : public examples::PretrainReader {
 public:
  DevReader(const text::Tokenizer& tokenizer, const corpus::MaskOptions& mask,
            examples::PretrainLimits limits, std::string path, bool next)
      : PretrainReader(tokenizer, mask, limits), path_(std::move(path)), next_(next) {}

  void check(const examples::Example& example) override {
    PretrainReader::check(example);
    if (example.as<examples::PretrainExample>().next.has_value() != next_)
      throw Error(path_, next_ ? ": has no " : ": has ",
                  "field \"next_sentence_label\", unlike the training records");
  }

 private:
  const std::string path_;
  const bool next_;
};

class PretrainTask final : public TrainingTask {
 public:
  PretrainTask(const TrainingTaskOptions& options, const text::Tokenizer& tokenizer,
               const model::Config& config)
      : tokenizer_(tokenizer),
        mask_{.rule = options.mask, .seed = options.seed},
        limits_{.max_length = options.features.max_length.value_or(config.positions), .types = config.types} {
    if (!config.tied_embeddings)
      throw Error("the model's input and output embeddings are not tied, which pre-training requires");
  }

  void prepare(const Preview& preview) override {
    examples::PretrainReader reader(tokenizer_, mask_, limits_);
    preview.first([&](const io::Fields& fields, const io::Record& record, int64_t epoch) {
      examples::Examples examples;
      reader.read(fields, record, epoch, examples);
      next_ = examples.front()->as<examples::PretrainExample>().next.has_value();
    });
  }

  void add_settings(Settings& settings) const override {
    const auto& rule = mask_.rule;
    settings.emplace_back("--mask-prob", setting(rule.probability));
    settings.emplace_back("--mask-rate", setting(rule.mask_rate));
    settings.emplace_back("--random-rate", setting(rule.random_rate));
    settings.emplace_back("--max-predictions", setting(rule.max_predictions));
    settings.emplace_back("--whole-word", yes_or_no(rule.unit == corpus::MaskRule::Unit::word));
    settings.emplace_back("--replace-any",
                          yes_or_no(rule.replacements == corpus::MaskRule::Replacements::every));
  }

  std::vector<std::string> metrics() const override {
    std::vector<std::string> names = {"loss", "mlm_loss", "mlm_accuracy"};
    if (next_) names.insert(names.end(), {"nsp_loss", "nsp_accuracy"});
    return names;
  }

  model::TrainingNetwork::Heads heads() const override { return {.masked_lm = true, .next = next_}; }

  void settle(model::Config& config) const override {
    config.architectures = {next_ ? "BertForPreTraining" : "BertForMaskedLM"};
    config.problem_type = {};
    config.labels = model::Config().labels;
  }

  bool keeps_head() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::PretrainReader>(tokenizer_, mask_, limits_);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string& path) const override {
    return std::make_unique<DevReader>(tokenizer_, mask_, limits_, path, next_);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network,
                                        model::TrainingNetwork::Keep keep) const override {
    return std::make_unique<Pretraining>(network, keep);
  }

 private:
  const text::Tokenizer& tokenizer_;
  const corpus::MaskOptions mask_;
  const examples::PretrainLimits limits_;
  bool next_ = false;  // the records have next-sentence labels
};

}  // namespace

std::unique_ptr<TrainingTask> make_pretrain_task(const TrainingTaskOptions& options,
                                                 const text::Tokenizer& tokenizer,
                                                 const model::Config& config) {
  return std::make_unique<PretrainTask>(options, tokenizer, config);
}

}  // namespace bert::train
