#include "train/embed.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "comm/message.h"
#include "predict/pooling.h"
#include "train/training_task.h"

namespace bert::train {

using examples::EmbedExample, examples::EmbedRecords;
using nn::SimilarityLoss;

int64_t EmbedLearning::width() const { return network_.config().hidden * std::ssize(options_.pooling); }

// Runs the network for the hidden states that the pooling reads: all, or the first of each sequence.
void EmbedLearning::forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) {
  batch_ = {};
  for (const auto* example : examples)
    for (const auto& [ids, types] : example->sequences()) batch_.add(ids, types);
  std::vector<int64_t> rows;
  if (predict::only_first_token(options_.pooling)) {
    rows.assign(batch_.offsets.begin(), batch_.offsets.end() - 1);
  } else {
    rows.resize(batch_.tokens());
    std::iota(rows.begin(), rows.end(), int64_t{0});
  }
  network_.forward(batch_, rows, dropout_seed, keep);
}

namespace {

// The rows of hidden() that belong to a sequence of the batch.
struct Rows {
  int64_t first, count;
};

Rows rows_of(const nn::Batch& batch, const nn::Tensor& hidden, int64_t sequence) {
  if (hidden.rows() == batch.sequences()) return {.first = sequence, .count = 1};
  return {.first = batch.offsets[sequence], .count = batch.length(sequence)};
}

void append(std::string& out, double number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

double take_double(std::string_view& in) {
  double number;
  std::memcpy(&number, in.data(), sizeof number);
  in.remove_prefix(sizeof number);
  return number;
}

}  // namespace

// For each example: the number of its first sequence, how many it has, whether it is scored, its label, and
// the vectors.
void EmbedLearning::append_vectors(Part examples, std::span<const uint64_t> sequences,
                                   std::string& out) const {
  predict::SequencePooling pooling(options_.pooling, network_.config().hidden);
  const auto& hidden = network_.hidden();
  std::vector<float> vector(width());
  int64_t sequence = 0;
  for (const auto* one : examples) {
    const auto& example = one->as<EmbedExample>();
    comm::append(out, sequences[sequence]);
    comm::append(out, example.lengths.size());
    comm::append(out, example.scored);
    append(out, example.label);
    for (size_t i = 0; i < example.lengths.size(); ++i, ++sequence) {
      const auto [first, count] = rows_of(batch_, hidden, sequence);
      pooling.start();
      for (int64_t row = first; row < first + count; ++row) pooling.add(hidden.values(row));
      pooling.finish(vector);
      out.append(reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float));
    }
  }
}

// The vectors of all ranks.
EmbedLearning::Compared EmbedLearning::gather(const std::string& own) const {
  const auto texts = ranks().all_gather(own);
  const size_t bytes = width() * sizeof(float);
  struct Found {
    nn::SimilarityGroup group;
    std::string_view vectors;
  };
  std::vector<Found> all;
  Compared compared;
  for (std::string_view rest : texts) {
    while (!rest.empty()) {
      const int64_t first = comm::take_number(rest), count = comm::take_number(rest);
      compared.scored = comm::take_number(rest) != 0;
      const double label = take_double(rest);
      const size_t size = count * bytes;
      all.push_back({{.begin = first, .end = first + count, .label = label}, rest.substr(0, size)});
      rest.remove_prefix(size);
    }
  }
  std::ranges::sort(all, {}, [](const Found& found) { return found.group.begin; });
  compared.vectors.reshape(all.empty() ? 0 : all.back().group.end, width());
  for (const auto& [group, vectors] : all) {
    compared.groups.push_back(group);
    for (int64_t row = group.begin; row < group.end; ++row)
      std::memcpy(compared.vectors.row(row), vectors.data() + (row - group.begin) * bytes, bytes);
  }
  return compared;
}

// Passes the gradient of the batch's vectors on to the network. `sequences`: their rows in `gradient`.
void EmbedLearning::backward(std::span<const uint64_t> sequences, const nn::Tensor& gradient) {
  const auto& hidden = network_.hidden();
  dhidden_.reshape(hidden.rows(), hidden.cols());
  for (int64_t row = 0; row < hidden.rows(); ++row) std::fill_n(dhidden_.row(row), hidden.cols(), 0.0f);
  network_.context().pool().run_grid(batch_.sequences(), [&](int64_t sequence, int) {
    const auto [first, count] = rows_of(batch_, hidden, sequence);
    const auto of_vector = gradient.values(sequences[sequence]);
    predict::pooling_gradient(options_.pooling, hidden, first, count, of_vector, dhidden_);
  });
  network_.hidden_gradient(dhidden_);
}

metric::Values EmbedLearning::learn(const examples::Step& step, const StepPlace& place) {
  const auto batches = std::ranges::count_if(
      step.batches, [](const examples::Batch& batch) { return !batch.examples.empty(); });
  std::string own;
  Compared compared;
  nn::Tensor gradient;
  nn::SimilarityResult result;
  const auto compare = [&] {
    compared = gather(own);
    result =
        nn::similarity_loss(network_.context(), options_.loss, compared.groups, compared.vectors, &gradient);
  };
  const bool twice = batches > 1;
  if (batches != 1) {
    for (const auto& batch : step.batches) {
      if (batch.examples.empty()) continue;
      std::vector<const examples::Example*> examples;
      for (const auto& example : batch.examples) examples.push_back(example.get());
      const nn::DropoutSeed dropout_seed = {
          .seed = place.seed, .step = place.step, .sequences = batch.sequences};
      forward(examples, &dropout_seed, Keep::nothing);
      append_vectors(examples, batch.sequences, own);
    }
    compare();
  }
  add_gradients(step, place, [&](Part examples, const nn::DropoutSeed& dropout_seed) {
    forward(examples, &dropout_seed, keep_);
    if (!twice) {
      append_vectors(examples, dropout_seed.sequences, own);
      compare();
    }
    backward(dropout_seed.sequences, gradient);
  });
  metric::Evaluation evaluation = {.loss = result.loss};
  const bool ranks =
      options_.loss.loss == SimilarityLoss::ranking || options_.loss.loss == SimilarityLoss::symmetric;
  if (ranks) evaluation.step_accuracy = static_cast<double>(result.correct) / compared.groups.size();
  return metric::step_values(evaluation, task());
}

void EmbedLearning::begin_evaluation() {
  evaluated_.clear();
  sequences_ = 0;
}

void EmbedLearning::evaluate(const examples::Examples& examples) {
  for (const Part part : evaluation_parts(examples)) {
    const auto range = range_of(ranks().rank(), part);
    const size_t begin = range.data() - part.data();
    std::vector<uint64_t> own;
    for (size_t i = 0; i < part.size(); ++i) {
      const bool is_own = i >= begin && i < begin + range.size();
      for (size_t k = 0; k < part[i]->sequences().size(); ++k, ++sequences_)
        if (is_own) own.push_back(sequences_);
    }
    if (range.empty()) continue;
    forward(range, nullptr, Keep::nothing);
    append_vectors(range, own, evaluated_);
  }
}

// The loss for dev records of this kind, which may differ from the training records.
nn::SimilarityOptions EmbedLearning::dev_loss(bool scored) const {
  auto options = options_.loss;
  const bool for_scores = options.loss == SimilarityLoss::cosent || options.loss == SimilarityLoss::cosine;
  if (scored != for_scores) options.loss = scored ? SimilarityLoss::cosent : SimilarityLoss::ranking;
  return options;
}

metric::Values EmbedLearning::end_evaluation() {
  const Compared compared = gather(evaluated_);
  evaluated_ = {};
  const auto& [vectors, groups, scored] = compared;
  metric::Evaluation evaluation;
  if (groups.empty()) return metric::dev_values(evaluation, task());
  auto loss = dev_loss(scored);
  const bool has_negatives =
      std::ranges::any_of(groups, [](const auto& group) { return group.end > group.positive() + 1; });
  if (loss.loss == SimilarityLoss::triplet && !has_negatives) loss.loss = SimilarityLoss::ranking;
  evaluation.loss = nn::similarity_loss(network_.context(), loss, groups, vectors, nullptr).loss;
  if (scored) {
    const auto cosines = nn::cosines(groups, vectors);
    for (size_t i = 0; i < groups.size(); ++i) evaluation.numbers.add(groups[i].label, cosines[i]);
  } else {
    for (const int64_t rank : nn::ranks_of_positives(network_.context(), groups, vectors))
      evaluation.places.add(rank, vectors.rows());
  }
  return metric::dev_values(evaluation, task());
}

namespace {

class EmbedTask final : public TrainingTask {
 public:
  explicit EmbedTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        sentence_(inputs.sentence),
        featurizer_(tokenizer_, options_.features),
        loss_(options_.embed.loss) {
    for (const auto& module : inputs.sentence.modules)
      if (!std::holds_alternative<model::Normalize>(module))
        throw Error("the model has a Dense module after pooling, which ", opt::task, " embed cannot train");
    const auto& embed = options_.embed;
    if (embed.pooling) {
      pooling_ = {*embed.pooling};
    } else if (inputs.sentence.pooling) {
      pooling_ = inputs.sentence.pooling->modes;
      include_prompt_ = inputs.sentence.pooling->include_prompt;
      std::ranges::sort(pooling_);  // the order in which they are written
    }
    for (const int64_t d : loss_.dims)
      if (d >= width())
        throw Error(opt::dims, " ", d, ": the vectors have ", width(), " numbers, which are always trained");
  }

  void peek(examples::RecordSource& source) override {
    bool pair = false, label = false, dropout = false;
    source.peek([&](const io::Fields& fields, const io::Record&, int64_t) {
      pair = examples::has_pair(featurizer_, fields);
      label = pair && examples::has_value(fields, options_.gold_field());
    });
    if (!options_.embed.loss_given && label) loss_.loss = SimilarityLoss::cosent;
    const bool is_scored = loss_.loss == SimilarityLoss::cosent || loss_.loss == SimilarityLoss::cosine;
    ignores_label_ = label && !is_scored;
    switch (loss_.loss) {
      case SimilarityLoss::cosent:
        records_ = EmbedRecords::scored;
        return;
      case SimilarityLoss::cosine:
        records_ = EmbedRecords::cosines;
        return;
      case SimilarityLoss::triplet:
        records_ = EmbedRecords::triplets;
        return;
      case SimilarityLoss::ranking:
      case SimilarityLoss::symmetric:
        break;
    }
    records_ = pair ? EmbedRecords::pairs : EmbedRecords::texts;
    dropout = config_.hidden_dropout > 0 || config_.attention_dropout > 0;
    if (!pair && !dropout)
      throw Error("the records have no field ", json::in_quotes(options_.features.pair_field),
                  ": each text would be compared with itself, for which the model needs dropout, such as ",
                  opt::dropout, " 0.1");
  }

  void prepare(const Preparation& preparation) override {
    if (ignores_label_)
      preparation.log.warn(opt::loss + " " + std::string(name_of(loss_.loss)) +
                           " takes all pairs as similar: " + json::in_quotes(options_.gold_field()) +
                           " is not used");
    if (compares_in_step() && preparation.records_in_step == 1)
      preparation.log.warn("a step of one record has nothing to compare it with but its negatives; raise " +
                           opt::batch_size + " or " + opt::accumulate);
    examples::LabelRange range;
    const bool checked = preparation.check(
        std::make_unique<examples::EmbedReader>(records_, featurizer_, options_.gold_field(), &range));
    if (checked && loss_.loss == SimilarityLoss::cosent) require_different(range, preparation.ranks);
  }

  void add_settings(Settings& settings) const override {
    settings.emplace_back(opt::loss, std::string(name_of(loss_.loss)));
    settings.emplace_back(opt::scale, setting(loss_.scale));
    settings.emplace_back(opt::margin, setting(loss_.margin));
    settings.emplace_back(opt::distance, loss_.distance == nn::Distance::cosine ? "cosine" : "euclidean");
    std::string dims, modes;
    for (const int64_t d : loss_.dims) dims += (dims.empty() ? "" : ",") + std::to_string(d);
    for (const auto mode : pooling_) modes += (modes.empty() ? "" : ",") + std::string(model::name_of(mode));
    settings.emplace_back(opt::dims, dims.empty() ? "not set" : dims);
    settings.emplace_back(opt::pooling, modes);
  }

  model::ModuleFiles modules() const override {
    const bool euclidean = loss_.loss == SimilarityLoss::triplet && loss_.distance == nn::Distance::euclidean;
    using Scale = model::ModuleFiles::Scale;
    return model::ModuleFiles::of_vectors({.pooling = {.modes = pooling_, .include_prompt = include_prompt_},
                                           .hidden = config_.hidden,
                                           .words_only = config_.type->words_only,
                                           .scale = euclidean ? Scale::no : Scale::unit,
                                           .max_length = options_.features.max_length.value()},
                                          sentence_);
  }

  std::unique_ptr<examples::ExampleReader> make_reader() const override { return reader_of(records_); }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return reader_of(EmbedRecords::dev);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<EmbedLearning>(
        network, EmbedLearning::Options{.loss = loss_, .pooling = pooling_, .keep = keep});
  }

 private:
  static std::string_view name_of(SimilarityLoss loss) {
    return std::ranges::find(nn::kSimilarityLosses, loss, &nn::SimilarityLossName::loss)->name;
  }
  // Throws Error if all labels are equal. Of a pipe, none has been read.
  static void require_different(const examples::LabelRange& own, comm::Communicator& ranks) {
    std::string text;
    append(text, own.least());
    append(text, own.most());
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const auto& one : ranks.all_gather(text)) {
      std::string_view rest = one;
      least = std::min(least, take_double(rest));
      most = std::max(most, take_double(rest));
    }
    if (least == most)
      throw Error("all labels are ", least, ", but ", opt::loss, " cosent learns from labels that differ; ",
                  opt::loss, " ranking takes all pairs as similar");
  }

  // Whether the loss compares the records of a step with each other.
  bool compares_in_step() const {
    return loss_.loss == SimilarityLoss::ranking || loss_.loss == SimilarityLoss::symmetric ||
           loss_.loss == SimilarityLoss::cosent;
  }
  int64_t width() const { return config_.hidden * std::ssize(pooling_); }
  std::unique_ptr<examples::ExampleReader> reader_of(EmbedRecords records) const {
    return std::make_unique<examples::EmbedReader>(records, featurizer_, options_.gold_field());
  }

  const model::SentenceTransformer& sentence_;  // settings of the initial model
  const features::Featurizer featurizer_;
  nn::SimilarityOptions loss_;
  std::vector<model::PoolingMode> pooling_ = {model::PoolingMode::mean};
  bool include_prompt_ = true;
  EmbedRecords records_ = EmbedRecords::pairs;
  bool ignores_label_ = false;  // that the first record has
};

}  // namespace

std::unique_ptr<TrainingTask> make_embed_task(const TaskInputs& inputs) {
  return std::make_unique<EmbedTask>(inputs);
}

}  // namespace bert::train
