#include "text/normalizer_steps.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include <algorithm>

#include "base/error.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

using StepKind = NormalizerStep::Kind;

template <class Do>
void for_each_character(std::string_view text, Do&& visit) {
  for (size_t at = 0; at < text.size();) {
    const CodePoint code = decode(text.data() + at);
    visit(code, at);
    at += code.size;
  }
}

// Keeps the characters for which `keep(c)` is true.
template <class Keep>
void filter(AlignedText& text, const Keep& keep) {
  AlignedText kept = text.empty_like();
  for_each_character(text.text(), [&](CodePoint code, size_t at) {
    if (keep(code.value)) kept.append_copy(text, at, at + code.size);
  });
  text = std::move(kept);
}

bool is_any_mark(char32_t c) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_M_MASK) != 0 && !is_inert(c, Compat::hf);
}

// A decomposed character before and after the marks are sorted.
struct SortedPart {
  Change change;
  uint8_t combining_class;
};

std::vector<SortedPart> decomposed(std::string_view text, bool compatible) {
  std::vector<SortedPart> parts;
  std::vector<char32_t> characters;
  for_each_character(text, [&](CodePoint code, size_t) {
    characters.clear();
    if (compatible)
      append_compatible_decomposition(code.value, characters);
    else
      append_decomposition(code.value, Compat::hf, characters);
    for (size_t i = 0; i < characters.size(); ++i)
      parts.push_back({{characters[i], i > 0}, combining_class(characters[i], Compat::hf)});
  });
  const auto is_starter = [](const SortedPart& part) { return part.combining_class == 0; };
  for (auto at = parts.begin(); at != parts.end();) {
    const auto begin = std::find_if_not(at, parts.end(), is_starter);
    at = std::find_if(begin, parts.end(), is_starter);
    std::stable_sort(begin, at, [](const SortedPart& a, const SortedPart& b) {
      return a.combining_class < b.combining_class;
    });
  }
  return parts;
}

// Canonical composition (Unicode, section 3.11, D117) of decomposed parts.
std::vector<Change> composed(std::span<const SortedPart> parts) {
  std::vector<Change> result;
  ptrdiff_t starter = -1;  // in `result`
  int last_class = -1;     // of what follows the starter; -1: nothing
  for (const SortedPart& part : parts) {
    const int own_class = part.combining_class;
    if (starter >= 0 && last_class < own_class) {
      Change& first = result[starter];
      if (const auto pair = composed_pair(first.character, part.change.character)) {
        first = {*pair, first.change + part.change.change - 1};
        continue;
      }
    }
    if (own_class == 0) starter = std::ssize(result);
    last_class = own_class == 0 ? -1 : own_class;
    result.push_back(part.change);
  }
  return result;
}

void normalize_unicode(AlignedText& text, StepKind kind) {
  if (is_ascii(text.text())) return;
  const auto parts = decomposed(text.text(), kind == StepKind::nfkc || kind == StepKind::nfkd);
  if (kind == StepKind::nfc || kind == StepKind::nfkc) return text.rewrite(composed(parts));
  std::vector<Change> changes;
  changes.reserve(parts.size());
  for (const SortedPart& part : parts) changes.push_back(part.change);
  text.rewrite(changes);
}

void lowercase(AlignedText& text) {
  std::vector<Change> changes;
  std::vector<char32_t> lower;
  for_each_character(text.text(), [&](CodePoint code, size_t) {
    lower.clear();
    append_lowercase(code.value, Compat::hf, lower);
    for (size_t i = 0; i < lower.size(); ++i) changes.push_back({lower[i], i > 0});
  });
  text.rewrite(changes);
}

bool is_removed_by_nmt(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}

bool is_space_for_nmt(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
         c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

void nmt(AlignedText& text) {
  filter(text, [](char32_t c) { return !is_removed_by_nmt(c); });
  std::vector<Change> changes;
  for_each_character(text.text(), [&](CodePoint code, size_t) {
    changes.push_back({is_space_for_nmt(code.value) ? U' ' : code.value, 0});
  });
  text.rewrite(changes);
}

size_t count_while(std::string_view text, bool (*holds)(char32_t), size_t& characters) {
  size_t at = 0;
  for (characters = 0; at < text.size(); ++characters) {
    const CodePoint code = decode(text.data() + at);
    if (!holds(code.value)) break;
    at += code.size;
  }
  return at;
}

// Size of the match at the beginning of `text`, or 0.
size_t match_size(const NormalizerStep& step, std::string_view text) {
  size_t count = 0;
  const auto is_space = [](char32_t c) { return c == ' '; };
  const bool is_break = text[0] == '\n' || text[0] == '\r' || text[0] == '\t';
  switch (step.pattern) {
    case Pattern::literal:
      return text.starts_with(step.from) ? step.from.size() : 0;
    case Pattern::spaces:
      return count_while(text, is_space, count);
    case Pattern::repeated_spaces: {
      const size_t size = count_while(text, is_space, count);
      return count > 1 ? size : 0;
    }
    case Pattern::white_space:
      return count_while(text, is_white_space, count);
    case Pattern::breaks:
      return is_break ? 1 : 0;
    case Pattern::repeated_white_breaks: {
      const size_t size = count_while(text, is_white_space, count);
      return count > 1 ? size : is_break ? 1 : 0;
    }
  }
  return 0;
}

void replace(const NormalizerStep& step, AlignedText& text) {
  AlignedText made = text.empty_like();
  const std::string_view all = text.text();
  size_t copied = 0;
  for (size_t at = 0; at < all.size();) {
    const size_t size = match_size(step, all.substr(at));
    if (size == 0) {
      at += decode(all.data() + at).size;
      continue;
    }
    made.append_copy(text, copied, at);
    made.append_inserted(text, step.to, at + size - 1);
    copied = at += size;
  }
  if (copied == 0) return;
  made.append_copy(text, copied, all.size());
  text = std::move(made);
}

void strip(AlignedText& text, bool left, bool right) {
  const std::string_view all = text.text();
  size_t count = 0, begin = left ? count_while(all, is_white_space, count) : 0, end = all.size();
  while (right && end > begin) {
    const CodePoint last = decode_before(all, end);
    if (!is_white_space(last.value)) break;
    end -= last.size;
  }
  if (end - begin == all.size()) return;
  AlignedText kept = text.empty_like();
  kept.append_copy(text, begin, end);
  text = std::move(kept);
}

void prepend(AlignedText& text, std::string_view bytes) {
  if (text.text().empty()) return;
  AlignedText made = text.empty_like();
  made.append_inserted(text, bytes, 0);
  made.append_copy(text, 0, text.text().size());
  text = std::move(made);
}

void apply_step(const NormalizerStep& step, Ends ends, AlignedText& text) {
  switch (step.kind) {
    case StepKind::nfc:
    case StepKind::nfd:
    case StepKind::nfkc:
    case StepKind::nfkd:
      return normalize_unicode(text, step.kind);
    case StepKind::nmt:
      return nmt(text);
    case StepKind::precompiled:
      return step.charsmap->normalize(text);
    case StepKind::replace:
      return replace(step, text);
    case StepKind::lowercase:
      return lowercase(text);
    case StepKind::strip_accents:
      return filter(text, [](char32_t c) { return !is_any_mark(c); });
    case StepKind::strip:
      return strip(text, step.left && ends.begin, step.right && ends.end);
    case StepKind::prepend:
      if (ends.begin) prepend(text, step.to);
  }
}

// Whether Replace does something to the byte, or to it and its neighbors.
bool is_sought(const NormalizerStep& step, uint8_t byte) {
  if (step.kind == StepKind::prepend) return true;
  if (step.kind != StepKind::replace) return false;
  if (step.pattern == Pattern::literal) {
    const bool only_runs = step.from.size() > 1 && step.from.find_first_not_of(' ') == std::string::npos;
    return !(byte == ' ' && only_runs) && step.from.find(static_cast<char>(byte)) != std::string::npos;
  }
  return byte == ' ' && (step.pattern == Pattern::spaces || step.pattern == Pattern::white_space);
}

}  // namespace

void apply(std::span<const NormalizerStep> steps, Ends ends, AlignedText& text) {
  for (const NormalizerStep& step : steps) apply_step(step, ends, text);
}

std::array<uint8_t, 256> steady_bytes(std::span<const NormalizerStep> steps) {
  std::array<uint8_t, 256> steady = {};
  for (uint8_t byte = ' '; byte < 0x7F; ++byte) {
    const char original = static_cast<char>(byte);
    AlignedText text({&original, 1}, 0, AlignedText::Alignment::none);
    bool sought = false;
    for (const NormalizerStep& step : steps) {
      sought |= text.text().size() == 1 && is_sought(step, static_cast<uint8_t>(text.text()[0]));
      apply_step(step, {.begin = false, .end = false}, text);
    }
    const bool single = !sought && text.text().size() == 1 && (byte == ' ') == (text.text() == " ");
    if (single && is_ascii(text.text())) steady[byte] = static_cast<uint8_t>(text.text()[0]);
  }
  return steady;
}

}  // namespace bert::text
