#include "io/context_cutter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/conll.h"

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
  Sentence& sentence = sentences_.emplace_back(Sentence{.bytes = std::string(bytes), .line = cut.line});
  try {
    read(sentence, cut);
    sentence.has_context = true;
  } catch (const Error&) {  // reported when the record itself is read
    sentence.words.clear();
    sentence.document = ++document_;
    id_.clear();
    ++document_;
  }
}

void ContextCutter::read(Sentence& sentence, const Cut& cut) {
  int64_t line = 0;
  const bool conll = format_ == InputFormat::conll;
  const auto record = parser_.parse(conll ? conll_record(sentence.bytes, line) : sentence.bytes);
  auto words = record.find_only("words");
  if (!words) words = record.member(options_.text_field);
  for (const auto word : words->strings()) json::append_string(sentence.words.emplace_back().word, word);
  if (!options_.tag_field.empty()) read_tags(record, sentence.words);
  if (conll) {
    document_ += cut.starts_document ? 1 : 0;
  } else if (auto id = record.member("document").label(); id != id_) {
    ++document_;
    id_ = std::move(id);
  }
  sentence.document = document_;
}

void ContextCutter::read_tags(const json::Value& record, std::vector<Word>& words) const {
  try {
    const auto tags = bio_of(record.member(options_.tag_field).strings());
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
  return ended_ || words >= options_.most;
}

void ContextCutter::emit(Chunk& chunk) {
  const Sentence& sentence = sentences_[next_];
  const auto same_document = [&](size_t i) { return sentences_[i].document == sentence.document; };
  std::vector<const Word*> before, after;
  const auto most = static_cast<size_t>(options_.most);
  int64_t counted = 0;
  for (size_t i = next_; i-- > 0 && same_document(i) && counted < options_.most;
       counted += sentences_[i].counted()) {
    const auto& words = sentences_[i].words;
    for (size_t w = words.size(); w-- > 0;) before.push_back(&words[w]);
  }
  counted = 0;
  for (size_t i = next_ + 1; i < sentences_.size() && same_document(i) && counted < options_.most; ++i) {
    for (const Word& word : sentences_[i].words) after.push_back(&word);
    counted += sentences_[i].counted();
  }
  before.resize(std::min(before.size(), most));
  after.resize(std::min(after.size(), most));
  std::ranges::reverse(before);

  const size_t begin = chunk.data.size();
  chunk.data += sentence.bytes;
  chunk.data += kContextMark;
  if (sentence.has_context) {
    const auto append_word = [](std::string& out, const Word* word) { out += word->word; };
    const auto append_tag = [](std::string& out, const Word* word) { out += word->tag; };
    json::append_array(chunk.data += '[', before, append_word);
    json::append_array(chunk.data += ',', after, append_word);
    if (!options_.tag_field.empty()) {
      json::append_array(chunk.data += ',', before, append_tag);
      json::append_array(chunk.data += ',', after, append_tag);
    }
    chunk.data += ']';
  }
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
