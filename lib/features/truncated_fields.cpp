#include "features/truncated_fields.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "features/given_ids.h"
#include "json/json.h"

namespace bert::features {
namespace {

constexpr std::string_view kIds = "input_ids", kLabels = "labels";
constexpr std::string_view kPositions = "masked_lm_positions", kOriginals = "masked_lm_ids";

// Token fields have strings, integers, null and pairs of integers.
void append_value(std::string& out, const json::Value& value) {
  switch (value.kind()) {
    case json::Value::Kind::null:
      out += "null";
      return;
    case json::Value::Kind::string:
      return json::append_string(out, value.string());
    case json::Value::Kind::array:
      return json::append_array(out, value.elements(), append_value);
    default:
      json::append_integer(out, value.integer());
  }
}

// A record's input_ids and the ids that remain.
class Cut {
 public:
  Cut(const json::Value& ids, std::span<const Features* const> sequences) : sequences_(sequences) {
    const auto elements = ids.elements();
    nested_ = !elements.empty() && elements.front().is_array();
    if (!nested_) lengths_ = {elements.size()};
    if (!nested_) return;
    for (const json::Value& own : elements) lengths_.push_back(own.size());
  }

  bool nested() const { return nested_; }
  size_t length() const { return lengths_.front(); }

  std::string of(const json::Value& array) const {
    std::string out;
    if (!nested_) {
      append_kept(out, array, 0);
      return out;
    }
    const auto arrays = array.elements();
    if (arrays.size() != lengths_.size())
      throw Error("has ", counted(arrays.size(), "value", "values"), ", ", kIds, " has ", lengths_.size());
    size_t sequence = 0;
    json::append_array(
        out, arrays, [&](std::string& text, const json::Value& own) { append_kept(text, own, sequence++); });
    return out;
  }

 private:
  void append_kept(std::string& out, const json::Value& array, size_t sequence) const {
    const auto values = array.elements();
    if (values.size() != lengths_[sequence])
      throw Error("has ", counted(values.size(), "value", "values"), ", ", kIds, " has ", lengths_[sequence]);
    const auto& places = sequences_[sequence]->places;
    if (places.empty()) return json::append_array(out, values, append_value);
    json::append_array(out, places,
                       [&](std::string& text, uint32_t place) { append_value(text, values[place]); });
  }

  std::span<const Features* const> sequences_;
  bool nested_ = false;
  std::vector<size_t> lengths_;  // of each sequence before the cut
};

// Index of token `place` of the whole sequence among the remaining ones; nullopt if it was removed.
std::optional<int32_t> place_among(const std::vector<uint32_t>& places, int32_t place) {
  const auto found = std::ranges::lower_bound(places, static_cast<uint32_t>(place));
  if (place < 0 || found == places.end() || *found != static_cast<uint32_t>(place)) return std::nullopt;
  return found - places.begin();
}

void add_masked(const io::Fields& fields, const Features& features, std::vector<TruncatedField>& cut) {
  const auto positions = fields.find_integers(kPositions), ids = fields.find_integers(kOriginals);
  if (!positions && !ids) return;
  if (!positions)
    throw Error("field \"", kOriginals, "\" cannot be cut with ", kIds, ": ", kPositions, " is missing");
  if (ids && ids->size() != positions->size())
    throw Error("field \"", kOriginals, "\" has ", counted(ids->size(), "value", "values"), ", ", kPositions,
                " has ", positions->size());
  std::vector<int32_t> kept_positions, kept_ids;
  for (size_t i = 0; i < positions->size(); ++i) {
    const auto place = place_among(features.places, (*positions)[i]);
    if (!place) continue;
    kept_positions.push_back(*place);
    if (ids) kept_ids.push_back((*ids)[i]);
  }
  json::append_integers(cut.emplace_back(TruncatedField{.name = kPositions, .json = {}}).json,
                        kept_positions);
  if (ids)
    json::append_integers(cut.emplace_back(TruncatedField{.name = kOriginals, .json = {}}).json, kept_ids);
}

}  // namespace

std::vector<TruncatedField> truncated_fields(const io::Fields& fields,
                                             std::span<const Features* const> sequences,
                                             const io::DropList& dropped) {
  const auto wanted = [&](std::string_view name) { return !dropped.contains(name); };
  const Cut cut(fields.json(kIds).value(), sequences);
  std::vector<TruncatedField> made;
  for (const std::string_view name : {kIds, std::string_view("token_type_ids"), std::string_view("tokens"),
                                      std::string_view("offsets"), std::string_view("word_ids")}) {
    const auto value = fields.json(name);
    if (value && wanted(name)) made.push_back({name, io::named(name, [&] { return cut.of(*value); })});
  }
  if (cut.nested()) return made;
  // In multi-label records, labels is not a token field unless it has one value for each token.
  const auto labels = fields.json(kLabels);
  if (labels && wanted(kLabels) && labels->is_array() && labels->size() == cut.length())
    made.push_back({kLabels, io::named(kLabels, [&] { return cut.of(*labels); })});
  if (wanted(kPositions) || wanted(kOriginals)) add_masked(fields, *sequences.front(), made);
  return made;
}

}  // namespace bert::features
