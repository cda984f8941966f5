#include "io/embedding.h"

#include <cmath>
#include <cstring>

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

std::vector<float> from_array(const json::Value& array) {
  std::vector<float> values;
  for (const json::Value& value : array.elements()) {
    if (value.kind() != json::Value::Kind::number)
      throw Error("contains ", value.kind_name(), ", expected numbers");
    values.push_back(value.number());
  }
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

}  // namespace

std::optional<std::vector<float>> read_embedding(const Fields& fields) {
  if (const auto row = fields.row())
    return named(kEmbedding, [&] { return std::optional(finite({row->begin(), row->end()})); });
  const auto value = fields.json(kEmbedding);
  if (!value || value->is_null()) return std::nullopt;
  return named(kEmbedding, [&] {
    if (value->kind() != json::Value::Kind::string && !value->is_array())
      throw Error("is ", value->kind_name(), ", expected an array of numbers, or a string with base64");
    return std::optional(finite(value->is_array() ? from_array(*value) : from_base64(value->string())));
  });
}

}  // namespace bert::io
