#include "train/sparse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bert::train {
namespace {

constexpr int64_t kWords = 512;  // of one task

}  // namespace

void SparseLearning::forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) {
  batch_ = {};
  sequence_.clear();
  for (const auto* example : examples) {
    for (const auto& [ids, types] : example->sequences()) {
      sequence_.insert(sequence_.end(), ids.size(), batch_.sequences());
      batch_.add(ids, types);
    }
  }
  std::vector<int64_t> rows(batch_.tokens());
  std::iota(rows.begin(), rows.end(), int64_t{0});
  network_.forward(batch_, rows, dropout_seed, keep);
  const int64_t words = compared_width();
  weights_.reshape(batch_.sequences(), words);
  rows_.assign(batch_.sequences() * words, 0);
  auto& pool = network_.context().pool();
  pool.run_grid(weights_.rows(), [&](int64_t i, int) { std::fill_n(weights_.row(i), words, 0.0f); });
  network_.word_logits(rows, [&](int64_t first, const nn::Tensor& logits) { take(first, logits); });
  pool.run_grid(weights_.rows(), [&](int64_t i, int) {
    float* const weights = weights_.row(i);
    for (int64_t v = 0; v < words; ++v) {
      if (weights[v] > 0) weights[v] = std::log1p(twice() ? std::log1p(weights[v]) : weights[v]);
    }
  });
  vectors_ = &weights_;
  offsets_.resize(batch_.sequences() + 1);
  std::iota(offsets_.begin(), offsets_.end(), int64_t{0});
}

void SparseLearning::take(int64_t first, const nn::Tensor& logits) {
  const int64_t words = logits.cols();
  network_.context().pool().run_grid((words + kWords - 1) / kWords, [&](int64_t task, int) {
    const int64_t begin = task * kWords, end = std::min(words, begin + kWords);
    for (int64_t row = 0; row < logits.rows(); ++row) {
      const int64_t sequence = sequence_[first + row];
      const float* const from = logits.row(row);
      float* const most = weights_.row(sequence);
      int64_t* const rows = rows_.data() + sequence * words;
      for (int64_t v = begin; v < end; ++v) {
        if (!(from[v] > most[v])) continue;
        most[v] = from[v];
        rows[v] = first + row;
      }
    }
  });
}

// w = ln(1 + x), so dw/dx = e^-w; for ln(1 + ln(1 + x)) it is e^-w · e^-(e^w - 1).
void SparseLearning::backward(const nn::Tensor& gradient) {
  nn::LogitEntries entries;
  for (int64_t i = 0; i < gradient.rows(); ++i) {
    const auto weights = weights_.values(i), from = gradient.values(i);
    for (size_t v = 0; v < weights.size(); ++v) {
      if (!(weights[v] > 0) || from[v] == 0) continue;
      const float slope = std::exp(-weights[v]);
      entries.words.push_back(static_cast<int32_t>(v));
      entries.rows.push_back(rows_[i * std::ssize(weights) + static_cast<int64_t>(v)]);
      entries.values.push_back(from[v] * (twice() ? slope * std::exp(-std::expm1(weights[v])) : slope));
    }
    entries.offsets.push_back(std::ssize(entries.words));
  }
  network_.word_logits_gradient(entries);
}

double SparseLearning::add_flops(double factor, const std::vector<int64_t>& texts, const nn::Tensor& weights,
                                 nn::Tensor* gradient) const {
  if (factor == 0 || texts.empty()) return 0;
  const int64_t words = weights.cols(), tasks = (words + kWords - 1) / kWords;
  const auto count = static_cast<double>(texts.size());
  std::vector<double> sums(tasks);
  network_.context().pool().run_grid(tasks, [&](int64_t task, int) {
    for (int64_t v = task * kWords; v < std::min(words, (task + 1) * kWords); ++v) {
      double mean = 0;
      for (const int64_t text : texts) mean += weights.row(text)[v];
      mean /= count;
      sums[task] += mean * mean;
      if (gradient == nullptr) continue;
      const double slope = 2 * factor * mean / count;
      for (const int64_t text : texts)
        gradient->row(text)[v] = static_cast<float>(gradient->row(text)[v] + slope);
    }
  });
  return factor * std::accumulate(sums.begin(), sums.end(), 0.0);
}

nn::SimilarityResult SparseLearning::loss(const nn::SimilarityOptions& options, const Compared& compared,
                                          nn::Tensor* gradient) const {
  if (options.loss == nn::SimilarityLoss::cosent)  // of a dev set with labels
    return {.loss = nn::cosent(compared.groups, similarities(compared), options.scale)};
  auto result = EmbedLearning::loss(options, compared, gradient);
  std::vector<int64_t> queries, documents;
  for (const auto& group : compared.groups) {
    queries.push_back(group.anchor());
    for (int64_t text = group.positive(); text < group.end; ++text) documents.push_back(text);
  }
  result.loss += add_flops(sparse_.document_flops, documents, compared.vectors, gradient);
  result.loss += add_flops(sparse_.query_flops, queries, compared.vectors, gradient);
  return result;
}

std::vector<double> SparseLearning::similarities(const Compared& compared) const {
  return nn::similarities(nn::Similarity::dot, compared.groups, compared.vectors);
}

std::vector<int64_t> SparseLearning::ranks_of_positives(const Compared& compared) const {
  return nn::ranks_of_positives(network_.context(), nn::Similarity::dot, compared.groups, compared.vectors);
}

}  // namespace bert::train
