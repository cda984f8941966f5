// BERT's tokenizer (Devlin et al. 2018, section 3 "Input/Output Representations"): text is cleaned, split
// into words and punctuation, and each word into the longest pieces of the vocabulary, "##" marking a
// continuation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

// Whose results to equal where implementations differ: Hugging Face's fast tokenizer, or Google's
// tokenization.py.
enum class Compat { hf, google };

// A literal token in the text that is kept whole ("[MASK]"); the flags are those of tokenizer.json.
struct AddedToken {
  std::string content;
  int32_t id = -1;           // -1: that of the equal piece; there must be one
  bool single_word = false;  // only when no letter, digit or _ touches it
  bool lstrip = false;       // takes the white space to its left with it
  bool rstrip = false;
  bool normalized = false;  // is looked for in the normalised text
  bool special = true;
};

// The truncation block of tokenizer.json.
struct Truncation {
  enum class Strategy { longest_first, only_first, only_second };
  int64_t max_length = 512;  // specials included
  Strategy strategy = Strategy::longest_first;
  int64_t stride = 0;  // tokens that windows overlap by; matters only when windows are kept
  bool from_left = false;
};

struct TokenizerConfig {
  bool clean_text = true;
  bool lowercase = true;
  bool strip_accents = true;
  bool chinese_chars = true;     // each CJK ideograph is a word
  bool basic_tokenize = true;    // false (do_basic_tokenize): split at white space only
  int64_t max_word_chars = 100;  // code points; a longer word is [UNK]. Google: 200
  Compat compat = Compat::hf;
  std::string prefix = "##";
  bool decode_cleanup = true;  // decode() leaves out the space before ".", "'s" and the like
  std::string unk = "[UNK]", cls = "[CLS]", sep = "[SEP]", pad = "[PAD]", mask = "[MASK]";
  std::vector<AddedToken> added;  // not looked for by Compat::google
  std::optional<int64_t> given_cls,
      given_sep;  // the ids that tokenizer.json gives them besides the vocabulary
  std::optional<Truncation> truncation;
  bool padding = false;  // tokenizer.json asks for sequences of one length; nothing here does that
  std::optional<int64_t> model_max_length;  // nullopt: the files set none (1e30 counts as none)
};

struct Span {
  uint32_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

enum class Offsets { none, bytes, chars };  // chars are Unicode code points

// Tokens of one text, specials not among them. offsets and words stay empty unless asked for.
struct Tokens {
  std::vector<int32_t> ids;
  std::vector<Span> offsets;   // [begin, end) in the original text
  std::vector<int32_t> words;  // index of the word (before WordPiece) that a token is part of
  void clear();
};

struct Wanted {
  Offsets offsets = Offsets::none;
  bool words = false;
};

class Tokenizer {
 public:
  // `pieces`: the vocabulary by id, "" where there is none; of equal pieces the last is meant. Added tokens
  // have the id of the equal piece, else their own. `name` is what messages call the vocabulary. Error when a
  // special token is not in it.
  Tokenizer(std::vector<std::string> pieces, TokenizerConfig config, const std::string& name);
  Tokenizer(Tokenizer&&) noexcept;
  ~Tokenizer();

  const TokenizerConfig& config() const;

  // Appends the tokens of `text`, which must be valid UTF-8. Any thread.
  void encode(std::string_view text, Wanted wanted, Tokens& tokens) const;

  int32_t size() const;                      // ids are [0, size)
  std::string_view piece(int32_t id) const;  // Error when there is no such id
  std::optional<int32_t> id(std::string_view piece) const;
  int32_t unk() const;
  int32_t cls() const;
  int32_t sep() const;
  int32_t pad() const;
  int32_t mask() const;
  bool is_special(int32_t id) const;  // [PAD] [UNK] [CLS] [SEP] [MASK] and special added tokens
  bool is_added(int32_t id) const;
  bool continues_word(int32_t id) const;  // "##ing"

  // Text of ids as Hugging Face's WordPiece decoder gives it (cleanup included); specials are left out if
  // asked.
  enum class Specials { keep, skip };
  // Error when there is no such id.
  std::string decode(std::span<const int32_t> ids, Specials specials) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// What the command line says about case; overrides the files.
enum class Case { from_files, cased, uncased };

// The tokenizer of a model directory, from tokenizer.json, tokenizer_config.json (with
// special_tokens_map.json and added_tokens.json) and vocab.txt in that precedence. Error names what is
// missing or not supported.
Tokenizer load_tokenizer(const std::string& directory, Compat compat = Compat::hf,
                         Case override_case = Case::from_files);

// The same from a vocab.txt (or tokenizer.json) by path; settings come from the files beside it.
Tokenizer load_vocab(const std::string& file, Compat compat = Compat::hf,
                     Case override_case = Case::from_files);

}  // namespace bert::text
