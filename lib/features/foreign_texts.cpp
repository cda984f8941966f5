#include "features/foreign_texts.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/spelling.h"
#include "features/given_ids.h"
#include "json/json.h"

namespace bert::features {

bool lacks_frame(const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  return tokenizer.config().specials && !is_framed(tokenizer, ids);
}

bool is_mostly_unknown(const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  int64_t unknown = 0, known = 0;
  for (const int32_t id : ids) {
    unknown += id == tokenizer.unk();
    known += !tokenizer.is_special(id);
  }
  return unknown > 0 && unknown >= known;
}

bool contradicts_text(const text::Tokenizer& tokenizer, const io::Fields& fields, const io::Record& record,
                      std::string_view text_field, std::string_view pair_field) {
  constexpr int64_t kAll = 64, kOneOf = 64;
  const auto ids = fields.json("input_ids"), text = fields.json(text_field);
  const auto is_ids = [](const json::Value& id) { return id.kind() == json::Value::Kind::number; };
  const bool skips = record.place() >= kAll && record.place() % kOneOf != 0;
  if (skips || !ids || !ids->is_array() || !text || text->kind() != json::Value::Kind::string ||
      !std::ranges::all_of(ids->elements(), is_ids))
    return false;
  text::Tokens tokens;
  tokenizer.encode(text->string(), {}, tokens);
  if (const auto pair = fields.json(pair_field); pair && pair->kind() == json::Value::Kind::string)
    tokenizer.encode(pair->string(), {}, tokens);
  std::ranges::sort(tokens.ids);
  int64_t known = 0, others = 0;  // masks may have been replaced by any tokens
  for (const int32_t id : ids->integers()) {
    if (id < 0 || id >= tokenizer.size() || tokenizer.is_special(id)) continue;
    ++(std::ranges::binary_search(tokens.ids, id) ? known : others);
  }
  return others > known;
}

bool has_missing_text(const io::Fields& fields, std::string_view text_field) {
  const auto json = fields.json(text_field);
  if (json && json->kind() != json::Value::Kind::string) return false;
  const auto text = fields.text(text_field);
  return text && is_missing_value(*text);
}

void report_missing(int64_t records, const std::string& first, Log& log) {
  if (records == 0) return;
  log.warn(
      counted(records, "text is", "texts are") +
      " like nan or #N/A, which other programs write for a missing value or an error; the first is that of " +
      first);
}

void report_contrary(const std::string& first, Log& log) {
  if (!first.empty())
    log.warn(first +
             ": the input_ids are not those of the text in this vocabulary; they are used, not the text");
}

void report_unframed(int64_t records, Log& log) {
  if (records == 0) return;
  log.warn(counted(records, "record has", "records have") +
           " input_ids that do not begin with [CLS] and end with [SEP] of this vocabulary");
}

void report_unknown(int64_t records, const text::Tokenizer& tokenizer, Log& log) {
  if (records == 0) return;
  log.warn(counted(records, "text is", "texts are") + " mostly " +
           std::string(tokenizer.subword(tokenizer.unk())) +
           ": the model's vocabulary lacks their words, so the result says little");
}

void ForeignTexts::add(std::span<const int32_t> ids, Origin origin) const {
  if (origin == Origin::ids && lacks_frame(tokenizer_, ids))
    unframed_.fetch_add(1, std::memory_order_relaxed);
  if (is_mostly_unknown(tokenizer_, ids)) unknown_.fetch_add(1, std::memory_order_relaxed);
}

void ForeignTexts::add(const io::Fields& fields, const io::Record& record, std::string_view text_field,
                       std::string_view pair_field, Origin origin) const {
  if (has_missing_text(fields, text_field)) note(record, missing_);
  if (origin == Origin::ids && contradicts_text(tokenizer_, fields, record, text_field, pair_field))
    note(record, contrary_);
}

void ForeignTexts::note(const io::Record& record, Noted& noted) const {
  const std::lock_guard lock(mutex_);
  if (noted.count++ > 0 && noted.place < record.place()) return;
  noted.place = record.place();
  noted.where = record.where();
}

void ForeignTexts::report(Log& log) const {
  report_missing(missing_.count, missing_.where, log);
  report_contrary(contrary_.where, log);
  report_unframed(unframed_, log);
  report_unknown(unknown_, tokenizer_, log);
}

}  // namespace bert::features
