// Runs a step of training.h's records through a network in training.
#pragma once

#include <set>
#include <vector>

#include "base/error.h"
#include "model/training_network.h"
#include "training.h"

namespace bert::golden {

inline model::Heads pretraining_heads() {
  return {model::head_of(task::Task::fill), model::head_of(task::Task::next)};
}

using TrainingStep = std::vector<std::vector<TrainingRecord>>;  // micro-batches

// Sums over the step; a loss over no tokens is 0.
struct StepLosses {
  nn::Loss masked_lm, next;

  static double mean(const nn::Loss& loss) {
    return loss.count == 0 ? 0 : loss.sum / static_cast<double>(loss.count);
  }
  double total() const { return mean(masked_lm) + mean(next); }
};

// A micro-batch in the form that the network expects.
struct TrainingBatch {
  nn::Batch batch;
  std::vector<int64_t> rows;    // of masked tokens
  std::vector<int64_t> wanted;  // the same plus those that the pooler reads
  std::vector<int32_t> gold, labels;

  TrainingBatch(const std::vector<TrainingRecord>& records, const model::Config& config) {
    for (const auto& record : records) {
      std::set<int64_t> positions(record.masked_lm_positions.begin(), record.masked_lm_positions.end());
      for (const int64_t position : positions) rows.push_back(batch.tokens() + position);
      positions.insert(config.pooled_position(std::ssize(record.input_ids)));
      for (const int64_t position : positions) wanted.push_back(batch.tokens() + position);
      gold.insert(gold.end(), record.masked_lm_ids.begin(), record.masked_lm_ids.end());
      if (record.next_sentence_label) labels.push_back(*record.next_sentence_label);
      batch.add(record.input_ids, record.token_type_ids);
    }
    if (!labels.empty() && labels.size() != records.size()) throw Error("some records have no label");
  }
};

// The losses of a step; unless Keep is `nothing`, network.gradients() has their gradients.
inline StepLosses run_step(model::TrainingNetwork& network, const TrainingStep& step,
                           model::TrainingNetwork::Keep keep) {
  std::vector<TrainingBatch> batches;
  for (const auto& records : step) batches.emplace_back(records, network.config());
  size_t hidden = 0, labelled = 0;
  for (const auto& batch : batches) {
    hidden += batch.gold.size();
    labelled += batch.labels.size();
  }
  const bool learn = keep != model::TrainingNetwork::Keep::nothing;
  const auto weight = [&](size_t count) {
    return learn ? std::optional(1 / static_cast<float>(count)) : std::nullopt;
  };
  network.clear_gradients();
  StepLosses losses;
  for (const auto& batch : batches) {
    network.forward(batch.batch, batch.wanted, nullptr, keep);
    if (!batch.gold.empty()) losses.masked_lm += network.masked_lm(batch.rows, batch.gold, weight(hidden));
    if (!batch.labels.empty()) losses.next += network.next_sentence(batch.labels, weight(labelled));
    if (learn) network.backward();
  }
  return losses;
}

}  // namespace bert::golden
