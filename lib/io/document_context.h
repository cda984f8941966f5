// The words around a sentence in its document (Devlin et al. 2018, section 5.3, "maximal document context").
//
// A document is a run of adjacent records with words: in CoNLL up to the next -DOCSTART-, in JSONL those with
// the same "document".
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/decoder.h"
#include "io/record.h"
#include "io/stream.h"
#include "json/json.h"

namespace bert::io {

// What a record adds to the contexts of its neighbours.
struct Sentence {
  int64_t document = 0;      // number of its document, or a number of its own
  std::string failure = {};  // why its words or document cannot be read
  std::vector<ContextWord> words = {};

  // An empty sentence counts as a word, so that memory stays bounded.
  int64_t counted() const { return std::max<int64_t>(1, words.size()); }
};

// Reads the sentences of a FILE and numbers its documents. A record without words or "document" separates
// documents.
class SentenceReader {
 public:
  struct Options {
    std::string text_field = {};   // has the words if they are not in "words", see Fields::words
    std::string tag_field = {};    // has the tags; "": no tags
    std::string score_field = {};  // has the probabilities of all tags for each word; "": none
    InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  };
  explicit SentenceReader(Options options) : options_(std::move(options)) {}

  // The sentence of a record's bytes; `starts_document`: after -DOCSTART-.
  Sentence read(const Source& source, std::string_view bytes, bool starts_document = false);

 private:
  void read_words(const Source& source, std::string_view bytes, Sentence& sentence);
  void read_tags(const Fields& record, std::vector<ContextWord>& words) const;
  void read_scores(const Fields& record, std::vector<ContextWord>& words) const;

  const Options options_;
  json::Document parser_;
  int64_t document_ = 0;
  std::string id_;  // JSONL: "document" of the last record
};

SentenceReader::Options sentence_options(const StreamOptions& stream);

// The words around a sentence. `at(n)` is the sentence n records before (negative) or after it, nullptr if
// there is none; it is asked for until there are `most` words on this side or another document begins.
template <class At>
Context context_of(const Sentence& sentence, At at, int64_t most) {
  const auto side = [&](int64_t step) {
    std::vector<ContextWord> words;  // from the sentence outwards
    int64_t counted = 0;
    for (int64_t n = step; counted < most; n += step) {
      const Sentence* const other = at(n);
      if (other == nullptr || other->document != sentence.document) break;
      words.insert(words.end(), other->words.begin(), other->words.end());
      if (step < 0) std::reverse(words.end() - std::ssize(other->words), words.end());
      counted += other->counted();
    }
    words.resize(std::min(words.size(), static_cast<size_t>(most)));
    return words;
  };
  if (!sentence.failure.empty()) return {.failure = sentence.failure};
  Context context = {.before = side(-1), .after = side(1)};
  std::ranges::reverse(context.before);
  return context;
}

}  // namespace bert::io
