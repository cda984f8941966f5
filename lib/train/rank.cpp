// Training of rankers (cross-encoders): one logit for each candidate of a text, from the pooler's output for
// both. The loss is one of nn/rank_losses.h.
#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "examples/rank_example.h"
#include "features/candidates.h"
#include "metric/ranking.h"
#include "nn/rank_losses.h"
#include "train/learner.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using examples::RankExample;
using examples::RankReader;
using nn::RankLoss;

class RankLearning final : public ClassifierLearner {
 public:
  struct Options {
    RankLoss loss;
    float temperature = 1;
  };

  RankLearning(model::TrainingNetwork& network, const Options& options, Keep keep)
      : ClassifierLearner(network, keep), options_(options) {}

  task::Task task() const override { return task::Task::rank; }
  void begin_evaluation() override {
    ClassifierLearner::begin_evaluation();
    rankings_ = candidates_ = {};
  }
  metric::Values end_evaluation() override {
    if (rankings_.count() > rankings_.queries()) evaluation_.ranking = rankings_.means(metric::kRankTopK);
    if (candidates_.count() > 0) evaluation_.candidates = candidates_.means(metric::kRankTopK);
    return ClassifierLearner::end_evaluation();
  }

 private:
  // A dev set may not have what the loss needs.
  RankLoss loss_of(const RankExample& example) const {
    const auto& entry = nn::entry(options_.loss);
    if (example.is_list)
      return !entry.taught ? entry.loss : example.scores.empty() ? RankLoss::softmax : entry.loss;
    return entry.compares ? RankLoss::binary : entry.loss;
  }
  static const std::vector<float>& targets_of(const RankExample& example, RankLoss loss) {
    return nn::entry(loss).taught ? example.scores : example.labels;
  }

  double importance(const examples::Example& one) const override {
    const auto& example = one.as<RankExample>();
    const auto loss = loss_of(example);
    return static_cast<double>(nn::rank_count(loss, targets_of(example, loss)));
  }

  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override {
    nn::Loss sum = {.count = std::ssize(examples)};
    int64_t row = 0;
    for (const auto* one : examples) {
      const auto& example = one->as<RankExample>();
      const auto loss = loss_of(example);
      std::vector<double> x;
      for (size_t k = 0; k < example.lengths.size(); ++k) x.push_back(logits.row(row + k)[0]);
      const auto rated = nn::rank_loss(loss, x, targets_of(example, loss), options_.temperature);
      sum.sum += rated.loss;
      for (const double slope : rated.gradient) {
        std::fill_n(logits.row(row), logits.stride(), 0.0f);
        logits.row(row++)[0] = static_cast<float>(weight * slope);
      }
    }
    return sum;
  }

  // Candidates of equal texts, or of a list, are ranked together.
  void add_predictions(Part examples, const nn::Tensor& logits) override {
    int64_t row = 0;
    for (const auto* one : examples) {
      const auto& example = one->as<RankExample>();
      const auto& text = example.text.empty() ? example.where : example.text;
      for (size_t k = 0; k < example.lengths.size(); ++k, ++row) {
        if (example.labels.empty()) continue;
        const double label = example.labels[k], logit = logits.row(row)[0];
        rankings_.add(text, label, logit);
        if (example.is_list) continue;
        candidates_.add("", label, logit);
        evaluation_.numbers.add(label, logit);
      }
    }
  }

  const Options options_;
  metric::Rankings rankings_, candidates_;  // of the dev set
};

class RankTask final : public TrainingTask {
 public:
  explicit RankTask(const TaskInputs& inputs)
      : TrainingTask(inputs), featurizer_(tokenizer_, options_.features) {}

  void peek(examples::RecordSource& source) override {
    source.peek([&](const io::Fields& fields, const io::Record&, int64_t) {
      is_list_ = features::has_candidates(fields);
    });
    if (is_list_ && options_.label_field)
      throw Error(opt::label_field,
                  " is for pairs, but the first record has a list of candidates, whose field is \"labels\"");
    loss_ = options_.rank_loss.value_or(is_list_ ? RankLoss::softmax : RankLoss::binary);
  }

  void prepare(const Preparation& preparation) override {
    if (const auto& entry = nn::entry(loss_); entry.compares && !is_list_)
      throw Error(opt::loss, " ", entry.name,
                  " compares candidates of a text, but the first record has no list of them: no field "
                  "\"negatives\" and no \"documents\"");
    TrainingTask::prepare(preparation);
  }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    config.labels = {"LABEL_0"};
    config.cross_encoder = true;
    config.score_activation =
        loss_ == RankLoss::binary ? model::ScoreActivation::sigmoid : model::ScoreActivation::none;
  }
  bool keeps_head() const override { return TrainingTask::keeps_head() && config_.labels.size() == 1; }

  void add_settings(Settings& settings) const override {
    settings.emplace_back(opt::loss, std::string(nn::entry(loss_).name));
    if (loss_ == RankLoss::kl) settings.emplace_back(opt::temperature, setting(options_.temperature));
  }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return reader_for(RankReader::Purpose::training);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return reader_for(RankReader::Purpose::dev);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<RankLearning>(
        network, RankLearning::Options{.loss = loss_, .temperature = options_.temperature}, keep);
  }

 private:
  std::unique_ptr<examples::ExampleReader> reader_for(RankReader::Purpose purpose) const {
    const auto& entry = nn::entry(loss_);
    return std::make_unique<RankReader>(
        examples::RankTargets{
            .loss = std::string(entry.name),
            .is_list = is_list_,
            .taught = entry.taught,
            .least = entry.least,
            .most = entry.most,
            .teaches = [loss = loss_](std::span<const float> y) { return nn::rank_count(loss, y) > 0; }},
        featurizer_, options_.gold_field(), purpose);
  }

  const features::Featurizer featurizer_;
  RankLoss loss_ = RankLoss::binary;
  bool is_list_ = false;  // the training records
};

}  // namespace

std::unique_ptr<TrainingTask> make_rank_task(const TaskInputs& inputs) {
  return std::make_unique<RankTask>(inputs);
}

}  // namespace bert::train
