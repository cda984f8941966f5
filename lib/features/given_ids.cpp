#include "features/given_ids.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::features {
namespace {

// Where B begins: with BERT's layout at the first type 1, with a single type after two separators.
std::optional<uint32_t> begin_of_second(const text::Tokenizer& tokenizer, const Features& features) {
  const auto &ids = features.ids, &types = features.types;
  const auto& layout = tokenizer.config().layout;
  const auto separators = static_cast<uint32_t>(layout.separators);
  if (layout.second_type == 0) {
    const auto found = std::search_n(ids.begin() + 1, ids.end() - 1, layout.separators, tokenizer.sep());
    if (separators < 2 || found == ids.end() - 1) return std::nullopt;
    return static_cast<uint32_t>(found - ids.begin()) + separators;
  }
  const auto second = std::find(types.begin(), types.end(), 1);
  return second == types.end() ? std::nullopt : std::optional<uint32_t>(second - types.begin());
}

// Finds A and B. Example: ids [CLS] x y [SEP] z [SEP], types 0 0 0 0 1 1: A is [1,3), B is [4,5).
void find_parts(const text::Tokenizer& tokenizer, Features& features) {
  const auto &ids = features.ids, &types = features.types;
  const uint32_t length = ids.size();
  features.first = {0, length};
  features.second = {length, length};
  if (!is_framed(tokenizer, ids)) return;
  const auto second = begin_of_second(tokenizer, features);
  if (!second) {
    features.first = {1, length - 1};
    features.second = {length - 1, length - 1};
    return;
  }
  const uint32_t begin = *second;
  const auto& layout = tokenizer.config().layout;
  const auto separators = static_cast<uint32_t>(layout.separators);
  const bool is_pair = begin >= 1 + separators && ids[begin - 1] == tokenizer.sep() &&
                       std::all_of(types.begin() + begin, types.end(),
                                   [&](int32_t type) { return type == layout.second_type; });
  if (!is_pair) return;
  features.first = {1, begin - separators};
  features.second = {begin, length - 1};
  features.pair = true;
}

std::vector<int32_t> checked_types(std::optional<std::vector<int32_t>> types, size_t length) {
  if (!types) return std::vector<int32_t>(length, 0);
  if (types->size() != length)
    throw Error("field \"token_type_ids\" has ", counted(types->size(), "value", "values"),
                ", input_ids has ", length);
  for (size_t i = 0; i < length; ++i)
    if ((*types)[i] < 0)
      throw Error("field \"token_type_ids\": ", (*types)[i], " at position ", i, " is negative");
  return *std::move(types);
}

void check_tokens(const text::Tokenizer& tokenizer, const io::Fields& fields, std::span<const int32_t> ids) {
  const auto field = fields.json("tokens");
  if (!field || !field->is_array() || field->size() != ids.size()) return;
  const auto is_mask = [&](int32_t id) { return tokenizer.config().specials && id == tokenizer.mask(); };
  size_t i = 0;
  for (const json::Value& token : field->elements()) {
    const int32_t id = ids[i++];
    if (token.kind() != json::Value::Kind::string || is_mask(id)) continue;
    if (token.string() != tokenizer.subword(id))
      throw Error("field \"tokens\": ", json::in_quotes(token.string()), " at position ", i - 1,
                  ", but its id ", id, " is ", json::in_quotes(tokenizer.subword(id)),
                  "; the ids are those of another vocabulary");
  }
}

}  // namespace

bool is_framed(const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  return tokenizer.config().specials && ids.size() >= 2 && ids.front() == tokenizer.cls() &&
         ids.back() == tokenizer.sep();
}

void check_id(const text::Tokenizer& tokenizer, std::string_view field, int32_t id, size_t position) {
  if (id >= 0 && id < tokenizer.size()) return;
  throw Error("field \"", field, "\": ", id, " at position ", position, " is not in the vocabulary of ",
              tokenizer.size(), " tokens");
}

void check_ids(const text::Tokenizer& tokenizer, std::string_view field, std::span<const int32_t> ids) {
  const auto size = static_cast<uint32_t>(tokenizer.size());
  const auto bad = std::ranges::find_if(ids, [&](int32_t id) { return static_cast<uint32_t>(id) >= size; });
  if (bad != ids.end()) check_id(tokenizer, field, *bad, bad - ids.begin());
}

std::vector<int32_t> ids_of(const text::Tokenizer& tokenizer, const io::Fields& fields) {
  auto ids = fields.integers("input_ids");
  check_ids(tokenizer, "input_ids", ids);
  check_tokens(tokenizer, fields, ids);
  return ids;
}

std::vector<int32_t> ids_of_line(const text::Tokenizer& tokenizer, std::string_view line) {
  std::vector<int32_t> ids;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) break;
    const auto word = line.substr(0, line.find_first_of(" \t"));
    int32_t id = 0;
    const auto [end, error] = std::from_chars(word.begin(), word.end(), id);
    if (error != std::errc() || end != word.end()) throw Error('"', word.substr(0, 40), "\" is not an id");
    ids.push_back(id);
    line.remove_prefix(word.size());
  }
  check_ids(tokenizer, "input_ids", ids);
  return ids;
}

std::vector<int32_t> types_of(const io::Fields& fields, size_t length) {
  return checked_types(fields.find_integers("token_type_ids"), length);
}

void check_lengths(const io::Fields& fields, size_t length, const io::DropList& dropped) {
  for (const std::string_view name : {"token_type_ids", "tokens", "offsets", "word_ids"}) {
    const auto array = fields.json(name);
    if (!array || dropped.contains(name)) continue;
    const size_t count = io::named(name, [&] { return array->size(); });
    if (count != length)
      throw Error("field \"", name, "\" has ", counted(count, "value", "values"), ", input_ids has ", length);
  }
}

Features features_of_ids(const text::Tokenizer& tokenizer, const io::Fields& fields) {
  return features_of_ids(tokenizer, ids_of(tokenizer, fields), fields.find_integers("token_type_ids"));
}

Features features_of_ids(const text::Tokenizer& tokenizer, std::vector<int32_t> ids,
                         std::optional<std::vector<int32_t>> types) {
  check_ids(tokenizer, "input_ids", ids);
  Features features;
  features.types = checked_types(std::move(types), ids.size());
  features.ids = std::move(ids);
  find_parts(tokenizer, features);
  return features;
}

}  // namespace bert::features
