// bert-vocab: counts the words of all records, then learns a vocabulary. All output is written at the end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "io/filter.h"
#include "io/record.h"
#include "text/character_table.h"
#include "text/composition.h"
#include "text/tokenizer.h"
#include "text/vocabulary_learner.h"
#include "text/word_counts.h"

namespace bert::corpus {

struct VocabularyOptions {
  enum class Records { texts, counts };  // counts: lines of word, TAB, count, as from write_counts

  text::LearnerOptions learner;     // size 0: only count
  text::TokenizerConfig tokenizer;  // with the kind of the vocabulary
  Records records = Records::texts;
  std::string text_field{io::kTextField}, pair_field{io::kPairField};
  size_t max_words = 4'000'000;
  std::string write_counts;  // FILE, "-" for stdout; "": none
  std::string write_config;  // FILE for tokenizer_config.json; "": none
};

// Counts are added in input order, so that the words dropped by --max-words do not depend on threads. The
// expensive part, splitting text into words, runs in all threads.
class VocabFilter : public io::Filter {
 public:
  // `options` must outlive this object; options used only by end() may still change.
  VocabFilter(const VocabularyOptions& options, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override;
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record&, io::Output&) const override {}
  void end(io::Output& out) override;  // writes vocab.txt or, for other kinds than WordPiece, tokenizer.json

 private:
  struct Prepared;
  struct Learned {
    std::string file;
    size_t tokens = 0;
  };
  void add_words(std::string_view text, Prepared& prepared) const;
  void read_count(const io::Fields& fields, Prepared& prepared) const;
  void read_array(std::string_view field, const json::Value& array, Prepared& prepared) const;
  void read_texts(const io::Fields& fields, Prepared& prepared) const;
  void warn_of_pruning() const;
  void warn_of_other_kind(std::span<const text::WordCount> words) const;
  Learned learn(std::span<const text::WordCount> words) const;

  const VocabularyOptions& options_;
  Log& log_;
  const text::CharacterTable characters_;               // of WordPiece
  const std::optional<text::Composition> composition_;  // of the other kinds
  text::WordCounts counts_;
};

}  // namespace bert::corpus
