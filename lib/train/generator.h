// The generator of ELECTRA (Clark et al. 2020, section 2): a masked language model that fills masked tokens
// with samples, some of which differ from the original ones. Its parameters are fixed; one that learns is
// part of a TrainingNetwork.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/pool.h"
#include "model/directory.h"
#include "model/network.h"
#include "nn/batch.h"
#include "text/tokenizer.h"

namespace bert::train {

class Generator {
 public:
  // The calling thread must be the pool's driver.
  Generator(const model::Directory& directory, const text::Tokenizer& tokenizer, Pool& pool);

  // A token for each of these rows of the batch's tokens, ascending. `chances`: a number in [0,1) for each
  // row. A token depends on its sequence and its chance only.
  std::vector<int32_t> fill(const nn::Batch& batch, std::span<const int64_t> rows,
                            std::span<const double> chances);

 private:
  const std::string path_;
  const int64_t choices_;  // ids; the embeddings may have more rows
  Pool& pool_;
  model::Network network_;
};

// The id in whose part of [0,1) the chance is. Parts are as large as the probabilities, softmax(logits), and
// in the order of the ids. Throws Error if a logit is NaN or infinite.
int32_t sampled(std::span<const float> logits, double chance);

}  // namespace bert::train
