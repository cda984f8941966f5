#include "examples/pretrain_example.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/option.h"
#include "features/given_ids.h"

namespace bert::examples {
namespace {

constexpr std::string_view kPositions = "masked_lm_positions", kGold = "masked_lm_ids", kLabels = "labels",
                           kNext = "next_sentence_label", kInputIds = "input_ids";
constexpr int32_t kIgnored = -100;  // Hugging Face's label for tokens that are not predicted

void check_positions(const std::vector<int32_t>& positions, size_t length) {
  int64_t before = -1;
  for (const int32_t position : positions) {
    if (position < 0 || static_cast<size_t>(position) >= length)
      throw Error("field \"", kPositions, "\": ", position, " is not a position of ", length, " tokens");
    if (position <= before)
      throw Error("field \"", kPositions, "\": ", position, " after ", before,
                  ", expected ascending positions");
    before = position;
  }
}

// `distance`: of a token from the position that predicts it.
void take_labels(const text::Tokenizer& tokenizer, const std::vector<int32_t>& labels, size_t distance,
                 PretrainExample& example) {
  if (labels.size() != example.ids.size())
    throw Error("field \"", kLabels, "\" has ", counted(labels.size(), "value", "values"), ", input_ids has ",
                example.ids.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kIgnored) continue;
    features::check_id(tokenizer, kLabels, labels[i], i);
    if (i < distance) continue;
    example.positions.push_back(i - distance);
    example.gold.push_back(labels[i]);
  }
}

std::optional<int32_t> next_of(const io::Fields& fields) {
  const auto label = fields.integer(kNext);
  if (!label) return std::nullopt;
  if (*label != 0 && *label != 1) throw Error("field \"", kNext, "\" is ", *label, ", expected 0 or 1");
  return *label;
}

}  // namespace

bool is_masked(const io::Fields& fields) {
  return std::ranges::any_of(std::array{kPositions, kLabels}, [&](std::string_view name) {
    return fields.json(name).has_value() || fields.text(name).has_value();
  });
}

void PretrainExample::add_input(Checksum& checksum) const {
  Example unmasked;
  unmasked.ids = ids;
  unmasked.types = types;
  for (size_t i = 0; i < gold.size(); ++i) unmasked.ids[positions[i]] = gold[i];
  unmasked.add_input(checksum);
}

PretrainReader::PretrainReader(const text::Tokenizer& tokenizer, const corpus::MaskOptions& mask,
                               PretrainLimits limits)
    : tokenizer_(tokenizer), masker_(tokenizer, mask.rule), seed_(mask.seed), limits_(limits) {}

void PretrainReader::read(const io::Fields& fields, const io::Record& record, int64_t epoch,
                          Examples& examples) const {
  auto example = std::make_unique<PretrainExample>();
  if (!fields.json(kInputIds) && !fields.text(kInputIds))
    throw Error("field \"", kInputIds, "\" is missing: bert-tokenize ", opt::sentences,
                " and bert-nsp-pairs make such records of texts");
  example->ids = features::ids_of(tokenizer_, fields);
  const size_t length = example->ids.size();
  if (length == 0) throw Error("field \"", kInputIds, "\" is empty");
  if (static_cast<int64_t>(length) > limits_.max_length)
    throw Error("has ", length, " tokens, more than the maximum length of ", limits_.max_length);
  example->types = features::types_of(fields, length);
  for (size_t i = 0; i < length; ++i) {
    if (limits_.types > 0 && example->types[i] >= limits_.types)
      throw Error("field \"token_type_ids\": ", example->types[i], " at position ", i, ", the model has ",
                  counted(limits_.types, "type", "types"));
  }
  read_masked(fields, record, epoch, *example);
  example->traits.set(Trait::idle, example->positions.empty());
  example->next = next_of(fields);
  examples.push_back(std::move(example));
}

void PretrainReader::read_masked(const io::Fields& fields, const io::Record& record, int64_t epoch,
                                 PretrainExample& example) const {
  auto positions = fields.find_integers(kPositions), gold = fields.find_integers(kGold);
  const auto labels = fields.find_integers(kLabels);
  if (positions.has_value() != gold.has_value())
    throw Error("field \"", positions ? kGold : kPositions, "\" is missing, but \"",
                positions ? kPositions : kGold, "\" is there");
  if (positions && labels)
    throw Error("fields \"", kPositions, "\" and \"", kLabels, "\" are both present, expected one of them");
  if (positions) {
    if (positions->size() != gold->size())
      throw Error("field \"", kGold, "\" has ", counted(gold->size(), "value", "values"), ", ", kPositions,
                  " has ", positions->size());
    check_positions(*positions, example.ids.size());
    example.positions = *std::move(positions);
    example.gold = *std::move(gold);
    features::check_ids(tokenizer_, kGold, example.gold);
    if (causal()) check_unmasked(example);
  } else if (labels) {
    take_labels(tokenizer_, *labels, causal() ? 1 : 0, example);
  } else {
    const auto random = corpus::mask_random(fields, record.place(), seed_, epoch);
    for (const auto& [position, id] : masker_.mask(example.ids, random)) {
      example.positions.push_back(position);
      example.gold.push_back(id);
    }
  }
}

// Records for a model that is not causal: the token of [MASK] is predicted at its own position, while
// bert-predict reads the position before it. A [MASK] in the text itself predicts the next token like any
// other.
void PretrainReader::check_unmasked(const PretrainExample& example) const {
  for (size_t i = 0; i < example.positions.size(); ++i) {
    const size_t position = example.positions[i];
    const bool next = position + 1 < example.ids.size() && example.ids[position + 1] == example.gold[i];
    if (example.ids[position] == tokenizer_.mask() && !next)
      throw Error("token ", position, " is [MASK], but a causal model predicts next tokens; bert-mask ",
                  opt::causal, " selects them");
  }
}

void PretrainReader::check(const Outline& example) {
  auto& first = example.has_next_sentence_label ? first_labelled_ : first_;
  if (first.empty()) first = example.where;
  if (!first_labelled_.empty() && !first_.empty())
    throw Error(first_labelled_, ": field \"", kNext, "\" is present, but ", first_, " has none");
}

}  // namespace bert::examples
