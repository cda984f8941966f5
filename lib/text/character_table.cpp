#include "text/character_table.h"

#include <algorithm>

#include "text/characters.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

Unit unit_of(char32_t c, const CharacterRules& rules) {
  Unit unit;
  unit.size = static_cast<uint8_t>(encode(c, unit.bytes));
  if (is_white_space(c)) {
    unit.action = Action::space;
  } else if (rules.punctuation && is_punctuation(c, rules.compat)) {
    unit.action = Action::alone;
  }
  return unit;
}

// Whether a combining mark of the decomposition survives accent stripping, which makes the order of marks
// visible.
bool shows_order(const std::vector<Decomposed>& parts, const CharacterRules& rules) {
  return rules.strip_accents && std::any_of(parts.begin(), parts.end(), [&](const Decomposed& part) {
           return part.combining_class != 0 && !is_accent(part.value, rules.compat);
         });
}

}  // namespace

CharacterRules::CharacterRules(const TokenizerConfig& config)
    : clean_text(config.clean_text && config.basic_tokenize),
      ideographs(config.chinese_chars && config.basic_tokenize),
      strip_accents(config.strip_accents && config.basic_tokenize),
      lowercase(config.lowercase && config.basic_tokenize),
      punctuation(config.basic_tokenize),
      compat(config.compat) {}

bool CharacterRules::is_removed(char32_t c) const {
  return clean_text && (c == 0 || c == 0xFFFD || is_control(c, compat));
}

void decompose(char32_t c, const CharacterRules& rules, std::vector<Decomposed>& out) {
  std::vector<char32_t> lowered;
  if (rules.lowercase && rules.compat == Compat::google) {
    append_lowercase(c, rules.compat, lowered);
  } else {
    lowered.push_back(c);
  }
  std::vector<char32_t> parts;
  for (const char32_t part : lowered) {
    if (rules.strip_accents) {
      append_decomposition(part, rules.compat, parts);
    } else {
      parts.push_back(part);
    }
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    out.push_back(
        {.value = parts[i], .combining_class = combining_class(parts[i], rules.compat), .first = i == 0});
  }
}

void finish(char32_t c, const CharacterRules& rules, std::vector<Unit>& out) {
  if (rules.strip_accents && is_accent(c, rules.compat)) return;
  std::vector<char32_t> lowered;
  if (rules.lowercase && rules.compat == Compat::hf) {
    append_lowercase(c, rules.compat, lowered);
  } else {
    lowered.push_back(c);
  }
  for (const char32_t part : lowered) out.push_back(unit_of(part, rules));
}

CharacterTable::CharacterTable(const CharacterRules& rules) : rules_(rules) {
  for (char32_t c = 0; c < 0x80; ++c) {
    const Entry entry = find(c);
    if (entry.action == Action::letter) plain_[c] = static_cast<uint8_t>(c);
    if (entry.action == Action::expand && entry.units.size() == 1 && entry.units[0].size == 1) {
      plain_[c] = static_cast<uint8_t>(entry.units[0].bytes[0]);
    }
  }
}

CharacterTable::~CharacterTable() {
  for (const auto& page : pages_) delete page.load();
}

const CharacterTable::Page& CharacterTable::make_page(char32_t number) const {
  auto page = std::make_unique<Page>();
  for (char32_t low = 0; low < 256; ++low) fill(number << 8 | low, *page);
  const Page* present = nullptr;
  if (pages_[number].compare_exchange_strong(present, page.get(), std::memory_order_acq_rel))
    return *page.release();
  return *present;
}

// Actions that need no list of units; nullopt for the others.
std::optional<Action> CharacterTable::plain_action(char32_t c, const std::vector<Decomposed>& parts) const {
  if (rules_.is_removed(c)) return Action::drop;
  if (is_white_space(c)) return Action::space;
  if (c == kCapitalSigma && rules_.lowercase && rules_.compat == Compat::google) return Action::sigma;
  if (shows_order(parts, rules_)) return Action::reorder;
  return std::nullopt;
}

void CharacterTable::fill(char32_t c, Page& page) const {
  Page::Item& item = page.items[c & 0xFF];
  if (c >= 0xD800 && c < 0xE000) return;  // surrogates do not occur in UTF-8
  std::vector<Decomposed> parts;
  decompose(c, rules_, parts);
  if (const std::optional<Action> action = plain_action(c, parts)) {
    item.action = *action;
    return;
  }
  std::vector<Unit> units;
  for (const Decomposed& part : parts) finish(part.value, rules_, units);
  const bool ideograph = rules_.ideographs && is_ideograph(c, rules_.compat);
  const Unit itself = unit_of(c, rules_);
  if (units.empty()) {
    item.action = Action::drop;
    return;
  }
  if (units.size() == 1 && units[0].text() == itself.text()) {
    item.action = ideograph ? Action::alone : itself.action;
    return;
  }
  if (ideograph) {
    const Unit space{.action = Action::space, .size = 1, .bytes = {' '}};
    units.insert(units.begin(), space);
    units.push_back(space);
  }
  item = {.first = static_cast<uint16_t>(page.units.size()),
          .count = static_cast<uint8_t>(units.size()),
          .action = Action::expand};
  page.units.insert(page.units.end(), units.begin(), units.end());
}

}  // namespace bert::text
