// The vector of a record: its `embedding`, a row of an array, or computed from its text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "heads/vector_model.h"
#include "io/filter.h"
#include "io/record.h"
#include "model/directory.h"
#include "predict/embed_filter.h"
#include "search/scan.h"

namespace bert::search {

// Compares the models of vectors with that of the first one.
class SameModel {
 public:
  // Cosines do not depend on whether vectors are normalized, other scores do.
  explicit SameModel(Metric metric) : metric_(metric) {}

  // From vectors for which `whose` is used in messages: "x.npy has". "" and a text that is not a VectorModel
  // are not compared, since nothing is known about the vector.
  void require(std::string_view model, std::string whose);
  // Queries may have a prompt of their own: one that the model defines, or `asked`, that of --prompt.
  void allow_prompts(std::optional<std::string> asked);
  // Further advice, "embed them again"; "": none.
  void advise(std::string remedy) { remedy_ = std::move(remedy); }

  // How the vector differs: `prompt none, x.npy has 'passage: '; ...`; "" if it can be compared. If `model`
  // is the first one, it is required afterwards. Texts get other advice.
  enum class Of { vector, text };
  std::string mismatch(std::string_view model, Of of);

 private:
  std::string advice(const heads::ModelDifference& difference, Of of) const;
  static std::string option_advice(const heads::ModelDifference& difference);
  bool is_other_prompt(const heads::VectorModel& query, Of of) const;

  const Metric metric_;
  std::optional<heads::VectorModel> required_;
  std::string whose_, remedy_;
  bool queries_ = false;
  std::optional<std::string> asked_;
  std::string same_;  // the last text that could be compared
};

// How texts become vectors. The model is opened when the first text is read.
struct TextOptions {
  std::function<model::Directory()> open_model;
  predict::EmbedOptions embed;
  bool prefer_text = false;  // to a record's embedding
};

// Throws Error if a text has a vector for each of its tokens.
void require_one_vector(const model::Directory& directory, const predict::EmbedOptions& embed);
// Whether it has.
bool makes_token_vectors(const model::Directory& directory, const predict::EmbedOptions& embed);

// What filters keep for a record. A filter derives from it to add its results.
struct WithVector : io::Work {
  std::vector<float> vector;       // of a text after compute
  std::unique_ptr<io::Work> text;  // that of the EmbedFilter, until compute
  std::string model;               // what the vector was computed with, see heads::read_vector_model
  bool is_text = false;
  bool is_empty = false;  // see has_empty_text
  int64_t cost = 0;       // see io::Filter
  std::string failure;    // found in compute, to be thrown by finish
};

// Computes vectors in the methods of a filter that have the same names.
class RecordVectors {
 public:
  RecordVectors(TextOptions options, Metric metric, Pool& pool, Log& log);
  ~RecordVectors();

  // All vectors must have this width; otherwise that of the first one. `whose` is used in messages: "x.npy
  // has".
  void require_width(int64_t width, std::string whose);
  // The same for vectors of tokens, which queries then have, too: WithVector::vector has them one after
  // another.
  void require_tokens(int64_t width, std::string whose);
  // The records are queries for vectors with this model, see SameModel. "": any query will do. If those are
  // normalized and it matters, the vectors of texts will be, too. `remedy`: see SameModel::advise.
  void require_model(std::string_view model, std::string whose, std::string remedy = {});
  std::optional<int64_t> width() const { return width_; }

  // `record` has no work yet. If the model cannot be opened, compute throws the Error, because it does not
  // concern a single record.
  void prepare(const io::Fields& fields, io::Record& record, WithVector& work) const;
  // For a record whose vector is found elsewhere; work.model says what it was computed with.
  void prepare_other(const io::Fields& fields, WithVector& work) const;
  // Afterwards each record, whose work is a WithVector, has a vector or a failure.
  void compute(std::span<io::Record* const> records);
  bool has_texts() const { return text_model_ != nullptr; }  // at least one text was read
  void report_truncated(int64_t records) const;
  void report(Log& log) const;

  // Budget of a stream, so that about a thousand vectors or several batches of texts are computed at once.
  static constexpr int64_t kBudget = 16 << 10;
  static constexpr size_t kChunkBytes = 1 << 20, kChunkRecords = 256;

 private:
  struct TextModel;
  TextModel* text_model() const;
  bool prepare_vector(const io::Fields& fields, const io::Record& record, WithVector& work) const;
  void compute_texts(std::span<io::Record* const> records);
  void check_width(WithVector& work);
  void check_model(WithVector& work);
  std::string model_of(const io::Fields& fields, const io::Record& record, int64_t width) const;

  TextOptions options_;
  const Metric metric_;
  Pool& pool_;
  Log& log_;
  std::optional<int64_t> width_;
  std::string whose_;
  bool knows_model_ = false;             // see require_model
  bool of_tokens_ = false;               // see require_tokens
  std::optional<SameModel> same_model_;  // nullopt: nothing is known of the vectors to search
  mutable std::mutex opening_;
  mutable std::unique_ptr<TextModel> text_model_;
  mutable std::string open_failure_;
  mutable std::map<std::string, std::string, std::less<>> sidecars_;  // by array FILE, see heads::Sidecar
};

}  // namespace bert::search
