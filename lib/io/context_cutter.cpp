#include "io/context_cutter.h"

#include <algorithm>

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
  if (!words) words = record.member(text_field_);
  for (const auto word : words->strings()) json::append_string(sentence.words.emplace_back(), word);
  if (conll) {
    document_ += cut.starts_document ? 1 : 0;
  } else if (auto id = record.member("document").label(); id != id_) {
    ++document_;
    id_ = std::move(id);
  }
  sentence.document = document_;
}

bool ContextCutter::is_complete() const {
  int64_t words = 0;
  for (size_t i = next_ + 1; i < sentences_.size() && words < most_; ++i) {
    if (sentences_[i].document != sentences_[next_].document) return true;
    words += sentences_[i].counted();
  }
  return ended_ || words >= most_;
}

void ContextCutter::emit(Chunk& chunk) {
  const Sentence& sentence = sentences_[next_];
  const auto same_document = [&](size_t i) { return sentences_[i].document == sentence.document; };
  std::vector<std::string_view> before, after;
  const auto most = static_cast<size_t>(most_);
  int64_t counted = 0;
  for (size_t i = next_; i-- > 0 && same_document(i) && counted < most_; counted += sentences_[i].counted())
    before.insert(before.end(), sentences_[i].words.rbegin(), sentences_[i].words.rend());
  counted = 0;
  for (size_t i = next_ + 1; i < sentences_.size() && same_document(i) && counted < most_; ++i) {
    after.insert(after.end(), sentences_[i].words.begin(), sentences_[i].words.end());
    counted += sentences_[i].counted();
  }
  before.resize(std::min(before.size(), most));
  after.resize(std::min(after.size(), most));
  std::ranges::reverse(before);

  const size_t begin = chunk.data.size();
  chunk.data += sentence.bytes;
  chunk.data += kContextMark;
  if (sentence.has_context) {
    const auto append = [](std::string& out, std::string_view word) { out += word; };
    json::append_array(chunk.data += '[', before, append);
    json::append_array(chunk.data += ',', after, append);
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
  while (first > 0 && words < most_ && sentences_[first - 1].document == sentences_[next_ - 1].document)
    words += sentences_[--first].counted();
  sentences_.erase(sentences_.begin(), sentences_.begin() + static_cast<ptrdiff_t>(first));
  next_ -= first;
}

}  // namespace bert::io
