#include "io/sparse_weights.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"

namespace bert::io {
namespace {

float weight_of(std::string_view token, const json::Value& value) {
  using enum json::Value::Kind;
  if (value.kind() != number)
    throw Error("has ", value.kind_name(), " as the weight of ", json::in_quotes(token),
                ", expected a number of at least 0");
  const auto weight = static_cast<float>(value.number());
  if (!std::isfinite(weight) || weight < 0)
    throw Error("has the weight ", value.number(), " of ", json::in_quotes(token),
                ", expected a finite number in f32, at least 0");
  return weight;
}

void refuse_repeated(const json::Value& object) {
  std::vector<std::string_view> tokens;
  for (const auto& [token, value] : object.members()) tokens.push_back(token);
  std::ranges::sort(tokens);
  if (const auto twice = std::ranges::adjacent_find(tokens); twice != tokens.end())
    throw Error("has the token ", json::in_quotes(*twice), " twice");
}

}  // namespace

std::vector<TokenWeight> required_sparse(const Fields& fields) {
  const auto object = fields.json(kSparse);
  if (!object || object->is_null())
    throw Error("field \"", kSparse, "\" is missing; bert-embed ", opt::sparse, " adds it");
  return named(kSparse, [&] {
    if (object->kind() != json::Value::Kind::object)
      throw Error("is ", object->kind_name(), ", expected an object of tokens and weights");
    refuse_repeated(*object);
    std::vector<TokenWeight> weights;
    for (const auto& [token, value] : object->members())
      if (const float weight = weight_of(token, value); weight > 0)
        weights.push_back({.token = std::string(token), .weight = weight});
    return weights;
  });
}

}  // namespace bert::io
