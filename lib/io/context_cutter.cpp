#include "io/context_cutter.h"

#include <utility>

namespace bert::io {

bool ContextCutter::fill(Chunk& chunk) {
  chunk.data.clear();
  for (;;) {
    while (next_ < entries_.size() && is_complete()) emit(chunk);
    if (!chunk.cuts.empty() || ended_) break;
    inner_.clear();
    ended_ = !cutter_->fill(inner_) || inner_.failure;
    for (const Cut& cut : inner_.cuts) {
      const auto bytes = std::string_view(inner_.data).substr(cut.begin, cut.size);
      entries_.push_back({.bytes = std::string(bytes),
                          .line = cut.line,
                          .sentence = reader_.read(source_, bytes, cut.starts_document)});
    }
  }
  if (ended_ && next_ == entries_.size()) chunk.failure = std::exchange(inner_.failure, {});
  chunk.data_size = chunk.data.size();
  chunk.data.append(json::kPadding, '\0');
  return !chunk.cuts.empty() || chunk.failure;
}

bool ContextCutter::is_complete() const {
  int64_t words = 0;
  for (size_t i = next_ + 1; i < entries_.size() && words < most_; ++i) {
    if (entries_[i].sentence.document != entries_[next_].sentence.document) return true;
    words += entries_[i].sentence.counted();
  }
  return ended_ || words >= most_;
}

void ContextCutter::emit(Chunk& chunk) {
  const auto& [bytes, line, sentence] = entries_[next_];
  const auto at = [&](int64_t n) -> const Sentence* {
    const auto place = static_cast<int64_t>(next_) + n;
    if (place < 0 || place >= std::ssize(entries_)) return nullptr;
    return &entries_[place].sentence;
  };
  chunk.cuts.push_back({.begin = chunk.data.size(), .size = bytes.size(), .line = line});
  chunk.data += bytes;
  chunk.contexts.push_back(context_of(sentence, at, most_));
  ++next_;
  forget();
}

// Drops the sentences that are too far before the next one, or of another document than the last.
void ContextCutter::forget() {
  int64_t words = 0;
  size_t first = next_;
  while (first > 0 && words < most_ &&
         entries_[first - 1].sentence.document == entries_[next_ - 1].sentence.document)
    words += entries_[--first].sentence.counted();
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(first));
  next_ -= first;
}

}  // namespace bert::io
