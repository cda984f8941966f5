// The words around a sentence in its document, as they follow the record (see context_cutter.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert::io {

// Separates a record from what is added to it: its last NUL.
inline constexpr char kContextMark = '\0';

struct ContextWord {
  std::string word;  // as JSON
  std::string tag = "null";
};

// A record with the words that it adds to the contexts of its neighbours.
struct ContextSentence {
  std::string bytes;  // of the record
  int64_t line = 0;
  int64_t document = 0;      // number of its document, or a number of its own
  std::string failure = {};  // why its words or document cannot be read, as JSON
  std::vector<ContextWord> words = {};

  // An empty sentence counts as a word, so that memory stays bounded.
  int64_t counted() const { return std::max<int64_t>(1, words.size()); }
};

// The bytes of a sentence with its context. `at(n)` is the sentence n records before (negative) or after it,
// nullptr if there is none; it is asked for until there are `most` words on this side or another document
// begins. Returned pointers must stay valid.
template <class At>
std::string with_context(const ContextSentence& sentence, At at, int64_t most, bool tags);

// The same bytes without the context, for reading contexts later: record, NUL, and the other members.
std::string stored(const ContextSentence& sentence);
// The sentence of these bytes; its line is not stored.
ContextSentence stored_sentence(std::string_view bytes);

// ---- Definitions.

using ContextWords = std::vector<const ContextWord*>;
std::string joined(const ContextSentence& sentence, const ContextWords& before, const ContextWords& after,
                   bool tags);

template <class At>
std::string with_context(const ContextSentence& sentence, At at, int64_t most, bool tags) {
  const auto side = [&](int64_t step) {
    ContextWords words;
    int64_t counted = 0;
    for (int64_t n = step; counted < most; n += step) {
      const ContextSentence* const other = at(n);
      if (other == nullptr || other->document != sentence.document) break;
      for (const auto& word : other->words) words.push_back(&word);
      if (step < 0) std::reverse(words.end() - std::ssize(other->words), words.end());
      counted += other->counted();
    }
    words.resize(std::min(words.size(), static_cast<size_t>(most)));
    return words;
  };
  auto before = side(-1);
  std::ranges::reverse(before);
  return joined(sentence, before, side(1), tags);
}

}  // namespace bert::io
