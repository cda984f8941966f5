// The filter of bert-predict: adds the task's prediction to each record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "features/features.h"
#include "features/foreign_texts.h"
#include "io/filter.h"
#include "model/directory.h"
#include "model/network.h"
#include "predict/predictor.h"
#include "text/tokenizer.h"

namespace bert::predict {

struct PredictOptions {
  TaskOptions task;
  features::FeatureOptions features;  // without what follows
  // Defaults: the model's; that of `features`, at most half a window; the task's.
  std::optional<int64_t> max_length;
  std::optional<int64_t> overlap;
  std::optional<features::Overflow> overflow;
  io::DropList drop;
  std::optional<Dtype> dtype = Dtype::f32;  // asked for; see nn::arithmetic
  // squad and conll: the official form of the task's predictions, and nothing else; npy and f32: the numbers
  // of each prediction as a row.
  io::Format format = io::Format::jsonl;
  bool colored = false;         // marks of the format text
  bool keeps_vectors = false;   // in Window::vector
  int64_t batch_tokens = 1024;  // tokens in a batch; does not affect the output
};

class PredictFilter final : public io::Filter {
 public:
  // References must outlive this object. Throws Error if the model does not support the task.
  PredictFilter(const model::Directory& directory, const text::Tokenizer& tokenizer, PredictOptions options,
                Pool& pool, Log& log);

  int64_t max_length() const { return featurizer_.options().max_length; }  // of a sequence, in tokens

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override;
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void report(Log& log) const override;
  void report_truncated(int64_t records) const override;
  int64_t row_width() const override { return static_cast<int64_t>(row_width_); }

  // Whether the record has no text.
  static bool is_empty(const io::Record& record);
  // Between compute() and finish(): see Predictor::uncertainty; and the mean of Window::vector [H].
  double uncertainty(const io::Record& record) const;
  std::vector<float> vector(const io::Record& record) const;

  // For the task rank: the score of each pair of texts. Driver only.
  using Pair = std::pair<std::string, std::string>;
  std::vector<float> rank(std::span<const Pair> pairs);
  int64_t truncated_pairs() const { return truncated_pairs_; }  // of rank()

 private:
  // One forward pass of a window.
  struct Pass {
    Window* window;
    int64_t masked;  // position of the masked token; -1: none
  };
  std::vector<Pass> passes_of(std::span<Reading* const> readings) const;
  void compute(std::span<Reading* const> readings);
  void run(const nn::Batch& batch, std::span<const Pass> passes);
  static void keep_vectors(const nn::Tensor& hidden, std::span<const int64_t> counts,
                           std::span<const Pass> passes);
  void write(io::Record& record, io::Output& out) const;
  void write_row(const Reading& reading, io::Output& out) const;

  const model::Directory& directory_;
  const text::Tokenizer& tokenizer_;
  PredictOptions options_;
  Pool& pool_;
  Log& log_;
  std::unique_ptr<Predictor> task_;
  features::Featurizer featurizer_;
  model::Network network_;
  std::unordered_set<std::string> ids_;  // of the records so far, for Format::squad
  features::ForeignTexts foreign_{featurizer_.tokenizer()};
  int64_t truncated_pairs_ = 0;
  size_t row_width_ = 0;  // numbers of a prediction; those of the first record if the task has no other
};

}  // namespace bert::predict
