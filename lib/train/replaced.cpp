#include "train/replaced.h"

#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "model/fingerprint.h"
#include "predict/fit.h"
#include "train/training_task.h"

namespace bert::train {

using examples::PretrainExample;

metric::Values ReplacedLearning::learn(const examples::Step& step, const StepPlace& place) {
  double tokens = 0;
  for (const auto& batch : step.batches)
    for (const auto& example : batch.examples) tokens += static_cast<double>(example->tokens());
  ranks().sum({&tokens, 1});
  const float weight = tokens > 0 ? static_cast<float>(1 / tokens) : 0;
  Score score;
  add_gradients(step, place, [&](Part examples, const nn::DropoutSeed& dropout_seed) {
    add(examples, &dropout_seed, weight, score);
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

void ReplacedLearning::add(Part examples, const nn::DropoutSeed* dropout_seed, std::optional<float> weight,
                           Score& score) {
  const auto targets = corrupt(examples);
  std::vector<int64_t> rows(targets.size());
  std::iota(rows.begin(), rows.end(), 0);
  network_.forward(batch_, rows, dropout_seed, weight ? keep_ : Keep::nothing);
  nn::Tensor& logits = network_.logits(rows);
  for (size_t row = 0; row < targets.size(); ++row) {
    const bool gold = targets[row] == 1, predicted = logits.row(static_cast<int64_t>(row))[0] > 0;
    score.replaced.gold += gold ? 1 : 0;
    score.replaced.predicted += predicted ? 1 : 0;
    score.replaced.both += gold && predicted ? 1 : 0;
  }
  score.loss += nn::logistic_loss(targets, weight.value_or(0), logits);
  if (weight) network_.logits_gradient(logits);
}

std::vector<float> ReplacedLearning::corrupt(Part examples) {
  nn::Batch& batch = batch_ = {};
  std::vector<int64_t> rows;  // of the masked tokens
  std::vector<int32_t> gold;
  std::vector<double> chances;
  for (const auto* one : examples) {
    const auto& example = one->as<PretrainExample>();
    Random random = example.chance;
    for (const int32_t position : example.positions) {
      rows.push_back(batch.tokens() + position);
      chances.push_back(random.uniform());
    }
    gold.insert(gold.end(), example.gold.begin(), example.gold.end());
    batch.add(example.ids, example.types);
  }
  std::vector<float> targets(static_cast<size_t>(batch.tokens()));
  const auto filled = generator_.fill(batch, rows, chances);
  for (size_t i = 0; i < rows.size(); ++i) {
    batch.ids[rows[i]] = filled[i];
    targets[rows[i]] = filled[i] == gold[i] ? 0.0f : 1.0f;
  }
  return targets;
}

metric::Evaluation ReplacedLearning::sum_over_ranks(Score& score) {
  auto& [loss, replaced] = score;
  Learner::sum_over_ranks({&loss});
  std::array<double, 3> counts = {static_cast<double>(replaced.gold), static_cast<double>(replaced.predicted),
                                  static_cast<double>(replaced.both)};
  ranks().sum(counts);
  return {.loss = loss.mean(),
          .step_accuracy = loss.accuracy(),
          .replaced = {.gold = static_cast<int64_t>(counts[0]),
                       .predicted = static_cast<int64_t>(counts[1]),
                       .both = static_cast<int64_t>(counts[2])}};
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

void require_same_vocabulary(const std::string& path, const text::Tokenizer& generator,
                             const text::Tokenizer& tokenizer) {
  bool same = generator.size() == tokenizer.size() && generator.mask() == tokenizer.mask();
  for (int32_t id = 0; same && id < tokenizer.size(); ++id)
    same = generator.subword(id) == tokenizer.subword(id);
  if (!same) throw Error(path, ": the generator has another vocabulary than the model");
}

class ReplacedTask final : public TrainingTask {
 public:
  explicit ReplacedTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        mask_{.rule = options_.mask, .seed = options_.seed},
        generator_(model::open_directory(options_.generator)) {
    if (config_.type->pretraining != model::Pretraining::replaced)
      throw Error("models of type ", config_.type->name,
                  " have no head for replaced tokens; start from one of type electra or from a new one");
    predict::task_for(task::Task::fill, generator_);
    if (config_.causal || generator_.config.causal)
      throw Error("a causal model neither fills masks nor detects replaced tokens");
    const auto tokenizer = model::load_tokenizer(generator_);
    require_same_vocabulary(generator_.root, tokenizer, tokenizer_);
    print_ = model::fingerprint(generator_, tokenizer, {});
    const int64_t most = options_.features.max_length.value();
    if (generator_.config.positions < most)
      throw Error(generator_.root, ": the generator reads ", generator_.config.positions,
                  " tokens, fewer than the maximum length of ", most, "; use ", opt::max_length);
  }

  void add_settings(Settings& settings) const override {
    settings.emplace_back(opt::generator, hexadecimal(print_));
    train::add_settings(mask_.rule, settings);
  }

  bool keeps_head() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    const int64_t ours = config_.types, its = generator_.config.types;
    const int64_t types = ours == 0 || its == 0 ? ours + its : std::min(ours, its);
    return std::make_unique<ReplacedReader>(
        tokenizer_, mask_,
        examples::PretrainLimits{.max_length = options_.features.max_length.value(), .types = types});
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<ReplacedLearning>(
        network, Generator(generator_, tokenizer_, network.context().pool()), keep);
  }

 private:
  const corpus::MaskOptions mask_;
  const model::Directory generator_;
  uint64_t print_ = 0;  // fingerprint of the generator
};

}  // namespace

std::unique_ptr<TrainingTask> make_replaced_task(const TaskInputs& inputs) {
  return std::make_unique<ReplacedTask>(inputs);
}

}  // namespace bert::train
