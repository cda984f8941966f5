// A record as BERT reads it: [CLS] A [SEP], or [CLS] A [SEP] B [SEP] for a pair (Devlin et al. 2018, section
// 3).
//
// The record gives its text, a pair of texts, an array of words, or ids that were made before. What is longer
// than max_length is cut, refused or turned into windows, as the options say; overflow.h has the arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/overflow.h"
#include "io/fields.h"
#include "text/tokenizer.h"

namespace bert::data {

constexpr int32_t kNoWord = -1;  // the word of a special token

struct Features {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;       // 0 up to and with the first [SEP], then 1; as many as ids
  std::vector<text::Span> offsets;  // if wanted: in A's own text and in B's own; [0,0] for specials
  std::vector<int32_t> words;       // if wanted: counted in A and in B from 0; kNoWord for specials
  text::Span first;                 // where A lies in ids, without specials
  text::Span second;                // where B lies; empty when there is none
  bool pair = false;
  bool truncated = false;    // tokens were cut off
  int32_t window = 0;        // number of this window of its record, from 0
  int64_t window_begin = 0;  // where it begins among the tokens of the part that is cut into windows
  int64_t characters = 0;    // if wanted: code points of A and B, before any cut
  int32_t prompt = 0;        // tokens at the beginning that are [CLS] and the prompt; 0 without a prompt
  // Of a sequence that was cut, or of a window: where each token is in the whole sequence, ascending. Empty:
  // this is the whole.
  std::vector<uint32_t> places;
};

enum class Overflow { truncate, split, error };
enum class TakeIds { never, where_present };  // the field input_ids goes before the text

struct FeatureOptions {
  std::string text_field = "text";  // a string, or an array of words; without it the field "words"
  std::string pair_field{io::kPairField};
  TakeIds take_ids = TakeIds::never;
  std::optional<int64_t> max_length = {};  // tokens, specials included; nullopt: no limit
  Overflow overflow = Overflow::truncate;
  int64_t overlap = 64;  // tokens that a window shares with the one before it
  CutRule cut = {};
  bool specials = true;  // [CLS] and [SEP]
  text::Wanted wanted = {};
  bool count_characters = false;
  std::string prompt = {};  // put before A; offsets count it
};

// `options` with the truncation block of tokenizer.json where no max_length is set, and the tie rule of its
// Compat.
FeatureOptions with_settings_of(const text::Tokenizer& tokenizer, FeatureOptions options);

// Why no text could fit: max_length is too small for the specials, or for them and the overlap. nullopt when
// all is well.
std::optional<std::string> impossible_length(const FeatureOptions& options);

// Tokens that windows share where nobody says how many: 64, at most half a window.
int64_t usual_overlap(int64_t max_length);

// Const and without locks: any thread may use it. Errors are the record's: the caller puts the place in
// front.
class Featurizer {
 public:
  // Error when the options have an impossible_length. `tokenizer` outlives this object.
  Featurizer(const text::Tokenizer& tokenizer, FeatureOptions options);

  const text::Tokenizer& tokenizer() const { return tokenizer_; }
  const FeatureOptions& options() const { return options_; }

  // Whether the record's input_ids are read and not its text.
  bool takes_ids(const io::Fields& fields) const;

  // One sequence of the record. Too long: cut, or with Overflow::error an Error; with Overflow::split cut as
  // well.
  Features features(const io::Fields& fields) const;

  // All windows of the record, at least one. Without Overflow::split the one that features() gives.
  // A single text is cut into windows of max_length. Of a pair A stays whole in each window and B is cut, as
  // Hugging Face's only_second does with a stride (only_first: the other way round).
  std::vector<Features> windows(const io::Fields& fields) const;

  // The same of texts that are no record's.
  Features features(std::string_view text, std::optional<std::string_view> pair = {}) const;
  std::vector<Features> windows(std::string_view text, std::optional<std::string_view> pair = {}) const;
  // The same of a sequence that is there before any limit.
  std::vector<Features> windows(Features whole) const { return split(std::move(whole)); }
  // The same of the words in a field that holds an array.
  std::vector<Features> windows(std::string_view field, const io::Json& words) const;

 private:
  Features whole(const io::Fields& fields) const;
  Features whole(std::string_view text, std::optional<std::string_view> pair) const;
  bool fits(const Features& features) const;
  Features limited(Features whole) const;
  std::vector<Features> split(Features whole) const;

  const text::Tokenizer& tokenizer_;
  FeatureOptions options_;
  int32_t prompt_tokens_ = 0;  // with [CLS]
};

}  // namespace bert::data
