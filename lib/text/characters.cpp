#include "text/characters.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <algorithm>

#include "base/error.h"

namespace bert::text {
namespace {

// Unicode versions used by Hugging Face's tokenizers 0.23: categories from unicode_categories 0.1.1,
// decomposition from unicode-normalization-alignments 0.1.12.
constexpr int kHuggingFaceCategories = 8;
constexpr int kHuggingFaceDecomposition = 9;

bool is_younger(char32_t c, int version) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(c), age);
  return age[0] > version || age[0] == 0;
}

// Categories as in unicode_categories 0.1.1: today's, without code points newer than Unicode 8, and with the
// few code points whose category has changed since.
int8_t category_of_unicode_8(char32_t c) {
  switch (c) {
    case 0x166D:
    case 0x111C9:
      return U_OTHER_PUNCTUATION;
    case 0x1734:
    case 0x1171E:
      return U_NON_SPACING_MARK;
    case 0x1885:
    case 0x1886:
      return U_OTHER_LETTER;
    case 0xA9BD:
      return U_COMBINING_SPACING_MARK;
    default:
      break;
  }
  if (is_younger(c, kHuggingFaceCategories)) return U_UNASSIGNED;
  return u_charType(static_cast<UChar32>(c));
}

int8_t category(char32_t c, Compat compat) {
  return compat == Compat::hf ? category_of_unicode_8(c) : u_charType(static_cast<UChar32>(c));
}

const UNormalizer2& instance_of(const UNormalizer2* (*get)(UErrorCode*)) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* instance = get(&status);
  if (U_FAILURE(status)) throw Error("ICU has no normalization data: ", u_errorName(status));
  return *instance;
}

const UNormalizer2& nfd() { return instance_of(unorm2_getNFDInstance); }

// Capital letters of Unicode 16 and 17, known to Rust but possibly not to the installed ICU.
char32_t lowercase_of_unicode_17(char32_t c) {
  struct Capitals {
    char32_t first, last;
    char32_t lowercase;  // lowercase form of `first`
  };
  static constexpr Capitals kCapitals[] = {{0x1C89, 0x1C89, 0x1C8A},    {0xA7CB, 0xA7CB, 0x264},
                                           {0xA7CC, 0xA7CC, 0xA7CD},    {0xA7CE, 0xA7CE, 0xA7CF},
                                           {0xA7D2, 0xA7D2, 0xA7D3},    {0xA7D4, 0xA7D4, 0xA7D5},
                                           {0xA7DA, 0xA7DA, 0xA7DB},    {0xA7DC, 0xA7DC, 0x19B},
                                           {0x10D50, 0x10D65, 0x10D70}, {0x16EA0, 0x16EB8, 0x16EBB}};
  for (const Capitals& capitals : kCapitals) {
    if (c >= capitals.first && c <= capitals.last) return c - capitals.first + capitals.lowercase;
  }
  return c;
}

void append_utf16(const UChar* units, int32_t size, std::vector<char32_t>& out) {
  for (int32_t i = 0; i < size;) {
    UChar32 c;
    U16_NEXT(units, i, size, c);
    out.push_back(static_cast<char32_t>(c));
  }
}

void append_decomposition(const UNormalizer2& form, char32_t c, std::vector<char32_t>& out) {
  UChar units[32];
  UErrorCode status = U_ZERO_ERROR;
  const int32_t size =
      unorm2_getDecomposition(&form, static_cast<UChar32>(c), units, std::size(units), &status);
  if (size < 0) {
    out.push_back(c);
  } else {
    append_utf16(units, size, out);
  }
}

}  // namespace

bool is_control(char32_t c, Compat compat) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const int8_t kind = category(c, compat);
  if (kind == U_PRIVATE_USE_CHAR) return compat == Compat::hf;
  return kind == U_CONTROL_CHAR || kind == U_FORMAT_CHAR;
}

bool is_punctuation(char32_t c, Compat compat) {
  if (c < 0x80)
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
  return (U_MASK(category(c, compat)) & U_GC_P_MASK) != 0;
}

bool is_accent(char32_t c, Compat compat) { return category(c, compat) == U_NON_SPACING_MARK; }

bool is_ideograph(char32_t c, Compat compat) {
  const char32_t extension_e = compat == Compat::hf ? 0x2B920 : 0x2B820;
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B81F) || (c >= extension_e && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_white_space(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)); }

bool is_word_character(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  return u_isUAlphabetic(code) || (U_GET_GC_MASK(code) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
         u_hasBinaryProperty(code, UCHAR_JOIN_CONTROL);
}

bool is_cased(char32_t c) { return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_CASED); }

bool is_case_ignorable(char32_t c) {
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_CASE_IGNORABLE);
}

bool is_inert(char32_t c, Compat compat) {
  return compat == Compat::hf && is_younger(c, kHuggingFaceDecomposition);
}

uint8_t combining_class(char32_t c, Compat compat) {
  return is_inert(c, compat) ? 0 : u_getCombiningClass(static_cast<UChar32>(c));
}

void append_decomposition(char32_t c, Compat compat, std::vector<char32_t>& out) {
  if (is_inert(c, compat)) {
    out.push_back(c);
    return;
  }
  append_decomposition(nfd(), c, out);
}

void append_compatible_decomposition(char32_t c, std::vector<char32_t>& out) {
  if (is_inert(c, Compat::hf)) {
    out.push_back(c);
    return;
  }
  append_decomposition(instance_of(unorm2_getNFKDInstance), c, out);
}

std::optional<char32_t> composed_pair(char32_t first, char32_t second) {
  const UChar32 pair = unorm2_composePair(&instance_of(unorm2_getNFCInstance), static_cast<UChar32>(first),
                                          static_cast<UChar32>(second));
  if (pair < 0 || is_inert(static_cast<char32_t>(pair), Compat::hf)) return std::nullopt;
  return static_cast<char32_t>(pair);
}

void append_lowercase(char32_t c, Compat compat, std::vector<char32_t>& out) {
  UChar units[2];
  UChar lower[8];
  int32_t size = 0;
  U16_APPEND_UNSAFE(units, size, static_cast<UChar32>(c));
  UErrorCode status = U_ZERO_ERROR;
  const int32_t lower_size = u_strToLower(lower, std::size(lower), units, size, "", &status);
  if (compat == Compat::hf && lower_size == size && std::equal(units, units + size, lower)) {
    out.push_back(lowercase_of_unicode_17(c));
    return;
  }
  append_utf16(lower, lower_size, out);
}

}  // namespace bert::text
