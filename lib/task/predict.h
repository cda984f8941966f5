// The filter of bert-predict: each record's text goes through the network, and the task's answer joins the
// record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "data/features.h"
#include "io/filter.h"
#include "model/directory.h"
#include "model/network.h"
#include "task/task.h"
#include "text/tokenizer.h"

namespace bert::task {

struct PredictOptions {
  TaskOptions task;
  // max_length: without it the model's; overlap: without it that of `features`, or half a window where that
  // is less; overflow: without it the task's own.
  data::FeatureOptions features;
  std::optional<int64_t> overlap;
  std::optional<data::Overflow> overflow;
  std::vector<std::string> drop;
  std::optional<Dtype> dtype = Dtype::f32;  // as nn::arithmetic
  bool official = false;                    // one object {"id": "answer", ...}, as SQuAD's scripts read it
  int64_t batch_tokens = 1024;              // that go through the network at once; never changes the output
};

class Predictor final : public io::Filter {
 public:
  // `directory`, `tokenizer`, `pool` and `log` outlive this object. Error when the model cannot do the task.
  Predictor(const model::Directory& directory, const text::Tokenizer& tokenizer, PredictOptions options,
            Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override;
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, std::string& out) const override;
  void report_truncated(int64_t records) const override;
  void begin(std::string& out) override;
  std::string_view separator() const override;
  bool release(Ending ending, std::string& out) override;

 private:
  // One passage of a window through the network.
  struct Pass {
    Window* window;
    int64_t hidden;  // the token that is hidden; -1: none
  };
  std::vector<Pass> passes_of(std::span<io::Record* const> records) const;
  void run(const nn::Batch& batch, std::span<const Pass> passes);

  const model::Directory& directory_;
  const text::Tokenizer& tokenizer_;
  PredictOptions options_;
  Pool& pool_;
  Log& log_;
  std::unique_ptr<Task> task_;
  data::Featurizer featurizer_;
  model::Network network_;
  io::RecordWriter writer_;
  bool closed_ = false;  // the object of answers
};

}  // namespace bert::task
