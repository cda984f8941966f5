// Records of tag as training examples: words, and the tag of each (Devlin et al. 2018, section 5.3).
//
// The first token of a word answers for it, in the window in which it has most context, as task/tag.cpp
// reads it: so a word is learned once, however many windows show it. One without tokens is not learned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/example.h"
#include "data/features.h"
#include "data/sentence_example.h"

namespace bert::data {

inline constexpr std::string_view kOutside = "O";  // the tag of what is in no entity

// The field that holds a record's words and its array: "words", or `asked` where that is another than the
// usual field of texts, or the array in that one. nullopt: there is none.
std::optional<std::pair<std::string, io::Json>> find_words(const io::Fields& fields,
                                                           const std::string& asked);

// The windows of a record's input_ids, which go before its words; each token is a word. nullopt: there are
// none, or they are not asked for. Error when they are a pair's.
std::optional<std::vector<Features>> find_token_windows(const io::Fields& fields,
                                                        const Featurizer& featurizer);

// IOB1 as BIO: an I- that follows no tag of its type becomes B-. Other tags stay as they are.
//
//   I-PER I-PER B-PER O I-LOC   ->   B-PER I-PER B-PER O B-LOC
std::vector<std::string> bio_of(std::span<const std::string_view> tags);

// The strings of a record's field, as they stand there.
std::vector<std::string_view> tags_of(const io::Fields& fields, const std::string& field);

// "O" first, as in models that name entities, then as in_order.
std::vector<std::string> tags_in_order(std::vector<std::string> names);

// One window of a record.
struct TagExample : Example {
  std::vector<int32_t> places;  // in ids, ascending: of the tokens that answer for a word
  std::vector<int32_t> labels;  // of these words

  // Of a dev set: which word of the record each place answers for, and with the record's last window the tags
  // of all of its words, as they stand there.
  std::vector<int32_t> words;
  std::optional<std::vector<std::string>> tags;
};

class TagReader : public ExampleReader {
 public:
  enum class For { learning, evaluation };  // learning: windows without places are left out

  // `featurizer` tells words apart and makes windows of long texts. It and `labels` outlive the reader.
  TagReader(const Featurizer& featurizer, std::string label_field, const Labels& labels, For use);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const Featurizer& featurizer_;
  const std::string label_field_;
  const Labels& labels_;
  const For use_;
};

}  // namespace bert::data
