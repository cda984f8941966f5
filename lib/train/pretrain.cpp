// Pre-training (Devlin et al. 2018, section 3.1). The loss is the mean language-model loss over a step's
// masked tokens, or over the next tokens that a causal model predicts (section 5.1, "LTR"), plus, for
// examples with labels, the mean next-sentence loss over its sequences.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "examples/pretrain_example.h"
#include "train/label_watch.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using examples::PretrainExample;

class Pretraining : public Learner {
 public:
  // `network` must have a head for each kind of label in the examples.
  using Learner::Learner;

  task::Task task() const override { return task::Task::pretrain; }
  metric::Values learn(const examples::Step& step, const StepPlace& place) override;
  void begin_evaluation() override { losses_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  metric::Values end_evaluation() override {
    sum_over_ranks({&losses_.masked_lm, &losses_.next});
    return metric::dev_values(evaluation_of(losses_), task());
  }

 private:
  struct Losses {
    nn::Loss masked_lm, next;
  };
  // Factors of the two losses in the objective. Not given: compute no gradients.
  struct Weights {
    float masked_lm, next;
  };
  void add(Part examples, const nn::DropoutSeed* dropout_seed, const std::optional<Weights>& weights,
           Losses& losses);
  static metric::Evaluation evaluation_of(const Losses& losses);

  Losses losses_;  // of the evaluation
};

metric::Values Pretraining::learn(const examples::Step& step, const StepPlace& place) {
  std::array<double, 2> counts = {};  // masked tokens, next-sentence labels
  for (const auto& batch : step.batches) {
    for (const auto& example : batch.examples) {
      counts[0] += example->as<PretrainExample>().positions.size();
      counts[1] += example->has_next_sentence_label() ? 1 : 0;
    }
  }
  ranks().sum(counts);
  const auto weight_of = [](double count) { return count > 0 ? 1 / static_cast<float>(count) : 0; };
  const Weights weights = {.masked_lm = weight_of(counts[0]), .next = weight_of(counts[1])};
  Losses losses;
  add_gradients(step, place, [&](Part examples, const nn::DropoutSeed& dropout_seed) {
    add(examples, &dropout_seed, weights, losses);
  });
  sum_over_ranks({&losses.masked_lm, &losses.next});
  return metric::step_values(evaluation_of(losses), task());
}

void Pretraining::evaluate(const examples::Examples& examples) {
  for (const Part part : evaluation_parts(examples)) {
    const auto range = range_of(ranks().rank(), part);
    if (!range.empty()) add(range, nullptr, {}, losses_);
  }
}

// Either all examples of a batch have a next-sentence label or none has.
void Pretraining::add(Part examples, const nn::DropoutSeed* dropout_seed,
                      const std::optional<Weights>& weights, Losses& losses) {
  nn::Batch& batch = batch_ = {};
  std::vector<int64_t> rows, wanted;  // rows of predicted tokens; the same and those that the pooler reads
  std::vector<int32_t> gold, next;
  for (const auto* one : examples) {
    const auto& example = one->as<PretrainExample>();
    for (const int32_t position : example.positions) rows.push_back(batch.tokens() + position);
    std::vector<int32_t> positions = example.positions;
    if (example.next) {
      const int32_t pooled = network_.config().pooled_position(std::ssize(example.ids));
      const auto place = std::ranges::lower_bound(positions, pooled);
      if (place == positions.end() || *place != pooled) positions.insert(place, pooled);
    }
    for (const int32_t position : positions) wanted.push_back(batch.tokens() + position);
    gold.insert(gold.end(), example.gold.begin(), example.gold.end());
    if (example.next) next.push_back(*example.next);
    batch.add(example.ids, example.types);
  }
  network_.forward(batch, wanted, dropout_seed, weights ? keep_ : Keep::nothing);
  const auto weight = [&](float Weights::*which) {
    return weights ? std::optional((*weights).*which) : std::nullopt;
  };
  losses.masked_lm += network_.masked_lm(rows, gold, weight(&Weights::masked_lm));
  if (!next.empty()) losses.next += network_.next_sentence(next, weight(&Weights::next));
}

metric::Evaluation Pretraining::evaluation_of(const Losses& losses) {
  const auto& [mlm, nsp] = losses;
  metric::Evaluation evaluation = {.loss = mlm.mean() + nsp.mean()};
  if (mlm.count > 0) evaluation.mlm_loss = mlm.mean(), evaluation.mlm_accuracy = mlm.accuracy();
  if (nsp.count > 0) evaluation.nsp_loss = nsp.mean(), evaluation.nsp_accuracy = nsp.accuracy();
  return evaluation;
}

// A causal model predicts next tokens. With --causal, other options of masking have been refused already.
corpus::MaskRule rule_of(const TrainingTaskOptions& options, const model::Config& config) {
  auto rule = options.mask;
  if (!config.causal) return rule;
  if (rule != corpus::MaskRule())
    throw Error("the model is causal and predicts next tokens: options of masking are not for it");
  rule.target = corpus::MaskRule::Target::next;
  return rule;
}

// Checks that a dev set has next-sentence labels if and only if the training records do.
class DevReader final : public examples::PretrainReader {
 public:
  DevReader(const text::Tokenizer& tokenizer, const corpus::MaskOptions& mask,
            examples::PretrainLimits limits, std::string path, bool next)
      : PretrainReader(tokenizer, mask, limits), path_(std::move(path)), next_(next) {}

  void check(const examples::Outline& example) override {
    PretrainReader::check(example);
    if (example.has_next_sentence_label != next_)
      throw Error(path_, next_ ? ": has no " : ": has ",
                  "field \"next_sentence_label\", unlike the training records");
  }

 private:
  const std::string path_;
  const bool next_;
};

class PretrainTask final : public TrainingTask {
 public:
  explicit PretrainTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        mask_{.rule = rule_of(options_, config_), .seed = options_.seed},
        limits_{.max_length = options_.features.max_length, .types = config_.types} {
    if (!config_.tied_embeddings)
      throw Error("the model's input and output embeddings are not tied, which pre-training requires");
  }

  void peek(examples::RecordSource& source) override {
    examples::PretrainReader reader(tokenizer_, mask_, limits_);
    source.peek([&](const io::Fields& fields, const io::Record& record, int64_t epoch) {
      examples::Examples examples;
      reader.read(fields, record, epoch, examples);
      next_ = examples.front()->as<PretrainExample>().next.has_value();
    });
    if (next_ && config_.type->pretraining != model::Pretraining::next_sentence)
      throw Error("models of type ", config_.type->name,
                  " have no head for next sentences: leave out \"next_sentence_label\"");
  }

  void prepare(const Preparation& preparation) override {
    warn_of_masks(preparation);
    if (!next_) return TrainingTask::prepare(preparation);
    LabelWatch watch;
    const auto label_of = [](const io::Fields&, const examples::Example& example) {
      return std::to_string(example.as<PretrainExample>().next.value_or(-1));
    };
    if (!preparation.check(watch.watched(make_reader(), label_of))) return;
    const auto label = watch.only_label(preparation.ranks);
    if (label && preparation.source.records() > 0)
      preparation.log.warn("every record has the same \"next_sentence_label\", " + *label);
  }

  void add_settings(Settings& settings) const override { train::add_settings(mask_.rule, settings); }

  bool has(metric::Needs needs) const override { return needs != metric::Needs::next_sentence || next_; }

  model::Heads heads() const override {
    model::Heads heads = {model::head_of(task::Task::fill)};
    if (next_) heads.push_back(model::head_of(task::Task::next));
    return heads;
  }

  bool keeps_head() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::PretrainReader>(tokenizer_, mask_, limits_);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string& path) const override {
    return std::make_unique<DevReader>(tokenizer_, mask_, limits_, path, next_);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<Pretraining>(network, keep);
  }

 private:
  const corpus::MaskOptions mask_;
  const examples::PretrainLimits limits_;
  bool next_ = false;  // the records have next-sentence labels
};

}  // namespace

std::unique_ptr<TrainingTask> make_pretrain_task(const TaskInputs& inputs) {
  return std::make_unique<PretrainTask>(inputs);
}

}  // namespace bert::train
