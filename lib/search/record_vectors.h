// The vector of a record: its `embedding`, a row of an array, or computed from its text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/filter.h"
#include "io/record.h"
#include "model/directory.h"
#include "predict/embed_filter.h"
#include "search/vectors.h"

namespace bert::search {

// The field `embedding`: an array of numbers, or f32 in base64. nullopt if the record does not have it.
// Throws Error unless all numbers are finite in f32.
std::optional<std::vector<float>> read_embedding(const io::Fields& fields);

// How texts become vectors. The model is opened when the first text is read.
struct TextOptions {
  std::function<model::Directory()> open_model;
  predict::EmbedOptions embed;
  bool prefer_text = false;  // to a record's embedding
};

// What filters keep for a record. A filter derives from it to add its results.
struct WithVector : io::Work {
  std::vector<float> vector;       // of a text after compute
  std::unique_ptr<io::Work> text;  // that of the EmbedFilter, until compute
  bool is_text = false;
  int64_t cost = 0;     // see io::Filter
  std::string failure;  // found in compute, to be thrown by finish
};

// Computes vectors in the methods of a filter that have the same names.
class RecordVectors {
 public:
  RecordVectors(TextOptions options, Pool& pool, Log& log);
  ~RecordVectors();

  // All vectors must have this width; otherwise that of the first one. `whose` is used in messages: "x.npy
  // has".
  void require_width(int64_t width, std::string whose);
  std::optional<int64_t> width() const { return width_; }

  // `record` has no work yet. If the model cannot be opened, compute throws the Error, because it does not
  // concern a single record.
  void prepare(const io::Fields& fields, io::Record& record, WithVector& work) const;
  // Afterwards each record, whose work is a WithVector, has a vector or a failure.
  void compute(std::span<io::Record* const> records);
  void report_truncated(int64_t records) const;

  // Budget of a stream, so that about a thousand vectors or several batches of texts are computed at once.
  static constexpr int64_t kBudget = 16 << 10;
  static constexpr size_t kChunkBytes = 1 << 20, kChunkRecords = 256;

 private:
  struct TextModel;
  TextModel* text_model() const;
  void compute_texts(std::span<io::Record* const> records);
  void check_width(WithVector& work);

  TextOptions options_;
  Pool& pool_;
  Log& log_;
  std::optional<int64_t> width_;
  std::string whose_;
  mutable std::mutex opening_;
  mutable std::unique_ptr<TextModel> text_model_;
  mutable std::string open_failure_;
};

}  // namespace bert::search
