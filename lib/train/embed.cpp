#include "train/embed.h"

#include <algorithm>
#include <cstring>
#include <numeric>
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
  offsets_.resize(batch_.sequences() + 1);
  std::iota(offsets_.begin(), offsets_.end(), int64_t{0});
}

nn::SimilarityResult EmbedLearning::loss(const nn::SimilarityOptions& options, const Compared& compared,
                                         nn::Tensor* gradient) const {
  return nn::similarity_loss(network_.context(), options, compared.groups, compared.vectors, gradient);
}

std::vector<double> EmbedLearning::similarities(const Compared& compared) const {
  return nn::similarities(nn::Similarity::cosine, compared.groups, compared.vectors);
}

std::vector<int64_t> EmbedLearning::ranks_of_positives(const Compared& compared) const {
  return nn::ranks_of_positives(network_.context(), nn::Similarity::cosine, compared.groups,
                                compared.vectors);
}

// What is compared: without a projection that is thrown away after training.
const nn::Tensor& EmbedLearning::compared() const {
  return options_.keeps_projection ? *vectors_ : sentences_.pooled();
}

int64_t EmbedLearning::compared_width() const {
  return options_.keeps_projection ? sentences_.width() : sentences_.pooled_width();
}

// For each example: the number of its first sequence, how many it has, whether it is scored, its label, its
// scores, the guide's vectors, and of each sequence how many vectors it has, and these.
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
      comm::append(out, offsets_[sequence + 1] - offsets_[sequence]);
      for (int64_t row = offsets_[sequence]; row < offsets_[sequence + 1]; ++row) {
        const auto vector = vectors.values(row);
        out.append(reinterpret_cast<const char*>(vector.data()), vector.size_bytes());
      }
    }
  }
}

// The vectors of all ranks.
EmbedLearning::Compared EmbedLearning::gather(const std::string& own) const {
  const auto texts = ranks().all_gather(own);
  const size_t bytes = compared_width() * sizeof(float);
  struct Found {
    nn::SimilarityGroup group;
    std::vector<std::string_view> sequences;  // the vectors of each
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
      all.push_back({.group = std::move(group), .sequences = {}});
      auto& sequences = all.back().sequences;
      for (int64_t i = 0; i < count; ++i) {
        const size_t size = comm::take_number(rest) * bytes;
        sequences.push_back(rest.substr(0, size));
        rest.remove_prefix(size);
      }
    }
  }
  std::ranges::sort(all, {}, [](const Found& found) { return found.group.begin; });
  auto& offsets = compared.offsets = {0};
  for (const auto& found : all)
    for (const auto sequence : found.sequences)
      offsets.push_back(offsets.back() + static_cast<int64_t>(sequence.size() / bytes));
  compared.vectors.reshape(offsets.back(), compared_width());
  int64_t row = 0;
  for (auto& [group, sequences] : all) {
    for (std::string_view vectors : sequences)
      for (; !vectors.empty(); vectors.remove_prefix(bytes))
        std::memcpy(compared.vectors.row(row++), vectors.data(), bytes);
    compared.groups.push_back(std::move(group));
  }
  return compared;
}

// Passes the gradient of the batch's vectors on to the network. `sequences`: which they are.
void EmbedLearning::backward_own(std::span<const uint64_t> sequences, const Compared& compared,
                                 const nn::Tensor& gradient) {
  std::vector<int64_t> rows;
  for (const uint64_t sequence : sequences)
    for (int64_t row = compared.offsets[sequence]; row < compared.offsets[sequence + 1]; ++row)
      rows.push_back(row);
  nn::gather_rows(network_.context(), gradient, rows, own_gradient_);
  backward(own_gradient_);
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
    result = loss(options_.loss, compared, &gradient);
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
    backward_own(dropout_seed.sequences, compared, gradient);
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
  const auto& groups = compared.groups;
  metric::Evaluation evaluation;
  if (groups.empty()) return metric::dev_values(evaluation, task());
  auto options = dev_loss(compared.scored);
  const bool has_negatives =
      std::ranges::any_of(groups, [](const auto& group) { return group.end > group.positive() + 1; });
  if (options.loss == SimilarityLoss::triplet && !has_negatives) options.loss = SimilarityLoss::ranking;
  if (nn::compares_ratings(options.loss) &&
      std::ranges::any_of(groups, [](const auto& group) { return group.scores.empty(); }))
    options.loss = SimilarityLoss::ranking;
  evaluation.loss = loss(options, compared, nullptr).loss;
  if (compared.scored) {
    const auto found = similarities(compared);
    for (size_t i = 0; i < groups.size(); ++i) evaluation.numbers.add(groups[i].label, found[i]);
  } else {
    for (const int64_t rank : ranks_of_positives(compared)) evaluation.places.add(rank, groups.back().end);
  }
  return metric::dev_values(evaluation, task());
}

}  // namespace bert::train
