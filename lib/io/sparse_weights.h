// The weights of tokens in a record, as bert-embed --sparse writes them: {"king":2.9,"queen":1.25}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/record.h"

namespace bert::io {

inline constexpr std::string_view kSparse = "sparse";
// The field that names the model of the weights, see heads::VectorModel.
inline constexpr std::string_view kSparseModel = "sparse_model";

struct TokenWeight {
  std::string token;
  float weight = 0;
};

// The field `sparse`, in its order, without weights of 0. Throws Error if it is missing or null, if a weight
// is no finite number in f32 or below 0, or if a token is repeated.
std::vector<TokenWeight> required_sparse(const Fields& fields);

}  // namespace bert::io
