// Training examples for tag: words and the tag of each (Devlin et al. 2018, section 5.3).
//
// The first token of a word represents it, in the window where this token has most context, as in
// predict/tag.cpp. So each word is trained on once, even if several windows contain it. Words without tokens
// are skipped. With FeatureOptions::document, the words around a sentence are trained on, too: each is then
// read at several positions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/example.h"
#include "examples/sentence_example.h"
#include "features/features.h"
#include "io/conll.h"

namespace bert::examples {

inline constexpr std::string_view kTagScores = "scores";  // field with a teacher's probabilities

// "O" first, as in models for named entities, then the order of in_order.
std::vector<std::string> tags_in_order(std::vector<std::string> names);

// One window of a record.
struct TagExample : Example {
  std::vector<int32_t> places;  // first tokens of words, positions in ids, ascending
  std::vector<int32_t> labels;  // of these words
  int64_t begin = 0;        // where the record's own tokens begin in ids: words around them may be read, too
  std::vector<float> soft;  // of these words, the probabilities of a teacher for each label; or empty

  // Set for evaluation only: index in the record of the word at each place and, in the record's last window,
  // the unchanged tags of all words.
  std::vector<int32_t> words;
  std::optional<std::vector<std::string>> tags;

  void add_input(Checksum& checksum) const override;
};

class TagReader : public ExampleReader {
 public:
  enum class For { learning, evaluation };  // learning: skip windows without places

  // `featurizer` must keep word ids and split long texts. It and `labels` must outlive the reader, and so
  // must `schemes`, to which the tags are added unless it is nullptr.
  TagReader(const features::Featurizer& featurizer, std::string label_field, const Labels& labels, For use,
            SoftLabels soft = SoftLabels::none, const io::TagSchemes* schemes = nullptr);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  using WordScores = std::vector<std::vector<float>>;  // a probability for each label; empty: unknown

  std::vector<std::string_view> read_tags(const io::Fields& fields, size_t words) const;
  WordScores read_scores(const io::Fields& fields, std::span<const std::string> tags, size_t words) const;
  // Adds the words at these tokens beside the sentence. Those without a known label, or without the
  // probabilities that are asked for, are left out: if their own records are not read, neither are they here.
  // The probability of each label; empty if they are not those of the labels.
  std::vector<float> known_scores(const io::ContextWord& word) const;
  void add_neighbours(const features::Features& window, size_t begin, size_t end,
                      std::span<const io::ContextWord> words, TagExample& example) const;

  const features::Featurizer& featurizer_;
  const std::string label_field_;
  const Labels& labels_;
  const For use_;
  const SoftLabels soft_;
  const io::TagSchemes* const schemes_;
};

}  // namespace bert::examples
