// Input sequences of BERT: [CLS] A [SEP], or [CLS] A [SEP] B [SEP] for a pair (Devlin et al. 2018, section
// 3).
//
// A record gives a text, a pair of texts, an array of words, or ids. Sequences longer than max_length are
// truncated, rejected or split into windows, see overflow.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "features/overflow.h"
#include "io/record.h"
#include "text/tokenizer.h"

namespace bert::features {

constexpr int32_t kNoWord = -1;  // word index of special tokens

struct Features {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;       // 0 up to and including the first [SEP], then 1, if there are token_types
  std::vector<text::Span> offsets;  // optional: in A's own text and in B's own; [0,0] for special tokens
  std::vector<int32_t>
      words;  // optional: from 0 in A, in B and in the words before and after A; kNoWord for special tokens
  text::Span first;   // A in ids, without special tokens
  text::Span second;  // B in ids; empty if there is none
  bool pair = false;
  bool truncated = false;    // tokens were removed
  int32_t window = 0;        // index of this window in its record, from 0
  int64_t window_begin = 0;  // start of the window in the part that is split
  int64_t characters = 0;    // optional: code points of A and B before truncation
  int32_t prompt = 0;        // length of [CLS] and the prompt; 0 without a prompt
  // How many tokens, the first ones, all tokens attend to; nullopt: all.
  std::optional<int64_t> seen = {};
  // For a truncated sequence or a window: the position of each token in the whole sequence, ascending. Empty
  // for a whole sequence.
  std::vector<uint32_t> places;
};

enum class Overflow { truncate, split, error };
enum class TakeIds { never, where_present };  // where_present: input_ids takes precedence over the text

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();  // of the length of a sequence

struct FeatureOptions {
  std::string text_field{io::kTextField};  // a string or an array of words; if absent, the field "words"
  std::string pair_field{io::kPairField};
  TakeIds take_ids = TakeIds::never;
  int64_t max_length = kNoLimit;  // in tokens, special tokens included
  Overflow overflow = Overflow::truncate;
  int64_t overlap = 64;  // tokens shared by adjacent windows
  CutRule cut = {};
  bool specials = true;   // add [CLS] and [SEP]
  bool document = false;  // read words with io::Fields::context()
  text::Wanted wanted = {};
  bool count_characters = false;
  std::string prompt = {};  // inserted before A; offsets count it
};

// Completes `options` with the truncation settings of tokenizer.json, if there is no limit, and with the tie
// rule of the tokenizer's Compat.
FeatureOptions with_settings_of(const text::Tokenizer& tokenizer, FeatureOptions options);

// Whether there are no tokens but special ones and the prompt.
bool is_empty(const Features& features);

// Counts records that are pairs with an empty second text: [CLS] A [SEP] [SEP]. Any thread may add one.
class EmptySecondTexts {
 public:
  void add(const Features& features) const;
  void report(Log& log) const;  // at the end

 private:
  mutable std::atomic<int64_t> count_ = 0;
};

// Explains why max_length is too small for the special tokens, or for them and the overlap. nullopt if it is
// not.
std::optional<std::string> impossible_length(const FeatureOptions& options);

// Default overlap of windows in tokens: 64, at most half a window.
int64_t usual_overlap(int64_t max_length);

// Thread-safe. Errors refer to the record; the caller prepends its location.
class Featurizer {
 public:
  // Throws Error if the options have an impossible_length. `tokenizer` must outlive this object.
  Featurizer(const text::Tokenizer& tokenizer, FeatureOptions options);

  const text::Tokenizer& tokenizer() const { return tokenizer_; }
  const FeatureOptions& options() const { return options_; }

  // Whether the record's input_ids are used instead of its text.
  bool takes_ids(const io::Fields& fields) const;

  // Returns the record as one sequence. If it is too long, it is truncated, also with Overflow::split; with
  // Overflow::error it throws Error.
  Features features(const io::Fields& fields) const;

  // Returns all windows of the record, at least one; without Overflow::split, the result of features(). A
  // single text is split into windows of max_length. For a pair, each window has all of A and a part of B, as
  // with Hugging Face's only_second and a stride (only_first: the other way round).
  std::vector<Features> windows(const io::Fields& fields) const;

  // The same for texts that do not come from a record.
  Features features(std::string_view text, std::optional<std::string_view> pair = {}) const;
  std::vector<Features> windows(std::string_view text, std::optional<std::string_view> pair = {}) const;
  // The same for a sequence built without a limit.
  std::vector<Features> windows(Features whole) const { return split(std::move(whole)); }
  // The same for an array of words in `field`.
  std::vector<Features> windows(std::string_view field, const json::Value& words) const;
  // The same with the words around it in its document, as many as fit: equally many tokens on both sides, or
  // more where the other side has fewer; only whole words. They are not in Features::first.
  std::vector<Features> windows(std::string_view field, const json::Value& words,
                                const io::Context& context) const;

 private:
  Features whole(const io::Fields& fields) const;
  Features whole(std::string_view field, const json::Value& words) const;
  Features whole(std::span<const io::ContextWord> words) const;
  Features whole(std::string_view text, std::optional<std::string_view> pair) const;
  bool fits(const Features& features) const;
  Features limited(Features whole) const;
  std::vector<Features> split(Features whole) const;

  const text::Tokenizer& tokenizer_;
  FeatureOptions options_;
  int32_t prompt_tokens_ = 0;  // [CLS] included
};

// Joins one array of all windows of a single text: one element for each token of the text.
template <class T>
std::vector<T> joined(std::span<const Features> windows, std::vector<T> Features::*array) {
  std::vector<T> all;
  for (const Features& window : windows) {
    const size_t begin = window.window_begin;
    const size_t count = window.first.end - window.first.begin;
    all.resize(std::max(all.size(), begin + count));
    const auto values = std::span(window.*array).subspan(window.first.begin);
    std::copy_n(values.begin(), count, all.begin() + static_cast<ptrdiff_t>(begin));
  }
  return all;
}

struct TokenPlace {
  size_t window = 0;
  uint32_t position = 0;  // in the window's ids
};

// Window and position to read each token of a single text: the window that gives it most context.
std::vector<TokenPlace> token_places(std::span<const Features> windows);

// The same for each token of any sequence, pairs and special tokens included. Tokens that every window has
// ([CLS], [SEP], the unsplit text) are read in the first. A single window may be truncated.
std::vector<TokenPlace> sequence_places(std::span<const Features> windows);

}  // namespace bert::features
