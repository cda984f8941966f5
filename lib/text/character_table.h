// What normalisation and word splitting do to each code point, worked out once and looked up ever after, so
// that text in any script needs no call of ICU. Pages of 256 code points are made when the first of them is
// met: making them all would take longer than loading a small model.
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

// The steps that apply, in this order: clean, put spaces around ideographs, lower (Google), decompose and
// strip, lower (Hugging Face), split at white space and punctuation.
struct CharacterRules {
  bool clean_text = true;
  bool ideographs = true;
  bool strip_accents = true;
  bool lowercase = true;
  bool punctuation = true;  // false: only white space splits
  Compat compat = Compat::hf;

  explicit CharacterRules(const TokenizerConfig& config);
  bool is_removed(char32_t c) const;  // by clean_text
};

enum class Action : uint8_t {
  letter,   // part of a word, as it is
  space,    // ends a word
  alone,    // a word of its own
  drop,     // leaves nothing, and does not end a word
  expand,   // becomes other characters: units()
  reorder,  // NFD may move it past its neighbours: reorder.h
  sigma,    // lower case depends on its neighbours (Google only)
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
  bool first = false;  // of those that one code point of the text became
};

class CharacterTable {
 public:
  explicit CharacterTable(const CharacterRules& rules);
  ~CharacterTable();
  CharacterTable(const CharacterTable&) = delete;

  struct Entry {
    Action action;
    std::span<const Unit> units;  // of expand; live as long as the table
  };

  Entry find(char32_t c) const {
    const Page& page = page_of(c);
    const Page::Item item = page.items[c & 0xFF];
    return {item.action, {page.units.data() + item.first, item.count}};
  }

  // The byte that an ASCII letter or digit becomes; 0 for whatever is not simply part of a word, or not
  // ASCII.
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
  // Threads that make the same page at once get the one that was there first; the others are thrown away.
  mutable std::array<std::atomic<const Page*>, 0x1100> pages_ = {};
  std::array<uint8_t, 256> plain_ = {};
};

// Appends what the code point c of the text is after lower-casing (Google) and decomposition.
void decompose(char32_t c, const CharacterRules& rules, std::vector<Decomposed>& out);

// Appends what is left of a decomposed code point after stripping and lower-casing (Hugging Face).
void finish(char32_t c, const CharacterRules& rules, std::vector<Unit>& out);

}  // namespace bert::text
