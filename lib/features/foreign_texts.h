// Records that are probably meant for another vocabulary, or that have no real text.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/log.h"
#include "io/record.h"
#include "text/tokenizer.h"

namespace bert::features {

// Whether given ids are not [CLS] ... [SEP], as those of the tokenizer are. Those of another vocabulary are
// not.
bool lacks_frame(const text::Tokenizer& tokenizer, std::span<const int32_t> ids);
// Whether [UNK] makes at least half of the tokens besides other special ones.
bool is_mostly_unknown(const text::Tokenizer& tokenizer, std::span<const int32_t> ids);

// Whether its `input_ids` and its text have few tokens in common, because those are of another vocabulary.
// After the first records, looks at a few only, since tokenizing takes time.
bool contradicts_text(const text::Tokenizer& tokenizer, const io::Fields& fields, const io::Record& record,
                      std::string_view text_field, std::string_view pair_field);
// Whether the text is one that other programs write for nothing, see is_missing_value.
bool has_missing_text(const io::Fields& fields, std::string_view text_field);

// Warnings, if there are such records. `first`: where the first one is.
void report_missing(int64_t records, const std::string& first, Log& log);
void report_contrary(const std::string& first, Log& log);
void report_unframed(int64_t records, Log& log);
void report_unknown(int64_t records, const text::Tokenizer& tokenizer, Log& log);

// Counts them. Any thread may add one.
class ForeignTexts {
 public:
  explicit ForeignTexts(const text::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  enum class Origin { text, ids };
  void add(std::span<const int32_t> ids, Origin origin) const;
  void add(const io::Fields& fields, const io::Record& record, std::string_view text_field,
           std::string_view pair_field, Origin origin) const;
  void report(Log& log) const;  // at the end

 private:
  // Records and the first of them.
  struct Noted {
    int64_t count = 0, place = 0;
    std::string where;
  };
  void note(const io::Record& record, Noted& noted) const;

  const text::Tokenizer& tokenizer_;
  mutable std::atomic<int64_t> unframed_ = 0, unknown_ = 0;
  mutable std::mutex mutex_;
  mutable Noted missing_, contrary_;
};

}  // namespace bert::features
