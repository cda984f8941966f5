// The filter of bert-embed: computes a vector for each record.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "features/features.h"
#include "features/foreign_texts.h"
#include "features/truncated_fields.h"
#include "heads/embedder.h"
#include "heads/late_texts.h"
#include "heads/vector_model.h"
#include "io/filter.h"
#include "model/directory.h"
#include "predict/vector_writer.h"
#include "text/tokenizer.h"

namespace bert::predict {

struct EmbedOptions {
  heads::VectorOptions vectors;
  int precision = -1;  // see json::append_number; -1 means 6 for google
  // Without the maximum length and the prompt, which depend on the model.
  features::FeatureOptions features;
  std::optional<int64_t> max_length;  // nullopt: the model's
  bool expects_pairs = false;         // otherwise a note tells of them
  bool windows_apart = false;         // with Overflow::split: a vector and a record for each window
  io::DropList drop;
  std::string output = "-";  // of an array: gets a Sidecar if it is a regular file
  heads::ComputeOptions compute;
};

// How records become sequences; `prompt` is that of prompt_of().
features::FeatureOptions feature_options(const EmbedOptions& options, std::string prompt,
                                         const model::Directory& directory, int64_t max_length);

// New values of the fields that describe a record's input_ids, if these were truncated.
std::vector<features::TruncatedField> cut_fields(const features::Featurizer& featurizer,
                                                 const io::Fields& fields, const features::Features& features,
                                                 const io::DropList& dropped);
// Fields that an earlier run may have added. Ids may have been truncated before, and `tokens` are theirs.
std::vector<std::string_view> stale_vector_fields(const io::Fields& fields, bool of_ids);

class EmbedFilter final : public io::Filter {
 public:
  // References must outlive this object. Throws Error if the model does not support the options. With
  // Weights::later, any thread may call it, and the first compute reads the weights.
  enum class Weights { now, later };
  EmbedFilter(const model::Directory& directory, const text::Tokenizer& tokenizer, EmbedOptions options,
              Pool& pool, Log& log, Weights weights = Weights::now);

  // The texts of a record, to be embedded by compute() whatever else is done with the record; vector() is
  // that of the record, unless the pooling is none or windows are apart.
  std::unique_ptr<io::Work> read(const io::Fields& fields) const;
  int64_t tokens(const io::Work& texts) const;
  void compute(std::span<io::Work* const> texts);
  std::vector<float> vector(const io::Work& texts) const;
  std::vector<float> token_vectors(const io::Work& texts) const;  // one after another
  bool truncated(const io::Work& texts) const;
  int64_t width() const { return embedder_.plan().width(); }  // of the vector
  // Its VectorModel as text. A record with token ids has no prompt.
  const std::string& vector_model(const io::Work& texts) const;
  const std::string& vector_model() const { return vector_model_; }  // of texts

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override { return tokens(*record.work); }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  int64_t row_width() const override { return embedder_.plan().width(); }
  void report_truncated(int64_t records) const override;
  void before_commit(const OutputFile& output) override;
  void committed() override;
  void report(Log& log) const override;

 private:
  struct Prepared;
  std::string own_model(const io::Fields& fields, bool takes_ids) const;
  void name_fields(int64_t place, const Prepared& prepared) const;
  std::vector<features::Features> windows(const io::Fields& fields) const;
  WindowPlace place_of(const io::Record& record, const heads::EmbeddedSequence& window) const;
  void write_windows(const io::Record& record, const Prepared& prepared, io::Output& out) const;
  struct Tokens {
    std::vector<int32_t> ids;
    std::vector<float> values;
  };
  Tokens tokens_of(const Prepared& prepared) const;
  void write_tokens(const io::Record& record, const Prepared& prepared, io::Output& out) const;

  const model::Directory& directory_;
  EmbedOptions options_;
  Log& log_;
  heads::Embedder embedder_;
  std::optional<heads::LateTexts> late_;  // if the model makes such vectors
  features::Featurizer featurizer_;
  std::unique_ptr<VectorWriter> writer_;
  std::string vector_model_, unprompted_model_;  // see vector_model()
  heads::VectorModel parts_;                     // of vector_model_
  std::optional<heads::Sidecar> sidecar_;
  struct First {
    int64_t place;
    std::string own_model;
  };
  mutable std::mutex naming_;
  mutable std::optional<First> first_;      // record of the array beside the sidecar
  bool lacks_sidecar_ = false;              // an array is redirected to a file, whose name is unknown
  mutable std::atomic<int64_t> empty_ = 0;  // texts
  mutable std::atomic<bool> has_pairs_ = false;
  features::ForeignTexts foreign_{featurizer_.tokenizer()};
  features::EmptySecondTexts empty_seconds_;
};

}  // namespace bert::predict
