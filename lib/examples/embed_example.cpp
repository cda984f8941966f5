#include "examples/embed_example.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "features/given_ids.h"
#include "io/embedding.h"
#include "json/json.h"

namespace bert::examples {
namespace {

constexpr auto kNegatives = "negatives", kIds = "input_ids", kScores = "scores";

std::vector<json::Value> ids_of(const io::Fields& fields) {
  return io::named(kIds, [&] { return fields.required(kIds).elements(); });
}

}  // namespace

bool has_value(const io::Fields& fields, std::string_view field) {
  if (const auto json = fields.json(field)) return !json->is_null();
  return fields.text(field).has_value();
}

EmbedReader::EmbedReader(EmbedRecords records, const features::Featurizer& featurizer,
                         std::string label_field, LabelRange* range, TeacherVectors teacher,
                         QueryTexts queries)
    : records_(records),
      featurizer_(featurizer),
      label_field_(std::move(label_field)),
      range_(range),
      teacher_(teacher),
      queries_(std::move(queries)) {
  assert(featurizer_.options().overflow == features::Overflow::truncate);
}

bool has_pair(const features::Featurizer& featurizer, const io::Fields& fields) {
  if (featurizer.takes_ids(fields)) return ids_of(fields).size() > 1;
  return has_value(fields, featurizer.options().pair_field);
}

bool has_embedding(const io::Fields& fields) {
  return fields.row().has_value() || has_value(fields, io::kEmbedding);
}

EmbedReader::Kind EmbedReader::kind_in_dev_set(const io::Fields& fields) const {
  const bool may_be_taught = records_ == EmbedRecords::taught_dev;
  if (may_be_taught && teacher_.file != nullptr) return Kind::taught;
  const bool label = has_value(fields, label_field_);
  if (label && (!may_be_taught || has_pair(featurizer_, fields))) return Kind::scored;
  return may_be_taught && has_embedding(fields) ? Kind::taught : Kind::compared;
}

EmbedReader::Kind EmbedReader::kind_of(const io::Fields& fields) const {
  if (records_ == EmbedRecords::taught) return Kind::taught;
  if (records_ != EmbedRecords::dev && records_ != EmbedRecords::taught_dev &&
      records_ != EmbedRecords::rated_dev) {
    const bool scored = records_ == EmbedRecords::scored || records_ == EmbedRecords::cosines;
    return scored ? Kind::scored : Kind::compared;
  }
  const auto kind = kind_in_dev_set(fields);
  auto known = Kind::unknown;
  if (kind_.compare_exchange_strong(known, kind) || known == kind) return kind;
  const bool label = kind == Kind::scored || known == Kind::scored;
  const bool has = label ? kind == Kind::scored : kind == Kind::taught;
  throw Error(has ? "has a field \"" : "has no field \"", label ? label_field_ : std::string(io::kEmbedding),
              "\", unlike the first record");
}

std::vector<float> EmbedReader::target_of(const io::Fields& fields, const io::Record& record) const {
  std::vector<float> target;
  if (teacher_.file != nullptr) {
    target.resize(teacher_.width);
    teacher_.file->read(record.place(), target);
    return target;
  }
  auto found = io::read_embedding(fields);
  if (!found) fields.fail_missing(io::kEmbedding);
  if (std::ssize(*found) != teacher_.width)
    throw Error("field \"", io::kEmbedding, "\" has ", counted(std::ssize(*found), "number", "numbers"),
                ", expected ", teacher_.width);
  return std::move(*found);
}

std::vector<float> EmbedReader::guide_of(const io::Record& record, int64_t texts) const {
  if (texts != teacher_.rows)
    throw Error("has ", counted(texts, "text", "texts"), ", ", teacher_.file->path(), " has ", teacher_.rows,
                " rows for each record");
  std::vector<float> guide(texts * teacher_.width);
  for (int64_t i = 0; i < texts; ++i)
    teacher_.file->read(record.place() * texts + i,
                        std::span(guide).subspan(i * teacher_.width, teacher_.width));
  return guide;
}

void EmbedReader::add_query(features::Features features, EmbedExample& example) const {
  if (queries_.expand) queries_.expand(features);
  example.looked_up = queries_.looked_up ? 1 : 0;
  example.add(features);
}

// The texts that the loss compares; of a text alone two.
void EmbedReader::add_texts(const io::Fields& fields, Kind kind, EmbedExample& example) const {
  const auto& options = featurizer_.options();
  const auto text = fields.required_text(options.text_field);
  add_query((queries_.featurizer != nullptr ? *queries_.featurizer : featurizer_).features(text), example);
  const bool paired = has_value(fields, options.pair_field);
  if (kind == Kind::taught && !paired) return;
  if (records_ == EmbedRecords::taught_dev && !paired)
    throw Error("has neither ", json::in_quotes(options.pair_field), " nor ",
                json::in_quotes(std::string(io::kEmbedding)), "; ", opt::dev_vectors,
                " reads the teacher's vectors of the dev set from a file");
  const auto pair = records_ == EmbedRecords::texts ? text : fields.required_text(options.pair_field);
  example.add(featurizer_.features(pair));
  if (kind != Kind::compared || (records_ != EmbedRecords::triplets && !has_value(fields, kNegatives)))
    return;
  for (const auto& negative : fields.texts(kNegatives)) example.add(featurizer_.features(negative));
}

// The same for records with an array of ids for each text.
void EmbedReader::add_ids(const io::Fields& fields, Kind kind, EmbedExample& example) const {
  auto arrays = ids_of(fields);
  if (records_ == EmbedRecords::texts && !arrays.empty()) arrays = {arrays.front(), arrays.front()};
  if (arrays.size() < (kind == Kind::taught ? 1 : 2))
    throw Error("field \"", kIds, "\" has ", arrays.size(), " arrays, expected one for each text");
  for (size_t i = 0; i < arrays.size(); ++i) {
    const auto& featurizer = i == 0 && queries_.featurizer != nullptr ? *queries_.featurizer : featurizer_;
    auto whole = features::features_of_ids(
        featurizer.tokenizer(), io::named(kIds, [&] { return arrays[i].integers(); }), std::nullopt);
    auto features = featurizer.windows(std::move(whole)).front();
    i == 0 ? add_query(std::move(features), example) : example.add(features);
  }
}

void EmbedReader::read_scores(const io::Fields& fields, EmbedExample& example) const {
  const auto candidates = example.lengths.size() - 1;
  if (candidates < 2) throw Error("has no negatives, of which the loss needs at least one");
  const auto scores = fields.required(kScores);
  io::named(kScores, [&] {
    example.scores = scores.numbers();
    if (example.scores.size() != candidates)
      throw Error("has ", counted(std::ssize(example.scores), "number", "numbers"),
                  ", expected one for the pair and for each of ",
                  counted(candidates - 1, "negative", "negatives"));
    if (!std::ranges::all_of(example.scores, [](float score) { return std::isfinite(score); }))
      throw Error("has a number that is not finite in f32");
  });
}

void EmbedReader::read(const io::Fields& fields, const io::Record& record, int64_t,
                       Examples& examples) const {
  auto example = std::make_unique<EmbedExample>();
  const auto kind = kind_of(fields);
  example->scored = kind == Kind::scored;
  if (featurizer_.takes_ids(fields)) {
    add_ids(fields, kind, *example);
  } else {
    add_texts(fields, kind, *example);
  }
  if (kind == Kind::taught) example->target = target_of(fields, record);
  if (records_ == EmbedRecords::guided) example->guide = guide_of(record, std::ssize(example->lengths));
  if (kind == Kind::taught && range_ != nullptr) {
    double squares = 0;
    for (const float number : example->target) squares += static_cast<double>(number) * number;
    range_->add(std::sqrt(squares));
  }
  if (records_ == EmbedRecords::rated ||
      (records_ == EmbedRecords::rated_dev && kind == Kind::compared && has_value(fields, kScores)))
    read_scores(fields, *example);
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
