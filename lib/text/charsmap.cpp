#include "text/charsmap.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

// Clusters of at least this many bytes are replaced character by character.
constexpr size_t kLongCluster = 6;

int32_t break_class(char32_t c) {
  return u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_GRAPHEME_CLUSTER_BREAK);
}

bool is_break_control(int32_t kind) { return kind == U_GCB_CONTROL || kind == U_GCB_CR || kind == U_GCB_LF; }

bool joins_hangul(int32_t before, int32_t kind) {
  switch (before) {
    case U_GCB_L:
      return kind == U_GCB_L || kind == U_GCB_V || kind == U_GCB_LV || kind == U_GCB_LVT;
    case U_GCB_LV:
    case U_GCB_V:
      return kind == U_GCB_V || kind == U_GCB_T;
    case U_GCB_LVT:
    case U_GCB_T:
      return kind == U_GCB_T;
    default:
      return false;
  }
}

// What the cluster so far says about the next character.
struct Cluster {
  int32_t last;
  bool pictograph;      // an emoji and extending characters
  bool joined = false;  // the same and a zero-width joiner
  int32_t flags = 0;    // regional indicators at its end

  bool accepts(char32_t c, int32_t kind) const {
    if (last == U_GCB_CR && kind == U_GCB_LF) return true;
    if (is_break_control(last) || is_break_control(kind)) return false;
    if (kind == U_GCB_EXTEND || kind == U_GCB_ZWJ || kind == U_GCB_SPACING_MARK) return true;
    if (last == U_GCB_PREPEND || joins_hangul(last, kind)) return true;
    if (joined && u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_EXTENDED_PICTOGRAPHIC)) return true;
    return last == U_GCB_REGIONAL_INDICATOR && kind == last && flags % 2 == 1;
  }
};

bool is_pictograph(char32_t c) {
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_EXTENDED_PICTOGRAPHIC);
}

bool is_simple(char byte) { return byte >= 0x20 && byte < 0x7F; }

// Records that `old` became `replacement`. What is removed belongs to the character before it.
void add_changes(std::string_view old, std::string_view replacement, std::vector<Change>& changes) {
  const auto old_count = static_cast<int32_t>(count_code_points(old));
  int32_t count = 0;
  for (size_t at = 0; at < replacement.size(); ++count) {
    const CodePoint code = decode(replacement.data() + at);
    changes.push_back({.character = code.value, .change = 0});
    at += code.size;
  }
  for (int32_t i = old_count; i < count; ++i) changes[changes.size() - 1 - (i - old_count)].change = 1;
  if (count < old_count && !changes.empty()) changes.back().change += count - old_count;
}

}  // namespace

size_t grapheme_end(std::string_view text, size_t at) {
  const CodePoint first = decode(text.data() + at);
  size_t end = at + first.size;
  if (end == text.size() || (is_simple(text[at]) && is_simple(text[end]))) return end;
  const int32_t kind = break_class(first.value);
  Cluster cluster{
      .last = kind, .pictograph = is_pictograph(first.value), .flags = kind == U_GCB_REGIONAL_INDICATOR};
  while (end < text.size()) {
    const CodePoint next = decode(text.data() + end);
    const int32_t next_kind = break_class(next.value);
    if (!cluster.accepts(next.value, next_kind)) break;
    cluster.joined = cluster.pictograph && next_kind == U_GCB_ZWJ;
    cluster.pictograph = is_pictograph(next.value) || (cluster.pictograph && next_kind == U_GCB_EXTEND);
    cluster.flags = next_kind == U_GCB_REGIONAL_INDICATOR ? cluster.flags + 1 : 0;
    cluster.last = next_kind;
    end += next.size;
  }
  return end;
}

Charsmap::Charsmap(std::string_view bytes) {
  uint32_t size = 0;
  if (bytes.size() < sizeof size) throw Error("is too short");
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (size > bytes.size() || size % sizeof(uint32_t) != 0 || size == 0)
    throw Error("has an array of ", size, " bytes in ", bytes.size());
  units_.resize(size / sizeof(uint32_t));
  std::memcpy(units_.data(), bytes.data(), size);
  replacements_ = bytes.substr(size);
  replacements_ += '\0';
}

void Charsmap::add_to(Checksum& checksum) const {
  checksum.add(std::as_bytes(std::span(units_)));
  checksum.add(replacements_);
}

// A unit of darts-clone has a label in bits 0 to 7, whether it has a leaf in bit 8, and an offset above; a
// leaf has its value in bits 0 to 30.
std::optional<std::string_view> Charsmap::find(std::string_view text) const {
  const auto offset = [](uint32_t unit) { return unit >> 10 << ((unit & 1U << 9) >> 6); };
  size_t node = offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte == 0) break;
    node ^= byte;
    if (node >= units_.size()) break;
    const uint32_t unit = units_[node];
    if ((unit & 0x800000FF) != byte) break;
    node ^= offset(unit);
    if ((unit >> 8 & 1) == 0) continue;
    if (node >= units_.size()) break;
    const size_t begin = units_[node] & 0x7FFFFFFF;
    if (begin >= replacements_.size()) break;
    return std::string_view(replacements_.data() + begin);
  }
  return std::nullopt;
}

void Charsmap::normalize(AlignedText& text) const {
  std::vector<Change> changes;
  changes.reserve(text.text().size());
  bool changed = false;
  const auto replace = [&](std::string_view part) {
    const auto found = find(part);
    if (found) add_changes(part, *found, changes);
    changed |= found.has_value();
    return found.has_value();
  };
  const std::string_view all = text.text();
  for (size_t at = 0; at < all.size();) {
    const size_t end = grapheme_end(all, at);
    if (end - at < kLongCluster && replace(all.substr(at, end - at))) {
      at = end;
      continue;
    }
    while (at < end) {
      const CodePoint code = decode(all.data() + at);
      if (!replace(all.substr(at, code.size))) changes.push_back({.character = code.value, .change = 0});
      at += code.size;
    }
  }
  if (changed) text.rewrite(changes);
}

std::string decode_base64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw Error("is not base64");
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

}  // namespace bert::text
