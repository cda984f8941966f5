// The effect of normalization and word splitting on each code point, computed once and then looked up, so
// that text in any script needs no ICU calls. Pages of 256 code points are built on first use, because
// building all of them would take longer than loading a small model.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

constexpr char32_t kCapitalSigma = 0x3A3;

// The steps to apply, in this order: clean, put spaces around ideographs, lowercase (Google), decompose and
// strip accents, lowercase (Hugging Face), split at white space and punctuation.
struct CharacterRules {
  bool clean_text = true;
  bool ideographs = true;
  bool strip_accents = true;
  bool lowercase = true;
  bool punctuation = true;  // false: split at white space only
  Compat compat = Compat::hf;

  explicit CharacterRules(const TokenizerConfig& config);
  bool is_removed(char32_t c) const;  // by clean_text
};

enum class Action : uint8_t {
  letter,   // part of a word, unchanged
  space,    // ends a word
  alone,    // a word of its own
  drop,     // removed; does not end a word
  expand,   // replaced by other characters: units()
  reorder,  // NFD may move it past its neighbors, see context.h
  sigma,    // the lowercase form depends on its neighbors (Google only)
};

// One character of the result. Its action is letter, space or alone.
struct Unit {
  Action action = Action::letter;
  uint8_t size = 0;
  char bytes[4] = {};

  std::string_view text() const { return {bytes, size}; }
};

// One code point of NFD before accents are stripped.
struct Decomposed {
  char32_t value = 0;
  uint8_t combining_class = 0;
  bool first = false;  // first part of the decomposition of a code point
};

class CharacterTable {
 public:
  explicit CharacterTable(const CharacterRules& rules);
  ~CharacterTable();
  CharacterTable(const CharacterTable&) = delete;

  struct Entry {
    Action action;
    std::span<const Unit> units;  // for expand; valid for the lifetime of the table
  };

  Entry find(char32_t c) const {
    const Page& page = page_of(c);
    const Page::Item item = page.items[c & 0xFF];
    return {item.action, {page.units.data() + item.first, item.count}};
  }

  // For an ASCII letter or digit, the byte it maps to; 0 for anything that is not simply part of a word.
  const std::array<uint8_t, 256>& plain() const { return plain_; }

  const CharacterRules& rules() const { return rules_; }

 private:
  struct Page {
    struct Item {
      uint16_t first = 0;
      uint8_t count = 0;
      Action action = Action::letter;
    };
    std::array<Item, 256> items;
    std::vector<Unit> units;
  };

  const Page& page_of(char32_t c) const {
    const Page* page = pages_[c >> 8].load(std::memory_order_acquire);
    return page != nullptr ? *page : make_page(c >> 8);
  }
  const Page& make_page(char32_t number) const;
  std::optional<Action> plain_action(char32_t c, const std::vector<Decomposed>& parts) const;
  void fill(char32_t c, Page& page) const;

  CharacterRules rules_;
  // If several threads build the same page, the first one is kept and the others are deleted.
  mutable std::array<std::atomic<const Page*>, 0x1100> pages_ = {};
  std::array<uint8_t, 256> plain_ = {};
};

// Appends code point c after lowercasing (Google) and decomposition.
void decompose(char32_t c, const CharacterRules& rules, std::vector<Decomposed>& out);

// Appends what remains of a decomposed code point after stripping accents and lowercasing (Hugging Face).
void finish(char32_t c, const CharacterRules& rules, std::vector<Unit>& out);

}  // namespace bert::text
