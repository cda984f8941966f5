// bert-tokenize: text to ids, ids to text, documents to sentences, or statistics of a corpus.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "features/features.h"
#include "io/filter.h"
#include "text/tokenizer.h"

namespace bert::corpus {

struct TokenizeOptions {
  enum class Result { records, decoded, stats, sentences };

  features::FeatureOptions features;
  Result result = Result::records;
  io::Format format = io::Format::jsonl;  // ids, tokens: one line for each record, separated by spaces
  bool tokens = false;                    // add the field tokens
  std::string locale = "root";            // for sentence boundaries
  io::DropList drop;
};

// Makes the filter for options.result. If features.max_length is no limit, the truncation settings of
// tokenizer.json apply. `tokenizer` and `log` must outlive the filter.
std::unique_ptr<io::Filter> make_tokenize_filter(const text::Tokenizer& tokenizer, TokenizeOptions options,
                                                 Log& log);

// Adds input_ids, and token_type_ids for pairs; tokens, offsets and word_ids if requested; window with
// Overflow::split; truncated if the record was truncated. Reports the number of truncated records at the end.
// If a record already had input_ids, the fields that described them are removed unless they are rewritten.
class TokenizeFilter : public io::Filter {
 public:
  TokenizeFilter(const text::Tokenizer& tokenizer, TokenizeOptions options, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, io::Output& out) const override;
  void report_truncated(int64_t records) const override;
  void report(Log& log) const override { empty_seconds_.report(log); }

 private:
  struct Prepared;
  void add_fields(const features::Features& features, const Prepared& prepared, io::Added& added) const;
  void write(const io::Record& record, const features::Features& features, io::Added& added,
             io::Output& out) const;

  const text::Tokenizer& tokenizer_;
  const TokenizeOptions options_;
  const features::Featurizer featurizer_;
  const std::vector<std::string_view>
      stale_;  // fields that describe a record's input_ids, which are replaced
  Log& log_;
  features::EmptySecondTexts empty_seconds_;
  const std::string limit_from_;  // origin of the limit, for the final message
};

// Replaces input_ids by the text field. Skips special tokens, like decode() of Hugging Face's fast
// tokenizers. In text and TSV input, ids are numbers separated by spaces, as written by bert-tokenize
// --format ids.
class DecodeFilter : public io::Filter {
 public:
  DecodeFilter(const text::Tokenizer& tokenizer, std::string text_field, io::DropList drop);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, io::Output& out) const override;

 private:
  struct Prepared;
  const text::Tokenizer& tokenizer_;
  const std::string text_field_;
  const io::DropList drop_;
};

}  // namespace bert::corpus
