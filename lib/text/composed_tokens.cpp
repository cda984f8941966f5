#include "json/utf8.h"
#include "text/bpe.h"
#include "text/composed.h"
#include "text/utf8.h"

namespace bert::text {

std::string Composed::joined(std::span<const std::string_view> tokens) const {
  std::string text;
  const DecoderKind kind = composition_.decoder;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (kind == DecoderKind::byte_level) {
      append_bytes_of(tokens[i], text);
      continue;
    }
    if (kind == DecoderKind::join) text.append(i > 0 ? " " : "").append(tokens[i]);
    if (kind == DecoderKind::join) continue;
    for (std::string_view rest = tokens[i]; !rest.empty();) {
      const bool mark = rest.starts_with(kMetaspace);
      const size_t size = mark ? kMetaspace.size() : 1;
      if (!mark) text += rest[0];
      if (mark && (i > 0 || kind == DecoderKind::metaspace_kept)) text += ' ';
      rest.remove_prefix(size);
    }
  }
  return kind == DecoderKind::byte_level ? json::repair_utf8(text) : text;
}

bool Composed::joins(std::string_view before, std::string_view token) const {
  if (!composition_.byte_level || !composition_.byte_level->split) return true;
  std::string bytes, next;
  append_bytes_of(before, bytes);
  append_bytes_of(token, next);
  if (next.empty() || is_continuation_byte(next[0])) return true;
  while (!bytes.empty() && is_continuation_byte(bytes[0])) bytes.erase(0, 1);
  if (bytes.empty()) return true;  // the end of a character
  const std::string both = json::repair_utf8(bytes + next);
  return gpt2_word_end(both, 0) > json::repair_utf8(bytes).size();
}

std::string_view Composed::word_mark() const { return composition_.metaspace ? kMetaspace : "Ġ"; }

}  // namespace bert::text
