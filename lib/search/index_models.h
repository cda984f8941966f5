// What an index of files is made with: a model of vectors, one of weights of words, or both.
#pragma once

#include <cstdint>
#include <memory>

#include "base/log.h"
#include "base/pool.h"
#include "predict/embed_filter.h"
#include "predict/sparse_filter.h"
#include "search/index_folder.h"
#include "search/record_vectors.h"

namespace bert::search {

class IndexModels {
 public:
  // Without open_model, there are no vectors or no weights. References must outlive this object.
  IndexModels(const TextOptions& vectors, const TextOptions& weights, Pool& pool, Log& log);
  ~IndexModels();

  predict::EmbedFilter* vectors() const;   // nullptr: none
  predict::SparseFilter* weights() const;  // the same
  int64_t width() const;                   // numbers in a vector; 0: there are none

  // Sets what the manifest says of the models.
  void describe(Manifest& manifest) const;
  // Throws Error if the index in the folder was made with other models.
  void require_same(const IndexFolder& folder, const Manifest& manifest) const;
  void report(Log& log) const;
  void report_truncated(int64_t texts) const;

 private:
  struct Vectors;
  struct Weights;

  std::unique_ptr<Vectors> vectors_;
  std::unique_ptr<Weights> weights_;
};

}  // namespace bert::search
