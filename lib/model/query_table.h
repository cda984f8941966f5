// Weights of the tokens of queries that need no network: sentence-transformers' SparseStaticEmbedding (Geng
// et al. 2024, "Towards competitive search relevance for inference-free learned sparse retrievers").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace bert::model {

struct QueryTable {
  text::Tokenizer tokenizer;
  std::vector<float> weights;         // of each token by id, at least 0
  std::optional<int64_t> max_length;  // in tokens, without special ones, which queries do not get
  bool frozen = false;                // training does not change the weights
};

// From a module's folder, which has a tokenizer, and "weight" in model.safetensors, or in config.json the
// "path" of a file such as idf.json: {"token": weight, ...}, relative to the folder. Throws Error if there is
// no weight for a token, or a wrong one.
QueryTable read_query_table(const std::string& folder);

}  // namespace bert::model
