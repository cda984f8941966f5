#include "examples/embed_example.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "features/given_ids.h"

namespace bert::examples {
namespace {

constexpr auto kNegatives = "negatives", kIds = "input_ids";

std::vector<json::Value> ids_of(const io::Fields& fields) {
  return io::named(kIds, [&] { return fields.required(kIds).elements(); });
}

}  // namespace

bool has_value(const io::Fields& fields, std::string_view field) {
  if (const auto json = fields.json(field)) return !json->is_null();
  return fields.text(field).has_value();
}

void LabelRange::add(double label) {
  for (double least = least_; label < least && !least_.compare_exchange_weak(least, label);) {
  }
  for (double most = most_; label > most && !most_.compare_exchange_weak(most, label);) {
  }
}

EmbedReader::EmbedReader(EmbedRecords records, const features::Featurizer& featurizer,
                         std::string label_field, LabelRange* range)
    : records_(records), featurizer_(featurizer), label_field_(std::move(label_field)), range_(range) {
  assert(featurizer_.options().overflow == features::Overflow::truncate);
}

bool has_pair(const features::Featurizer& featurizer, const io::Fields& fields) {
  if (featurizer.takes_ids(fields)) return ids_of(fields).size() > 1;
  return has_value(fields, featurizer.options().pair_field);
}

bool EmbedReader::scored(const io::Fields& fields) const {
  if (records_ != EmbedRecords::dev)
    return records_ == EmbedRecords::scored || records_ == EmbedRecords::cosines;
  const auto labels = has_value(fields, label_field_) ? Labels::all : Labels::none;
  auto known = Labels::unknown;
  if (!labels_.compare_exchange_strong(known, labels) && known != labels)
    throw Error(labels == Labels::all ? "has a field \"" : "has no field \"", label_field_,
                "\", unlike the first record");
  return labels == Labels::all;
}

// The texts that the loss compares; of a text alone two.
void EmbedReader::add_texts(const io::Fields& fields, EmbedExample& example) const {
  const auto& options = featurizer_.options();
  const auto text = fields.required_text(options.text_field);
  example.add(featurizer_.features(text));
  const auto pair = records_ == EmbedRecords::texts ? text : fields.required_text(options.pair_field);
  example.add(featurizer_.features(pair));
  if (example.scored || (records_ != EmbedRecords::triplets && !has_value(fields, kNegatives))) return;
  for (const auto negative : fields.strings(kNegatives)) example.add(featurizer_.features(negative));
}

// The same for records with an array of ids for each text.
void EmbedReader::add_ids(const io::Fields& fields, EmbedExample& example) const {
  auto arrays = ids_of(fields);
  if (records_ == EmbedRecords::texts && !arrays.empty()) arrays = {arrays.front(), arrays.front()};
  if (arrays.size() < 2)
    throw Error("field \"", kIds, "\" has ", arrays.size(), " arrays, expected one for each text");
  for (const auto& array : arrays) {
    auto whole = features::features_of_ids(featurizer_.tokenizer(),
                                           io::named(kIds, [&] { return array.integers(); }), std::nullopt);
    example.add(featurizer_.windows(std::move(whole)).front());
  }
}

void EmbedReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto example = std::make_unique<EmbedExample>();
  example->scored = scored(fields);
  if (featurizer_.takes_ids(fields)) {
    add_ids(fields, *example);
  } else {
    add_texts(fields, *example);
  }
  if (example->scored) example->label = fields.number(label_field_);
  if (example->scored && range_ != nullptr) range_->add(example->label);
  if (records_ == EmbedRecords::cosines && std::abs(example->label) > 1)
    throw Error("field \"", label_field_, "\" is ", example->label,
                ", the loss cosine expects -1 to 1: scale the labels, or use the loss cosent");
  if (records_ == EmbedRecords::triplets && example->lengths.size() < 3)
    throw Error("has no negatives, the loss triplet needs at least one");
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
