// The filter of bert-embed: each record's text goes through the network and leaves as a vector.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "data/cut_fields.h"
#include "data/features.h"
#include "io/filter.h"
#include "model/directory.h"
#include "model/network.h"
#include "task/embed_plan.h"
#include "task/vector_writer.h"
#include "task/windows.h"
#include "text/tokenizer.h"

namespace bert::task {

struct EmbedOptions {
  VectorOptions vectors;
  int precision = -1;             // as io::append_number; -1 is 6 for google
  data::FeatureOptions features;  // max_length: without it the model's; prompt is the vectors' and not this
  std::vector<std::string> drop;
  std::optional<Dtype> dtype = Dtype::f32;  // as nn::arithmetic
  int64_t batch_tokens = 1024;              // that go through the network at once; never changes the output
};

// What options exclude each other, whatever the model; nullopt when all is well.
std::optional<std::string> conflict(const EmbedOptions& options);

class Embedder final : public io::Filter {
 public:
  // `directory`, `tokenizer`, `pool` and `log` outlive this object. Error when the model cannot do what is
  // asked.
  Embedder(const model::Directory& directory, const text::Tokenizer& tokenizer, EmbedOptions options,
           Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override;
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, std::string& out) const override;
  void begin(std::string& out) override { writer_->begin(out); }
  void report_truncated(int64_t records) const override;
  void patch(OutputFile& output) override { writer_->patch(output); }

 private:
  struct Window;
  struct Prepared;
  std::vector<data::Features> windows(const io::Fields& fields) const;
  void run(const nn::Batch& batch, std::span<Window* const> windows);
  void run_pooler(std::span<const nn::Tensor> states, std::span<Window* const> windows);
  void take(std::span<const nn::Tensor> states, int64_t row, Window& window) const;
  std::vector<data::CutField> cut_of(const io::Fields& fields, const data::Features& features) const;
  void write_tokens(const io::Record& record, const Prepared& prepared, std::string& out) const;

  const model::Directory& directory_;
  EmbedOptions options_;
  Pool& pool_;
  Log& log_;
  EmbedPlan plan_;
  data::Featurizer featurizer_;
  model::Network network_;
  std::unique_ptr<VectorWriter> writer_;
};

}  // namespace bert::task
