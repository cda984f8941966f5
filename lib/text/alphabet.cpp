#include "text/alphabet.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

std::vector<Character> characters_of(std::span<const WordCount> words) {
  std::map<std::string_view, Character> characters;
  for (const auto& [word, count] : words) {
    for (std::string_view rest = word; !rest.empty();) {
      const std::string_view bytes = first_character(rest);
      rest.remove_prefix(bytes.size());
      Character& character = characters[bytes];
      character.bytes = bytes;
      if (__builtin_add_overflow(character.count, count, &character.count))
        throw Error("the words have more than 2^63 characters in total");
      character.continues |= bytes.size() < word.size();
    }
  }
  std::vector<Character> result;
  for (const auto& [bytes, character] : characters) result.push_back(character);
  return result;
}

void limit_alphabet(std::vector<Character>& characters, size_t limit) {
  if (characters.size() <= limit) return;
  std::stable_sort(characters.begin(), characters.end(),
                   [](const Character& a, const Character& b) { return a.count > b.count; });
  characters.resize(limit);
  std::sort(characters.begin(), characters.end(),
            [](const Character& a, const Character& b) { return a.bytes < b.bytes; });
}

}  // namespace

std::vector<Character> alphabet_of(std::span<const WordCount> words, int64_t limit) {
  std::vector<Character> characters = characters_of(words);
  if (limit >= 0) limit_alphabet(characters, limit);
  return characters;
}

std::string_view first_character(std::string_view text) { return text.substr(0, decode(text.data()).size); }

}  // namespace bert::text
