#include "train/readable_reader.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "features/foreign_texts.h"
#include "heads/batches.h"
#include "json/json.h"

namespace bert::train {

using examples::Trait;

namespace {

// Tokens of an empty text: [CLS] [SEP].
int64_t empty_tokens(const text::Tokenizer& tokenizer) { return tokenizer.config().specials ? 2 : 0; }

uint32_t hash_of(const std::vector<std::string>& labels) {
  Checksum checksum;
  for (const auto& label : labels) {
    checksum.add(label);
    checksum.add(std::string_view("\0", 1));
  }
  return std::max<uint32_t>(static_cast<uint32_t>(checksum.value()), 1);
}

}  // namespace

void ReadableReader::read(const io::Fields& fields, const io::Record& record, int64_t epoch,
                          examples::Examples& examples) const {
  const size_t before = examples.size();
  reader_->read(fields, record, epoch, examples);
  const auto json = fields.json(pair_field_);
  const bool paired = json || fields.text(pair_field_);
  const bool is_text = paired && (!json || json->kind() == json::Value::Kind::string);
  const bool given = fields.json("input_ids").has_value();
  const bool half = is_text && fields.text(pair_field_)->empty();  // a pair without its second text
  const bool missing = features::has_missing_text(fields, text_field_);
  const bool contrary =
      given && features::contradicts_text(tokenizer_, fields, record, text_field_, pair_field_);
  const auto labels = examples.size() > before ? gold_labels(task_, fields) : std::nullopt;
  const uint32_t label_hash = labels ? hash_of(*labels) : 0;
  for (size_t i = before; i < examples.size(); ++i) {
    examples[i]->label_hash = label_hash;
    auto& traits = examples[i]->traits;
    traits.set(Trait::paired, paired || traits.has(Trait::paired));
    traits.set(Trait::missing, missing);
    traits.set(Trait::contrary, contrary);
    traits.set(Trait::unframed, given && features::lacks_frame(tokenizer_, examples[i]->ids));
    traits.set(Trait::unknown, features::is_mostly_unknown(tokenizer_, examples[i]->ids));
    traits.set(Trait::empty, half || examples[i]->tokens() <= empty_tokens(tokenizer_));
    const auto sequences = examples[i]->sequences();
    for (size_t k = examples[i]->looked_up; k < sequences.size(); ++k)
      heads::require_readable(sequences[k].ids, sequences[k].types, config_);
  }
  const bool named = task_.kind != task::Task::regress;  // labels, not numbers
  if (tally_ != nullptr && labels && named) tally_->add(*labels);
}

void ReadableReader::check(const examples::Outline& example) {
  reader_->check(example);
  if (example.epoch > 0 || example.number > 0) return;
  drawn_.add(example.traits, example.where);
}

std::string idle_text(task::Task task) {
  if (task == task::Task::choose) return "every record has only one choice";
  if (task == task::Task::rank) return "no record has candidates that differ";
  return "no record has a token to predict";
}

void report(const examples::CheckedRecords& found, const TrainingOptions& options,
            const text::Tokenizer& tokenizer, Log& log) {
  const auto records = found.records, truncated = found.with(Trait::truncated),
             paired = found.with(Trait::paired), empty = found.with(Trait::empty);
  if (empty > 0 && !task::reads_masks(options.task.kind))
    log.warn(counted(empty, "record has", "records have") + " an empty text");
  features::report_missing(found.with(Trait::missing), found.first_with(Trait::missing), log);
  features::report_contrary(found.first_with(Trait::contrary), log);
  features::report_unframed(found.with(Trait::unframed), log);
  features::report_unknown(found.with(Trait::unknown), tokenizer, log);
  if (records > 0 && found.with(Trait::idle) == records) log.warn(idle_text(options.task.kind));
  if (truncated > 0) log.warn(counted(truncated, "record was", "records were") + " truncated");
  if (paired == records || (paired == 0 && !options.pair_field_given)) return;
  const auto field = json::in_quotes(options.task.features.pair_field) + " of " + opt::pair_field + ": ";
  log.warn(paired == 0 ? "no record has the field " + field + std::to_string(records) +
                             " records were read as single texts"
                       : std::to_string(records - paired) + " of " + std::to_string(records) +
                             " records do not have the field " + field + "they were read as single texts");
}

std::optional<bool> pairs_of(const examples::CheckedRecords& found) {
  const auto paired = found.with(Trait::paired);
  const bool all = paired == found.records;
  return found.records > 0 && (all || paired == 0) ? std::optional(all) : std::nullopt;
}

}  // namespace bert::train
