#include "train/sparse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "train/document_frequencies.h"

namespace bert::train {
namespace {

constexpr int64_t kWords = 512;  // of one task

// The weight that a logit above 0 gives, and its derivative.
float weight_of(float logit, bool twice) { return std::log1p(twice ? std::log1p(logit) : logit); }
float slope_of(float logit, bool twice) {
  const float slope = 1 / (1 + logit);
  return twice ? slope / (1 + std::log1p(logit)) : slope;
}

}  // namespace

// With a third of 300 steps: (step / 100)², and 1 from step 100 on.
double flops_share(double warmup, const StepPlace& place) {
  double part = warmup > 0 ? place.progress / warmup : 1;
  if (warmup > 0 && place.steps)
    part = static_cast<double>(place.step) /
           std::max(1.0, std::floor(static_cast<double>(*place.steps) * warmup));
  return part < 1 ? part * part : 1;
}

metric::Values SparseLearning::learn(const examples::Step& step, const StepPlace& place) {
  flops_share_ = flops_share(sparse_.flops_warmup, place);
  return EmbedLearning::learn(step, place);
}

metric::Values SparseLearning::end_evaluation() {
  flops_share_ = 1;
  return EmbedLearning::end_evaluation();
}

void SparseLearning::end_update() {
  if (network_.config().query_table > 0)
    for (float& weight : network_.query_table()) weight = std::max(weight, 0.0f);
  EmbedLearning::end_update();
}

// The texts that the network reads.
void SparseLearning::make_batch(Part examples) {
  batch_ = {};
  sequence_.clear();
  numbers_.clear();
  queries_.clear();
  texts_ = 0;
  for (const auto* example : examples) {
    const auto sequences = example->sequences();
    for (size_t i = 0; i < sequences.size(); ++i, ++texts_) {
      const auto& [ids, types] = sequences[i];
      if (i < example->looked_up) {
        queries_.push_back({.row = texts_, .ids = different(ids)});
        continue;
      }
      sequence_.insert(sequence_.end(), ids.size(), texts_);
      numbers_.push_back(texts_);
      batch_.add(ids, types);
    }
  }
}

void SparseLearning::forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) {
  make_batch(examples);
  std::vector<int64_t> rows(batch_.tokens());
  std::iota(rows.begin(), rows.end(), int64_t{0});
  auto seed = dropout_seed == nullptr ? nn::DropoutSeed() : *dropout_seed;
  for (uint64_t& number : numbers_) number = seed.number_of(static_cast<int64_t>(number));
  seed.sequences = numbers_;
  network_.forward(batch_, rows, dropout_seed == nullptr ? nullptr : &seed, keep);
  const int64_t words = compared_width();
  weights_.reshape(texts_, words);
  if (!adds()) rows_.assign(texts_ * words, 0);
  auto& pool = network_.context().pool();
  pool.run_grid(weights_.rows(), [&](int64_t i, int) { std::fill_n(weights_.row(i), words, 0.0f); });
  network_.word_logits(rows, [&](int64_t first, const nn::Tensor& logits) { take(first, logits); });
  pool.run_grid(adds() ? 0 : weights_.rows(), [&](int64_t i, int) {
    float* const weights = weights_.row(i);
    for (int64_t v = 0; v < words; ++v)
      if (weights[v] > 0) weights[v] = weight_of(weights[v], twice());
  });
  look_up();
  vectors_ = &weights_;
  offsets_.resize(texts_ + 1);
  std::iota(offsets_.begin(), offsets_.end(), int64_t{0});
}

void SparseLearning::look_up() {
  for (const auto& [row, ids] : queries_)
    for (const int32_t id : ids) weights_.row(row)[id] = network_.query_table()[id];
}

// w[v] = table[v] for the tokens v of a query, so dtable[v] += dw[v].
void SparseLearning::add_table_gradient(const nn::Tensor& gradient) {
  if (queries_.empty() || sparse_.freezes_queries) return;
  const auto table = network_.query_table_gradient();
  for (const auto& [row, ids] : queries_)
    for (const int32_t id : ids) table[id] += gradient.row(row)[id];
}

// Calls `use` for words from `begin` to `end` of each row, whose number in the batch and sequence it gets.
// Any thread may call it, but all rows of a word in order.
template <class Use>
void SparseLearning::each_logit(int64_t first, int64_t rows, Use use) const {
  const int64_t words = compared_width();
  network_.context().pool().run_grid((words + kWords - 1) / kWords, [&](int64_t task, int) {
    const int64_t begin = task * kWords, end = std::min(words, begin + kWords);
    for (int64_t row = 0; row < rows; ++row) use(row, sequence_[first + row], begin, end);
  });
}

void SparseLearning::take(int64_t first, const nn::Tensor& logits) {
  const int64_t words = logits.cols();
  each_logit(first, logits.rows(), [&](int64_t row, int64_t sequence, int64_t begin, int64_t end) {
    const float* const from = logits.row(row);
    float* const to = weights_.row(sequence);
    int64_t* const rows = rows_.data() + (adds() ? 0 : sequence * words);
    for (int64_t v = begin; v < end; ++v) {
      if (adds()) {
        if (from[v] > 0) to[v] += weight_of(from[v], twice());
      } else if (from[v] > to[v]) {
        to[v] = from[v];
        rows[v] = first + row;
      }
    }
  });
}

// w[v] = Σ_t f(x[t,v]), so dx[t,v] = dw[v]·f'(x[t,v]) where x is above 0.
void SparseLearning::backward_sums(const nn::Tensor& gradient) {
  network_.word_logits_gradient([&](int64_t first, nn::Tensor& logits) {
    each_logit(first, logits.rows(), [&](int64_t row, int64_t sequence, int64_t begin, int64_t end) {
      float* const x = logits.row(row);
      const float* const from = gradient.row(sequence);
      for (int64_t v = begin; v < end; ++v) x[v] = x[v] > 0 ? from[v] * slope_of(x[v], twice()) : 0;
    });
  });
}

// w = ln(1 + x), so dw/dx = e^-w; for ln(1 + ln(1 + x)) it is e^-w · e^-(e^w - 1).
void SparseLearning::backward(const nn::Tensor& gradient) {
  add_table_gradient(gradient);
  if (adds()) return backward_sums(gradient);
  nn::LogitEntries entries;
  for (int64_t i = 0; i < gradient.rows(); ++i) {
    if (std::ranges::binary_search(queries_, i, {}, &Query::row)) continue;
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

double SparseLearning::add_flops(double lambda, const std::vector<int64_t>& texts, const nn::Tensor& weights,
                                 nn::Tensor* gradient) const {
  if (lambda == 0 || texts.empty()) return 0;
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
      const double slope = 2 * flops_share_ * lambda * mean / count;
      for (const int64_t text : texts)
        gradient->row(text)[v] = static_cast<float>(gradient->row(text)[v] + slope);
    }
  });
  return lambda * std::accumulate(sums.begin(), sums.end(), 0.0);
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
  const auto& vectors = compared.vectors;
  const double flops = add_flops(sparse_.document_flops, documents, vectors, gradient) +
                       add_flops(sparse_.query_flops, queries, vectors, gradient);
  result.loss += flops_share_ * flops;
  left_out_ = (1 - flops_share_) * flops;
  return result;
}

std::vector<double> SparseLearning::similarities(const Compared& compared) const {
  return nn::similarities(nn::Similarity::dot, compared.groups, compared.vectors);
}

std::vector<int64_t> SparseLearning::ranks_of_positives(const Compared& compared) const {
  return nn::ranks_of_positives(network_.context(), nn::Similarity::dot, compared.groups, compared.vectors);
}

}  // namespace bert::train
