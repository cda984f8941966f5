// SentencePiece's compiled normalization rules ("precompiled_charsmap"): a double array of byte sequences
// (darts-clone) and the strings that replace them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "text/aligned_text.h"

namespace bert::text {

class Charsmap {
 public:
  // `bytes`: size of the double array (u32), the array, and the replacements, each ending with NUL. Throws
  // Error if they do not fit together.
  explicit Charsmap(std::string_view bytes);

  // The replacement of the shortest prefix of `text` that has one, as in Hugging Face's library, which looks
  // at a whole grapheme cluster first.
  std::optional<std::string_view> find(std::string_view text) const;

  void normalize(AlignedText& text) const;

  void add_to(Checksum& checksum) const;

 private:
  std::vector<uint32_t> units_;
  std::string replacements_;
};

// The bytes of a base64 text. Throws Error for other characters.
std::string decode_base64(std::string_view text);

// End of the extended grapheme cluster that starts at `at` (Unicode Standard Annex 29), without rule GB9c.
size_t grapheme_end(std::string_view text, size_t at);

}  // namespace bert::text
