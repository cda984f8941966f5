// Records that are probably meant for another vocabulary.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/log.h"
#include "text/tokenizer.h"

namespace bert::features {

// Whether given ids are not [CLS] ... [SEP], as those of the tokenizer are. Those of another vocabulary are
// not.
bool lacks_frame(const text::Tokenizer& tokenizer, std::span<const int32_t> ids);
// Whether [UNK] makes at least half of the tokens besides other special ones.
bool is_mostly_unknown(const text::Tokenizer& tokenizer, std::span<const int32_t> ids);

// Warnings, if there are such records.
void report_unframed(int64_t records, Log& log);
void report_unknown(int64_t records, const text::Tokenizer& tokenizer, Log& log);

// Counts them. Any thread may add one.
class ForeignTexts {
 public:
  explicit ForeignTexts(const text::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  enum class Origin { text, ids };
  void add(std::span<const int32_t> ids, Origin origin) const;
  void report(Log& log) const;  // at the end

 private:
  const text::Tokenizer& tokenizer_;
  mutable std::atomic<int64_t> unframed_ = 0, unknown_ = 0;
};

}  // namespace bert::features
