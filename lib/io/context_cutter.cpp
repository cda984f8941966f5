#include "io/context_cutter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/conll.h"
#include "json/utf8.h"

namespace bert::io {

bool ContextCutter::fill(Chunk& chunk) {
  chunk.data.clear();
  for (;;) {
    while (next_ < sentences_.size() && is_complete()) emit(chunk);
    if (!chunk.cuts.empty() || ended_) break;
    inner_.clear();
    ended_ = !cutter_.fill(inner_) || inner_.failure;
    for (const Cut& cut : inner_.cuts) add(std::string_view(inner_.data).substr(cut.begin, cut.size), cut);
  }
  if (ended_ && next_ == sentences_.size()) chunk.failure = std::exchange(inner_.failure, {});
  chunk.data_size = chunk.data.size();
  chunk.data.append(json::kPadding, '\0');
  return !chunk.cuts.empty() || chunk.failure;
}

void ContextCutter::add(std::string_view bytes, const Cut& cut) {
  ContextSentence& sentence =
      sentences_.emplace_back(ContextSentence{.bytes = std::string(bytes), .line = cut.line});
  try {
    read(sentence, cut);
  } catch (const Error& error) {  // reported when the record itself is read
    json::append_string(sentence.failure, error.what());
    sentence.words.clear();
    sentence.document = ++document_;
    id_.clear();
    ++document_;
  }
}

void ContextCutter::read(ContextSentence& sentence, const Cut& cut) {
  const bool conll = is_tagged(source_.format);
  std::string_view bytes = sentence.bytes;
  std::string repaired, made;
  if (options_.invalid_utf8 == InvalidUtf8::replace && !json::is_utf8(bytes))
    bytes = repaired = json::repair_utf8(bytes);
  int64_t line = 0;
  if (conll) bytes = made = conll_record(bytes, source_.conll, line);
  const Fields record(source_, parser_.parse(json_part(bytes)));
  const auto words = record.words(options_.text_field);
  if (!words) record.fail_missing("words");
  for (const auto word : named(words->first, [&] { return words->second.strings(); }))
    json::append_string(sentence.words.emplace_back().word, word);
  if (!options_.tag_field.empty()) read_tags(record, sentence.words);
  if (conll) {
    document_ += cut.starts_document ? 1 : 0;
  } else if (auto id = record.label("document"); id != id_) {
    ++document_;
    id_ = std::move(id);
  }
  sentence.document = document_;
}

void ContextCutter::read_tags(const Fields& record, std::vector<ContextWord>& words) const {
  try {
    const auto tags = bio_of(record.strings(options_.tag_field));
    if (tags.size() != words.size()) return;
    for (size_t i = 0; i < tags.size(); ++i) {
      words[i].tag.clear();
      json::append_string(words[i].tag, tags[i]);
    }
  } catch (const Error&) {  // reported when the record itself is read
  }
}

bool ContextCutter::is_complete() const {
  int64_t words = 0;
  for (size_t i = next_ + 1; i < sentences_.size() && words < options_.most; ++i) {
    if (sentences_[i].document != sentences_[next_].document) return true;
    words += sentences_[i].counted();
  }
  return ended_ || options_.apart || words >= options_.most;
}

void ContextCutter::emit(Chunk& chunk) {
  const auto& sentence = sentences_[next_];
  const auto at = [&](int64_t n) {
    const auto place = static_cast<int64_t>(next_) + n;
    return place >= 0 && place < std::ssize(sentences_) ? &sentences_[place] : nullptr;
  };
  const size_t begin = chunk.data.size();
  chunk.data += options_.apart ? stored(sentence)
                               : with_context(sentence, at, options_.most, !options_.tag_field.empty());
  chunk.cuts.push_back({.begin = begin, .size = chunk.data.size() - begin, .line = sentence.line});
  ++next_;
  forget();
}

// Drops the sentences that are too far before the next one, or of another document than the last.
void ContextCutter::forget() {
  int64_t words = 0;
  size_t first = next_;
  while (first > 0 && words < options_.most &&
         sentences_[first - 1].document == sentences_[next_ - 1].document)
    words += sentences_[--first].counted();
  sentences_.erase(sentences_.begin(), sentences_.begin() + static_cast<ptrdiff_t>(first));
  next_ -= first;
}

}  // namespace bert::io
