#include "features/foreign_texts.h"

#include <string>

#include "base/error.h"
#include "features/given_ids.h"

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

void ForeignTexts::report(Log& log) const {
  report_unframed(unframed_, log);
  report_unknown(unknown_, tokenizer_, log);
}

}  // namespace bert::features
