// The vector in a record, as bert-embed writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "io/record.h"

namespace bert::io {

inline constexpr std::string_view kEmbedding = "embedding";
// The field that names the model of the vector, see heads::VectorModel.
inline constexpr std::string_view kVectorModel = "embedding_model";

// The field `embedding`: an array of numbers, or f32 in base64. nullopt if the record does not have it.
// Throws Error unless all numbers are finite in f32.
std::optional<std::vector<float>> read_embedding(const Fields& fields);

// The vectors of a text's tokens.
inline constexpr std::string_view kEmbeddings = "embeddings";
struct TokenVectors {
  std::vector<float> values;  // one after another
  int64_t width = 0;
};
// The field `embeddings`: an array of vectors as above, of equally many numbers. nullopt: as above.
std::optional<TokenVectors> read_embeddings(const Fields& fields);

}  // namespace bert::io
