#include "corpus/tokenize_filter.h"

#include "base/error.h"
#include "corpus/sentence_filter.h"
#include "corpus/stats_filter.h"
#include "corpus/token_json.h"
#include "features/given_ids.h"
#include "json/json.h"

namespace bert::corpus {

struct TokenizeFilter::Prepared : io::Work {
  features::Features first;               // the only one for most records
  std::vector<features::Features> later;  // further windows of a long text
  bool had_ids = false;                   // the record already has input_ids
  bool had_types = false;
};

std::unique_ptr<io::Filter> make_tokenize_filter(const text::Tokenizer& tokenizer, TokenizeOptions options,
                                                 Log& log) {
  switch (options.result) {
    case TokenizeOptions::Result::decoded:
      return std::make_unique<DecodeFilter>(tokenizer, options.features.text_field, std::move(options.drop));
    case TokenizeOptions::Result::stats:
      return std::make_unique<StatsFilter>(tokenizer, std::move(options.features));
    case TokenizeOptions::Result::sentences:
      return std::make_unique<SentenceFilter>(
          tokenizer, SentenceOptions{.text_field = std::move(options.features.text_field),
                                     .locale = std::move(options.locale),
                                     .drop = std::move(options.drop)});
    case TokenizeOptions::Result::records:
      break;
  }
  return std::make_unique<TokenizeFilter>(tokenizer, std::move(options), log);
}

namespace {

std::vector<std::string_view> stale_fields(const features::FeatureOptions& options) {
  std::vector<std::string_view> names = {"tokens", "offsets", "word_ids", "window", "truncated"};
  std::erase(names, options.text_field);
  std::erase(names, options.pair_field);
  return names;
}

// In a table, the array is text; the cell of a single text is empty.
bool has_types(const io::Fields& fields) {
  if (const auto types = fields.json("token_type_ids")) return types->is_array();
  return fields.has("token_type_ids") && !fields.text("token_type_ids")->empty();
}

// For the message about truncated records.
std::string_view origin_of_limit(const features::FeatureOptions& options, const text::Tokenizer& tokenizer) {
  const auto& truncation = tokenizer.config().truncation;
  if (options.max_length != features::kNoLimit || !truncation) return "";
  return truncation->of_model ? ", the limit of the model"
                              : ", the limit in the truncation block of tokenizer.json";
}

}  // namespace

TokenizeFilter::TokenizeFilter(const text::Tokenizer& tokenizer, TokenizeOptions options, Log& log)
    : tokenizer_(tokenizer),
      options_(std::move(options)),
      featurizer_(tokenizer, features::with_settings_of(tokenizer, options_.features)),
      stale_(stale_fields(options_.features)),
      log_(log),
      limit_from_(origin_of_limit(options_.features, tokenizer)) {}

void TokenizeFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto prepared = std::make_unique<Prepared>();
  if (options_.features.overflow == features::Overflow::split) {
    prepared->later = featurizer_.windows(fields);
    prepared->first = std::move(prepared->later.front());
    prepared->later.erase(prepared->later.begin());
  } else {
    prepared->first = featurizer_.features(fields);
  }
  empty_seconds_.add(prepared->first);
  prepared->had_ids = fields.has("input_ids");
  prepared->had_types = prepared->had_ids && has_types(fields);
  record.work = std::move(prepared);
}

void TokenizeFilter::finish(io::Record& record, io::Output& out) const {
  const auto& prepared = record.work_as<Prepared>();
  io::Added added;
  write(record, prepared.first, added, out);
  for (const auto& features : prepared.later) write(record, features, added, out);
  record.truncated = prepared.first.truncated;
}

void TokenizeFilter::write(const io::Record& record, const features::Features& features, io::Added& added,
                           io::Output& out) const {
  if (options_.format == io::Format::ids) return append_id_line(out.text(), features.ids);
  if (options_.format == io::Format::tokens) return append_subword_line(out.text(), tokenizer_, features.ids);
  added.clear();
  const auto& prepared = record.work_as<Prepared>();
  add_fields(features, prepared, added);
  out.record(record, added, prepared.had_ids ? io::with_stale(options_.drop, stale_, added) : options_.drop);
}

void TokenizeFilter::report_truncated(int64_t records) const {
  log_.warn(counted(records, "record was", "records were") + " truncated to " +
            counted(featurizer_.options().max_length, "token", "tokens") + limit_from_);
}

void TokenizeFilter::add_fields(const features::Features& features, const Prepared& prepared,
                                io::Added& added) const {
  // Allocate once for most records: an id takes about five characters with its comma.
  std::string& ids = added.field("input_ids");
  ids.reserve(6 * features.ids.size());
  json::append_integers(ids, features.ids);
  if (features.pair || prepared.had_types)
    json::append_integers(added.field("token_type_ids"), features.types);
  if (options_.tokens) append_subwords(added.field("tokens"), tokenizer_, features.ids);
  if (options_.features.wanted.offsets != text::Offsets::none)
    append_spans(added.field("offsets"), features.offsets);
  if (options_.features.wanted.words) append_words(added.field("word_ids"), features.words);
  if (options_.features.overflow == features::Overflow::split) added.integer("window", features.window);
  if (features.truncated) added.boolean("truncated", true);
}

struct DecodeFilter::Prepared : io::Work {
  std::string text;
};

DecodeFilter::DecodeFilter(const text::Tokenizer& tokenizer, std::string text_field, io::DropList drop)
    : tokenizer_(tokenizer), text_field_(std::move(text_field)), drop_(std::move(drop)) {}

void DecodeFilter::prepare(const io::Fields& fields, io::Record& record) const {
  const bool is_json = record.source().format == io::InputFormat::jsonl;
  const bool is_table = io::is_table(record.source().format);
  const auto ids =
      is_json ? features::ids_of(tokenizer_, fields)
              : features::ids_of_line(tokenizer_, fields.required_text(is_table ? "input_ids" : text_field_));
  if (is_json) features::check_lengths(fields, ids.size(), drop_);
  auto prepared = std::make_unique<Prepared>();
  prepared->text = tokenizer_.decode(ids, text::Tokenizer::Specials::skip);
  record.work = std::move(prepared);
}

void DecodeFilter::finish(io::Record& record, io::Output& out) const {
  io::Added added;
  added.string(text_field_, record.work_as<Prepared>().text);
  out.record(record, added, drop_);
}

}  // namespace bert::corpus
