// The fast tokenizer compared with the slow reference on generated texts.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "reference/slow_tokenizer.h"
#include "sanitized.h"
#include "text/tokenizer.h"

namespace bert::text {
namespace {

// Code points chosen because they are easy to handle wrongly.
constexpr char32_t kLetters[] = U"aaabbbccdeABCDE012éÉàÀçñöÖßẞıİſKÅ한국어각각אבשлжЁёЙйÿŸǅʰΣσςΑαήΰ";
constexpr char32_t kMarks[] = {
    0x301,  0x300,  0x327,   0x323,   0x345,   0x34F,   0x5B0,   0x5BC,  0x64B,   0x651,  // stripped
    0x302E, 0x302F, 0x1D165, 0x1D16D, 0x1D15E, 0x1D160, 0x16FF0, 0x20DD,                  // Mc, Me: kept
    0x1ABF, 0x8CA,  0x1E94A, 0x10F46, 0xECC,   0xC3C,   0x1734,  0x1886, 0x111C9, 0x344, 0xF73, 0xF81};
constexpr char32_t kOthers[] = {
    ' ',    ' ',    ' ',     '\t',    '\n',    '\r',    0xB,     0x1C,   0x85,   0xA0,     0x2003,
    0x2028, 0x3000, 0x180E,  0,       1,       0x7F,    0xAD,    0x200B, 0x200D, 0xFEFF,   0xFFFD,
    0xE000, 0xF123, 0xFFFFF, 0x80927, '.',     '!',     '#',     '#',    '$',    '[',      ']',
    '_',    '\'',   0xBF,    0x37E,   0x226E,  0x1FEF,  0x2E43,  0x166D, 0x61D,  0x4E00,   0x9FFF,
    0x3400, 0xF900, 0xFA6C,  0x2B830, 0x2B930, 0x2F81A, 0x1F600, 0x212A, 0x2126, 0x10FFFF, 0xAC00};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  size_t below(size_t n) { return random_() % n; }
  bool coin() { return below(2) == 0; }

  char32_t letter() { return kLetters[below(std::size(kLetters) - 1)]; }
  char32_t any() {
    const size_t kind = below(20);
    if (kind < 12) return letter();
    if (kind < 14) return kMarks[below(std::size(kMarks))];
    if (kind < 19) return kOthers[below(std::size(kOthers))];
    const char32_t c = static_cast<char32_t>(below(0x30000));
    return c >= 0xD800 && c < 0xE000 ? U'x' : c;
  }

  std::string string(size_t length, bool letters_only) {
    std::string text;
    while (length-- > 0) append(text, letters_only ? letter() : any());
    return text;
  }

 private:
  std::mt19937_64 random_;
};

struct Sample {
  std::vector<std::string> subwords = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  TokenizerConfig config;
};

std::vector<AddedToken> random_added(Generator& random) {
  std::vector<AddedToken> added = {{.content = "[MASK]", .lstrip = random.coin()}, {.content = "[SEP]"}};
  for (const char* content : {"aB", "aBc", "é!", "b c", "##a", "東", " a", "\n", " "}) {
    if (random.coin()) continue;
    added.push_back({.content = content,
                     .id = 5,
                     .single_word = random.coin(),
                     .lstrip = random.coin(),
                     .rstrip = random.coin(),
                     .normalized = random.coin()});
  }
  return added;
}

// A small vocabulary over the same characters. Half of the tokens are prefixes or suffixes of others, so that
// matches fail late.
Sample random_sample(Generator& random) {
  Sample result;
  TokenizerConfig& config = result.config;
  config.compat = random.coin() ? Compat::hf : Compat::google;
  config.lowercase = random.coin();
  config.strip_accents = random.below(4) == 0 ? !config.lowercase : config.lowercase;
  config.clean_text = random.below(8) != 0;
  config.chinese_chars = random.below(4) != 0;
  config.basic_tokenize = random.below(8) != 0;
  config.max_word_chars = random.coin() ? 100 : 6;
  config.prefix = std::vector<std::string>{"##", "##", "##", "", "a", "@"}[random.below(6)];
  if (random.coin()) config.added = random_added(random);
  const size_t specials = result.subwords.size();
  for (int i = 0; i < 300; ++i) {
    std::string subword = random.string(1 + random.below(4), random.below(8) != 0);
    const std::string& other = result.subwords[random.below(result.subwords.size())];
    if (result.subwords.size() > specials + 10 && random.coin()) subword = other + subword;
    result.subwords.push_back((random.coin() ? config.prefix : "") + subword);
  }
  for (char c = 'a'; c <= 'e'; ++c) {
    result.subwords.push_back(std::string(1, c));
    result.subwords.push_back(config.prefix + c);
  }
  return result;
}

std::string random_text(Generator& random, const Sample& in) {
  std::string text;
  for (size_t parts = random.below(12); parts > 0; --parts) {
    std::string subword = in.subwords[random.below(in.subwords.size())];
    if (random.coin() && subword.starts_with(in.config.prefix)) subword.erase(0, in.config.prefix.size());
    switch (random.below(4)) {
      case 0:
        text += random.string(random.below(8), false);
        break;
      case 1:
        text += random.string(random.below(12), true);
        break;
      default:
        text += subword;
        if (random.below(4) == 0) text += " ";
    }
  }
  return text;
}

std::string readable(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const CodePoint code = decode(text.data() + at);
    char hex[16];
    std::snprintf(hex, sizeof hex, "%04X ", static_cast<unsigned>(code.value));
    result += hex;
    at += code.size;
  }
  return result;
}

std::string readable(const Tokens& tokens) {
  std::string result;
  for (size_t i = 0; i < tokens.ids.size(); ++i) {
    result += std::to_string(tokens.ids[i]) + "[" + std::to_string(tokens.offsets[i].begin) + "," +
              std::to_string(tokens.offsets[i].end) + ")w" + std::to_string(tokens.words[i]) + " ";
  }
  return result;
}

// Returns whether both tokenizers agree; prints the difference if not.
bool agree(const Tokenizer& fast, const reference::SlowTokenizer& slow, const std::string& text) {
  Tokens bytes, chars, ids;
  fast.encode(text, {.offsets = Offsets::bytes, .words = true}, bytes);
  fast.encode(text, {.offsets = Offsets::chars}, chars);
  fast.encode(text, {}, ids);
  Tokens expected, expected_chars;
  for (const auto& token : slow.encode(text)) {
    expected.ids.push_back(token.id);
    expected.offsets.push_back(token.bytes);
    expected.words.push_back(token.word);
    expected_chars.offsets.push_back(token.chars);
  }
  const bool equal = ids.ids == expected.ids && bytes.ids == expected.ids &&
                     bytes.offsets == expected.offsets && bytes.words == expected.words &&
                     chars.offsets == expected_chars.offsets;
  if (!equal) MESSAGE(readable(text), "\nfast ", readable(bytes), "\nslow ", readable(expected));
  return equal;
}

}  // namespace

TEST_CASE("fast and slow tokenizer agree on generated texts") {
  for (uint64_t seed = 0; seed < tried(200); ++seed) {
    Generator random(seed);
    const Sample in = random_sample(random);
    CAPTURE(seed);
    CAPTURE(static_cast<int>(in.config.compat));
    CAPTURE(in.config.lowercase);
    CAPTURE(in.config.strip_accents);
    CAPTURE(in.config.clean_text);
    CAPTURE(in.config.basic_tokenize);
    CAPTURE(in.config.prefix);
    const Tokenizer fast(in.subwords, in.config, "test");
    const reference::SlowTokenizer slow(in.subwords, in.config);
    for (int i = 0; i < 100; ++i) REQUIRE(agree(fast, slow, random_text(random, in)));
  }
}

TEST_CASE("fast and slow tokenizer agree on every code point") {
  for (const Compat compat : {Compat::hf, Compat::google}) {
    for (const bool uncased : {false, true}) {
      Sample in;
      in.config.compat = compat;
      in.config.lowercase = in.config.strip_accents = uncased;
      in.subwords.insert(in.subwords.end(), {"a", "##a", "b", "##b", "##ab"});
      const Tokenizer fast(in.subwords, in.config, "test");
      const reference::SlowTokenizer slow(in.subwords, in.config);
      std::string text;
      for (char32_t c = 0; c < 0x110000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        text += 'a';
        append(text, c);
        text += c % 3 == 0 ? "ab" : "a b";
        if (c % 16 != 15) continue;
        if (kSanitized) c += 9 * 16;
        REQUIRE(agree(fast, slow, text));
        text.clear();
        if (c >= 0x32000 && c < 0xE0000) c += 0x10000;  // unassigned planes: a sample is enough
      }
    }
  }
}

}  // namespace bert::text
