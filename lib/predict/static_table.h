// Makes a static model of a transformer, its teacher: a table of the vectors that the teacher gives to single
// tokens, which sentence-transformers calls StaticEmbedding. As in model2vec (Tulkens and van Dongen 2024):
// the mean of the hidden states of [CLS] token [SEP], principal components of all tokens, and weights by
// frequency. A static model has such a table already: its dense layers are folded into it, and its vectors
// shortened to the directions in which they are longest, which keeps their angles as far as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "base/log.h"
#include "base/pool.h"
#include "model/save.h"

namespace bert::predict {

struct StaticTable {
  std::string source, out;     // directories
  std::optional<Dtype> store;  // format of the numbers; f32 if not set
  std::string activation;      // see model::open_directory
  model::Existing existing = model::Existing::refuse;
  std::string vocab;           // file of tokens or words, see text/static_vocabulary.h; "": the teacher's
  std::optional<int64_t> dim;  // numbers of a vector; default: 256, or as many as the teacher's
  // a in the weight a / (a + p) of a token with the probability p (Arora et al. 2017, "smooth inverse
  // frequency"), which by Zipf's law is proportional to 1 / (id + 2): frequent tokens come first. 0: all
  // weigh 1. Default: 1e-4, and for a static model, whose vectors have their weights, 0.
  std::optional<double> sif;
};

// Throws OptionError if the teacher's vectors are shorter than `dim`, and Error if it is static and `vocab`
// or `sif` is set. The calling thread is the pool's driver.
void make_static(const StaticTable& table, Pool& pool, Log& log);

}  // namespace bert::predict
