// Tokenizers. BERT's (Devlin et al. 2018, section 3 "Input/Output Representations") cleans the text, splits
// it into words and punctuation, and splits each word greedily into the longest subword tokens of the
// vocabulary (WordPiece). The prefix "##" marks a token that continues a word. Models that grew out of BERT
// split words with Unigram (unigram.h) or byte-level BPE (bpe.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

// Which implementation to match where they differ: Hugging Face's fast tokenizer or Google's tokenization.py.
enum class Compat { hf, google };

// A literal token ("[MASK]") that is not split. The flags are those of tokenizer.json.
struct AddedToken {
  std::string content;
  int32_t id = -1;           // -1: the id of the vocabulary entry with this content, which must exist
  bool single_word = false;  // matches only if not adjacent to a letter, digit or _
  bool lstrip = false;       // also consumes the white space to its left
  bool rstrip = false;
  bool normalized = false;  // searched for in the normalized text
  bool special = true;
};

// The truncation block of tokenizer.json.
struct Truncation {
  enum class Strategy { longest_first, only_first, only_second };
  int64_t max_length = 512;  // special tokens included
  Strategy strategy = Strategy::longest_first;
  int64_t stride = 0;     // overlap of windows in tokens; used only if windows are kept
  bool of_model = false;  // the block's own length and strategy were replaced, see ModelSettings
};

// Special tokens of a pair of texts: [CLS] A [SEP] B [SEP] with types 0 and 1, or <s> A </s> </s> B </s> with
// type 0 only. A single text is [CLS] A [SEP].
struct Layout {
  int32_t separators = 1;   // between A and B
  int32_t second_type = 1;  // of B and the [SEP] after it
  bool operator==(const Layout&) const = default;
};

// Offsets do not have the spaces that tokens begin and end with.
struct TrimOffsets {
  bool add_prefix_space = true;  // but keep the one at the beginning of the text
};

enum class ModelKind { wordpiece, unigram, bpe };

struct Composition;  // what Unigram and BPE need, see composition.h

struct TokenizerConfig {
  ModelKind model = ModelKind::wordpiece;  // the settings of words, case and accents are those of WordPiece
  uint64_t composition = 0;  // checksum of the settings and the scores or merges of Unigram and BPE
  Layout layout;
  std::optional<TrimOffsets> trim_offsets;
  bool clean_text = true;
  bool lowercase = true;
  bool strip_accents = true;
  bool chinese_chars = true;     // each CJK ideograph is a word
  bool basic_tokenize = true;    // false (do_basic_tokenize): split at white space only
  int64_t max_word_chars = 100;  // in code points; a longer word becomes [UNK]. Google: 200
  Compat compat = Compat::hf;
  std::string prefix = "##";
  bool decode_cleanup = true;  // decode() removes the space before ".", "'s" and the like
  // Whether [CLS], [SEP], [PAD] and [MASK] exist. Static models have no use for them.
  bool specials = true;
  std::string unk = "[UNK]", cls = "[CLS]", sep = "[SEP]", pad = "[PAD]", mask = "[MASK]";
  std::vector<AddedToken> added;  // ignored with Compat::google
  std::optional<int64_t> given_cls,
      given_sep;  // ids in tokenizer.json's post_processor, if it has them
  std::optional<Truncation> truncation;
  bool truncate_left = false;  // long texts lose their beginning, whatever the limit and its origin
  bool token_types = true;     // false: the second text of a pair has type 0, too
  std::optional<int64_t> model_max_length;  // nullopt: no limit in the files (1e30 means no limit)
};

// What the model beside a tokenizer says of texts.
struct ModelSettings {
  bool lowercase = false;             // lowercase texts, whatever the tokenizer's own files say
  std::optional<int64_t> max_length;  // if tokenizer.json has a truncation block, truncate to this length
  bool specials = true;               // see TokenizerConfig
  // Texts to find as one token, or else their first words, if the vocabulary has these.
  std::vector<std::string> marks = {};
};

struct Span {
  uint32_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

enum class Offsets { none, bytes, chars };  // chars are Unicode code points

// Tokens of one text, without special tokens. offsets and words stay empty unless requested.
struct Tokens {
  std::vector<int32_t> ids;
  std::vector<Span> offsets;   // [begin, end) in the original text
  std::vector<int32_t> words;  // index of the word (before WordPiece) that contains the token
  void clear();
};

struct Wanted {
  Offsets offsets = Offsets::none;
  bool words = false;
};

class Tokenizer {
 public:
  // `subwords`: the vocabulary by id, "" for unused ids; if a token is repeated, the last one wins. An added
  // token has the id of the equal vocabulary entry, otherwise its own. `name` is the vocabulary's name in
  // messages. Error if a special token is missing from the vocabulary.
  Tokenizer(std::vector<std::string> subwords, TokenizerConfig config, const std::string& name);
  // Unigram or BPE.
  Tokenizer(std::vector<std::string> subwords, TokenizerConfig config, Composition composition,
            const std::string& name);
  Tokenizer(Tokenizer&&) noexcept;
  ~Tokenizer();

  const TokenizerConfig& config() const;

  // Appends the tokens of `text`, which must be valid UTF-8. Any thread may call it.
  void encode(std::string_view text, Wanted wanted, Tokens& tokens) const;

  int32_t size() const;                        // ids are [0, size)
  std::string_view subword(int32_t id) const;  // Error if there is no such id
  std::optional<int32_t> id(std::string_view subword) const;
  int32_t unk() const;
  // Error unless TokenizerConfig::specials.
  int32_t cls() const;
  int32_t sep() const;
  int32_t pad() const;
  int32_t mask() const;
  bool is_special(int32_t id) const;  // [PAD] [UNK] [CLS] [SEP] [MASK] and special added tokens
  bool is_added(int32_t id) const;
  // "##ing", or a token without the "▁" or "Ġ" that words begin with.
  bool continues_word(int32_t id) const;
  // Whether `id`, which continues a word, can continue the one of the token before it. In byte-level BPE, ","
  // and "'s" are words of their own.
  bool joins(int32_t before, int32_t id) const;

  // Converts ids to text like Hugging Face's decoders, WordPiece's cleanup included.
  enum class Specials { keep, skip };
  // Error if an id does not exist.
  std::string decode(std::span<const int32_t> ids, Specials specials) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// Case setting from the command line; overrides the files.
enum class Case { from_files, cased, uncased };

// Loads the tokenizer of a model directory: tokenizer.json, else vocab.txt, else a SentencePiece model, else
// vocab.json and merges.txt. As in transformers, the settings of case and accents are those of
// tokenizer_config.json, else of tokenizer.json. The Error names what is missing or not supported.
Tokenizer load_tokenizer(const std::string& directory, Compat compat = Compat::hf,
                         Case override_case = Case::from_files, const ModelSettings& model = {});

// model_max_length of tokenizer_config.json; nullopt if there is none or it means "no limit".
std::optional<int64_t> model_max_length(const std::string& directory);

// The same for the path of a vocab.txt, tokenizer.json, vocab.json or SentencePiece model, with the settings
// in the files beside it, or of a directory.
Tokenizer load_vocab(const std::string& file, Compat compat = Compat::hf,
                     Case override_case = Case::from_files);

// What the path of a vocabulary is, for files of any name.
struct VocabularyFile {
  std::string_view name;    // the usual name of such a file
  std::string family = {};  // of a SentencePiece model: see family_of()
  std::string merges = {};  // of a vocab.json: the path of its merges.txt
};
VocabularyFile vocabulary_file(const std::string& path);

}  // namespace bert::text
