#include "io/embedding.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/base64.h"
#include "base/error.h"
#include "json/json.h"

namespace bert::io {
namespace {

std::vector<float> from_base64(std::string_view text) {
  std::vector<std::byte> bytes;
  if (!decode_base64(text, bytes) || bytes.size() % sizeof(float) != 0)
    throw Error("is a string, but not f32 numbers in base64");
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<float> finite(std::vector<float> values) {
  if (values.empty()) throw Error("is empty");
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error("has the number ", values[i], " at index ", i, ", expected a finite number in f32");
  }
  return values;
}

std::vector<float> vector_of(const json::Value& value) {
  if (value.kind() != json::Value::Kind::string && !value.is_array())
    throw Error("is ", value.kind_name(), ", expected an array of numbers, or a string with base64");
  return finite(value.is_array() ? value.numbers() : from_base64(value.string()));
}

}  // namespace

std::optional<std::vector<float>> read_embedding(const Fields& fields) {
  if (const auto row = fields.row())
    return named(kEmbedding, [&] { return std::optional(finite({row->begin(), row->end()})); });
  const auto value = fields.json(kEmbedding);
  if (!value || value->is_null()) return std::nullopt;
  return named(kEmbedding, [&] { return std::optional(vector_of(*value)); });
}

std::optional<TokenVectors> read_embeddings(const Fields& fields) {
  const auto value = fields.json(kEmbeddings);
  if (!value || value->is_null()) return std::nullopt;
  return named(kEmbeddings, [&] {
    TokenVectors vectors;
    for (const auto& element : value->elements()) {
      const auto vector = vector_of(element);
      if (vectors.width == 0) vectors.width = std::ssize(vector);
      if (std::ssize(vector) != vectors.width)
        throw Error("has vectors of ", vectors.width, " and of ", vector.size(), " numbers");
      vectors.values.insert(vectors.values.end(), vector.begin(), vector.end());
    }
    if (vectors.values.empty()) throw Error("is empty");
    return std::optional(std::move(vectors));
  });
}

}  // namespace bert::io
