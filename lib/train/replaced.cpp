#include "train/replaced.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "heads/scores.h"
#include "heads/task_support.h"
#include "model/fingerprint.h"
#include "train/same_tokenizer.h"
#include "train/training_task.h"

namespace bert::train {

using examples::PretrainExample;

namespace {

// The weight of the discriminator's loss; that of the generator's loss is 1 (Clark et al. 2020, section 2 and
// table 6).
constexpr float kModelWeight = 50;

}  // namespace

metric::Values ReplacedLearning::learn(const examples::Step& step, const StepPlace& place) {
  std::array<double, 2> counts = {};  // tokens, masked tokens
  for (const auto& batch : step.batches) {
    for (const auto& example : batch.examples) {
      counts[0] += example->tokens();
      counts[1] += static_cast<double>(example->as<PretrainExample>().positions.size());
    }
  }
  ranks().sum(counts);
  const auto weight_of = [](float loss, double count) {
    return count > 0 ? static_cast<float>(loss / count) : 0;
  };
  const Weights weights = {.replaced = weight_of(fixed_ ? 1 : kModelWeight, counts[0]),
                           .masked_lm = weight_of(1, counts[1])};
  Score score;
  add_gradients(step, place, [&](Part examples, const nn::DropoutSeed& dropout_seed) {
    add(examples, &dropout_seed, weights, score);
  });
  return metric::step_values(sum_over_ranks(score), task());
}

void ReplacedLearning::evaluate(const examples::Examples& examples) {
  for (const Part part : evaluation_parts(examples)) {
    const auto range = range_of(ranks().rank(), part);
    if (!range.empty()) add(range, nullptr, {}, score_);
  }
}

metric::Values ReplacedLearning::end_evaluation() {
  return metric::dev_values(sum_over_ranks(score_), task());
}

void ReplacedLearning::add(Part examples, const nn::DropoutSeed* dropout_seed,
                           const std::optional<Weights>& weights, Score& score) {
  const auto masked = make_batch(examples);
  const auto filled =
      fixed_ ? fixed_->fill(batch_, masked.rows, masked.chances) : fill(masked, dropout_seed, weights, score);
  std::vector<float> targets(batch_.tokens());  // 1: replaced
  for (size_t i = 0; i < filled.size(); ++i) {
    batch_.ids[masked.rows[i]] = filled[i];
    targets[masked.rows[i]] = filled[i] == masked.gold[i] ? 0.0f : 1.0f;
  }
  std::vector<int64_t> rows(targets.size());
  std::iota(rows.begin(), rows.end(), 0);
  network_.forward(batch_, rows, dropout_seed, weights ? keep_ : Keep::nothing);
  nn::Tensor& logits = network_.logits(rows);
  for (size_t row = 0; row < targets.size(); ++row) {
    const bool gold = targets[row] == 1, predicted = logits.row(row)[0] > 0;
    score.replaced.gold += gold ? 1 : 0;
    score.replaced.predicted += predicted ? 1 : 0;
    score.replaced.both += gold && predicted ? 1 : 0;
  }
  score.loss += nn::logistic_loss(targets, weights ? weights->replaced : 0, logits);
  if (weights) network_.logits_gradient(logits);
}

ReplacedLearning::Masked ReplacedLearning::make_batch(Part examples) {
  nn::Batch& batch = batch_ = {};
  Masked masked;
  for (const auto* one : examples) {
    const auto& example = one->as<PretrainExample>();
    Random random = example.chance;
    for (const int32_t position : example.positions) {
      masked.rows.push_back(batch.tokens() + position);
      masked.chances.push_back(random.uniform());
    }
    masked.gold.insert(masked.gold.end(), example.gold.begin(), example.gold.end());
    batch.add(example.ids, example.types);
  }
  return masked;
}

std::vector<int32_t> ReplacedLearning::fill(const Masked& masked, const nn::DropoutSeed* dropout_seed,
                                            const std::optional<Weights>& weights, Score& score) {
  auto& generator = *network_.generator();
  std::optional<nn::DropoutSeed> own;  // the generator drops other places than the model
  if (dropout_seed) own = *dropout_seed, own->seed = ~own->seed;
  generator.forward(batch_, masked.rows, own ? &*own : nullptr, weights ? keep_ : Keep::nothing);
  std::vector<int32_t> filled = masked.gold;
  score.masked_lm += generator.masked_lm(
      masked.rows, masked.gold, weights ? std::optional(weights->masked_lm) : std::nullopt,
      [&](int64_t row, std::span<const float> logits) {
        try {
          filled[row] = sampled(logits.first(choices_), masked.chances[row]);
        } catch (const heads::NotFinite&) {  // then the loss is not finite, either
        }
      });
  if (weights) generator.backward();
  return filled;
}

metric::Evaluation ReplacedLearning::sum_over_ranks(Score& score) {
  auto& [loss, masked_lm, replaced] = score;
  Learner::sum_over_ranks({&loss, &masked_lm});
  std::array<double, 3> counts = {static_cast<double>(replaced.gold), static_cast<double>(replaced.predicted),
                                  static_cast<double>(replaced.both)};
  ranks().sum(counts);
  metric::Evaluation evaluation = {.loss = loss.mean(),
                                   .step_accuracy = loss.accuracy(),
                                   .replaced = {.gold = static_cast<int64_t>(counts[0]),
                                                .predicted = static_cast<int64_t>(counts[1]),
                                                .both = static_cast<int64_t>(counts[2])}};
  if (fixed_) return evaluation;
  evaluation.loss = masked_lm.mean() + kModelWeight * loss.mean();
  if (masked_lm.count > 0)
    evaluation.mlm_loss = masked_lm.mean(), evaluation.mlm_accuracy = masked_lm.accuracy();
  return evaluation;
}

namespace {

class ReplacedReader final : public examples::PretrainReader {
 public:
  ReplacedReader(const text::Tokenizer& tokenizer, const corpus::MaskOptions& mask,
                 examples::PretrainLimits limits)
      : PretrainReader(tokenizer, mask, limits), seed_(mask.seed) {}

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            examples::Examples& examples) const override {
    PretrainReader::read(fields, record, epoch, examples);
    static_cast<PretrainExample&>(*examples.back()).chance =
        corpus::fill_random(fields, record.place(), seed_, epoch);
  }

 private:
  const uint64_t seed_;
};

// The smallest number of token types of both; 0: types are ignored.
int64_t types_of(const model::Config& ours, const model::Config& its) {
  return ours.types == 0 || its.types == 0 ? ours.types + its.types : std::min(ours.types, its.types);
}

class ReplacedTask final : public TrainingTask {
 public:
  explicit ReplacedTask(const TaskInputs& inputs)
      : TrainingTask(inputs), mask_{.rule = options_.mask, .seed = options_.seed} {
    if (config_.type->pretraining != model::Pretraining::replaced) {
      std::vector<std::string> types;
      for (const auto& type : model::model_types())
        if (type.pretraining == model::Pretraining::replaced) types.emplace_back(type.name);
      throw Error("models of type ", config_.type->name,
                  " have no head for replaced tokens; start from one of type ", listed(types, "or"),
                  ", or from a new one");
    }
    if (!options_.generator_size) fixed_ = model::open_directory(options_.generator);
    if (fixed_) heads::task_for(task::Task::fill, *fixed_);
    if (config_.causal || (fixed_ && fixed_->config.causal))
      throw Error("a causal model neither fills masks nor detects replaced tokens");
    if (!fixed_) return;
    const auto tokenizer = model::load_tokenizer(*fixed_);
    require_same_vocabulary("generator", fixed_->root, tokenizer, tokenizer_);
    print_ = model::fingerprint(*fixed_, tokenizer, {});
    const int64_t most = options_.features.max_length;
    if (fixed_->config.positions < most)
      throw Error(fixed_->root, ": the generator reads ", fixed_->config.positions,
                  " tokens, fewer than the maximum length of ", most, "; use ", opt::max_length);
  }

  void prepare(const Preparation& preparation) override {
    warn_of_masks(preparation);
    TrainingTask::prepare(preparation);
  }

  void add_settings(Settings& settings) const override {
    if (fixed_) settings.emplace_back(opt::generator, hexadecimal(print_));
    if (!fixed_) settings.emplace_back(opt::generator_size, setting(*options_.generator_size));
    if (!fixed_) settings.emplace_back(opt::embedding_sharing, model::name_of(embedding_sharing()));
    train::add_settings(mask_.rule, settings);
  }

  bool has(metric::Needs needs) const override { return needs != metric::Needs::generator || !fixed_; }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    if (fixed_) return;
    const auto heads = std::lround(config.heads * *options_.generator_size);
    config.generator_heads = std::max(1L, heads);
    config.embedding_sharing = embedding_sharing();
  }

  bool keeps_head() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<ReplacedReader>(
        tokenizer_, mask_,
        examples::PretrainLimits{.max_length = options_.features.max_length,
                                 .types = types_of(config_, fixed_ ? fixed_->config : config_)});
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    std::optional<Generator> fixed;
    if (fixed_) fixed.emplace(*fixed_, tokenizer_, network.context().pool());
    return std::make_unique<ReplacedLearning>(network, std::move(fixed), tokenizer_.size(), keep);
  }

 private:
  // By default that of the type's paper.
  model::EmbeddingSharing embedding_sharing() const {
    using enum model::EmbeddingSharing;
    return options_.embedding_sharing.value_or(config_.type->disentangled ? gdes : es);
  }

  const corpus::MaskOptions mask_;
  std::optional<model::Directory> fixed_;  // a generator that was trained before
  uint64_t print_ = 0;                     // its fingerprint
};

}  // namespace

std::unique_ptr<TrainingTask> make_replaced_task(const TaskInputs& inputs) {
  return std::make_unique<ReplacedTask>(inputs);
}

}  // namespace bert::train
