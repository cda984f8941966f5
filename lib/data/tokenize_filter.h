// What bert-tokenize does to records: text to ids, ids to text, documents to sentences, or a summary of a
// whole corpus.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "data/features.h"
#include "io/filter.h"
#include "io/record_writer.h"
#include "text/tokenizer.h"

namespace bert::data {

struct TokenizeOptions {
  enum class Result { records, decoded, stats, sentences };
  enum class Format { jsonl, ids, tokens };

  FeatureOptions features;
  Result result = Result::records;
  Format format = Format::jsonl;  // ids, tokens: a line of them with spaces between, and no fields
  bool tokens = false;            // add the field
  std::string locale = "root";    // of the boundaries of sentences
  std::vector<std::string> drop;
};

// The filter for options.result. tokenizer.json's truncation holds where features.max_length is not set.
// `tokenizer` and `log` outlive the filter.
std::unique_ptr<io::Filter> make_tokenize_filter(const text::Tokenizer& tokenizer, TokenizeOptions options,
                                                 Log& log);

// Adds input_ids, and token_type_ids for pairs; tokens, offsets and word_ids if wanted; window with
// Overflow::split; truncated to a record that was cut. Says at the end how many were.
// A record that has input_ids loses tokens, offsets and word_ids that are not written anew.
class TokenizeFilter : public io::Filter {
 public:
  TokenizeFilter(const text::Tokenizer& tokenizer, TokenizeOptions options, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, std::string& out) const override;
  void report_truncated(int64_t records) const override;

 private:
  struct Prepared;
  void add_fields(const Features& features, const Prepared& prepared, io::Added& added) const;
  void write(const io::Record& record, const Features& features, io::Added& added, std::string& out) const;

  const text::Tokenizer& tokenizer_;
  const TokenizeOptions options_;
  const Featurizer featurizer_;
  const io::RecordWriter writer_;
  const io::RecordWriter
      anew_writer_;  // of records whose input_ids are replaced: without what described these
  Log& log_;
  const std::string limit_from_;  // who set the limit, for the message at the end
};

}  // namespace bert::data
