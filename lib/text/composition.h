// The parts of a tokenizer.json other than WordPiece's: what a text passes through between two added tokens.
// Each part is data; an Error names a part that is not supported when the file is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/charsmap.h"

namespace bert::text {

// The patterns that Replace has in released tokenizers.
enum class Pattern {
  literal,
  spaces,                 // " +"
  repeated_spaces,        // " {2,}"
  white_space,            // \s+
  breaks,                 // [\n\r\t]
  repeated_white_breaks,  // \s{2,}|[\n\r\t]
};

struct NormalizerStep {
  enum class Kind {
    nfc,
    nfd,
    nfkc,
    nfkd,
    nmt,
    precompiled,
    replace,
    lowercase,
    strip_accents,
    strip,
    prepend
  };
  Kind kind = Kind::nfc;
  Pattern pattern = Pattern::literal;  // replace
  std::string from, to;                // replace a literal; prepend `to`
  bool left = false, right = false;    // strip
  std::shared_ptr<const Charsmap> charsmap = {};
};

std::string_view name_of(NormalizerStep::Kind kind);  // in tokenizer.json: "NFC"

// Spaces become U+2581, and words begin with it.
struct Metaspace {
  enum class Prepend { always, first, never };
  Prepend prepend = Prepend::always;
  bool split = true;  // false: the text is one word
};

struct ByteLevel {
  bool add_prefix_space = true;
  bool split = true;  // use_regex: GPT-2's words; false: the text is one word
};

struct UnigramData {
  std::vector<double> scores;  // by id
  int32_t unk = 0;
  bool byte_fallback = false;
};

struct BpeData {
  std::vector<std::pair<std::string, std::string>> merges;  // the first one has the lowest rank
  bool bytes = true;      // byte-level; false: characters, of which some may be unknown
  int32_t unk = 0;        // of characters
  bool fuse_unk = false;  // adjacent unknown characters are one token
};

enum class DecoderKind { join, metaspace, metaspace_kept, byte_level };  // kept: with the first space

struct Composition {
  std::vector<NormalizerStep> normalizer;
  bool white_space_split = false;  // before Metaspace
  std::optional<Metaspace> metaspace;
  std::optional<ByteLevel> byte_level;
  std::optional<UnigramData> unigram;  // or bpe
  std::optional<BpeData> bpe;
  DecoderKind decoder = DecoderKind::join;
};

// Of all that decides how a text is split, so without the decoder.
uint64_t checksum_of(const Composition& composition);

constexpr std::string_view kMetaspace = "▁";  // U+2581

}  // namespace bert::text
