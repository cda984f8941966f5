#include "train/embed.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/message.h"
#include "nn/encoder_layer.h"

namespace bert::train {

using examples::EmbedExample;
using nn::SimilarityLoss;

void EmbedLearning::forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) {
  batch_ = {};
  for (const auto* example : examples)
    for (const auto& [ids, types] : example->sequences()) batch_.add(ids, types);
  vectors_ = &sentences_.forward(batch_, dropout_seed, keep);
}

// What is compared: without a projection that is thrown away after training.
const nn::Tensor& EmbedLearning::compared() const {
  return options_.keeps_projection ? *vectors_ : sentences_.pooled();
}

int64_t EmbedLearning::compared_width() const {
  return options_.keeps_projection ? sentences_.width() : sentences_.pooled_width();
}

// For each example: the number of its first sequence, how many it has, whether it is scored, its label, its
// scores, the guide's vectors, and its own.
void EmbedLearning::append_vectors(Part examples, std::span<const uint64_t> sequences,
                                   std::string& out) const {
  const auto& vectors = compared();
  int64_t sequence = 0;
  for (const auto* one : examples) {
    const auto& example = one->as<EmbedExample>();
    comm::append(out, sequences[sequence]);
    comm::append(out, example.lengths.size());
    comm::append(out, example.scored);
    comm::append_real(out, example.label);
    comm::append(out, std::ssize(example.scores));
    for (const float score : example.scores) comm::append_real(out, score);
    comm::append(out, std::string_view(reinterpret_cast<const char*>(example.guide.data()),
                                       example.guide.size() * sizeof(float)));
    for (size_t i = 0; i < example.lengths.size(); ++i, ++sequence) {
      const auto vector = vectors.values(sequence);
      out.append(reinterpret_cast<const char*>(vector.data()), vector.size_bytes());
    }
  }
}

// The vectors of all ranks.
EmbedLearning::Compared EmbedLearning::gather(const std::string& own) const {
  const auto texts = ranks().all_gather(own);
  const size_t bytes = compared_width() * sizeof(float);
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
      const double label = comm::take_real(rest);
      nn::SimilarityGroup group = {.begin = first, .end = first + count, .label = label};
      for (int64_t i = comm::take_number(rest); i > 0; --i) group.scores.push_back(comm::take_real(rest));
      const auto guide = comm::take_text(rest);
      group.guide.resize(guide.size() / sizeof(float));
      if (!guide.empty()) std::memcpy(group.guide.data(), guide.data(), guide.size());
      const size_t size = count * bytes;
      all.push_back({std::move(group), rest.substr(0, size)});
      rest.remove_prefix(size);
    }
  }
  std::ranges::sort(all, {}, [](const Found& found) { return found.group.begin; });
  compared.vectors.reshape(all.empty() ? 0 : all.back().group.end, compared_width());
  for (auto& [group, vectors] : all) {
    for (int64_t row = group.begin; row < group.end; ++row)
      std::memcpy(compared.vectors.row(row), vectors.data() + (row - group.begin) * bytes, bytes);
    compared.groups.push_back(std::move(group));
  }
  return compared;
}

// Passes the gradient of the batch's vectors on to the network. `sequences`: their rows in `gradient`.
void EmbedLearning::backward(std::span<const uint64_t> sequences, const nn::Tensor& gradient) {
  std::vector<int64_t> rows(sequences.begin(), sequences.end());
  nn::gather_rows(network_.context(), gradient, rows, own_gradient_);
  sentences_.backward(own_gradient_);
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
  if (nn::finds_positives(options_.loss.loss))
    evaluation.step_accuracy = static_cast<double>(result.correct) / compared.groups.size();
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
    append_evaluated(range, own, evaluated_);
  }
}

// The loss for dev records of this kind, which may differ from the training records.
nn::SimilarityOptions EmbedLearning::dev_loss(bool scored) const {
  auto options = options_.loss;
  const bool for_scores = options.loss == SimilarityLoss::cosent || options.loss == SimilarityLoss::cosine;
  if (options.loss == SimilarityLoss::gist) options.loss = SimilarityLoss::ranking;  // there is no guide
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
  if (nn::compares_ratings(loss.loss) &&
      std::ranges::any_of(groups, [](const auto& group) { return group.scores.empty(); }))
    loss.loss = SimilarityLoss::ranking;
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

}  // namespace bert::train
