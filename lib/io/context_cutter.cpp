#include "io/context_cutter.h"

#include <utility>

#include "io/conll_lines.h"

namespace bert::io {

bool ContextCutter::fill(Chunk& chunk) {
  chunk.data.clear();
  for (;;) {
    while (next_ < entries_.size() && is_complete()) emit(chunk);
    if (!chunk.cuts.empty() || ended_) break;
    inner_.clear();
    ended_ = !cutter_->fill(inner_) || inner_.failure;
    add_entries();
  }
  if (ended_ && next_ == entries_.size()) chunk.data += std::exchange(lines_, "");
  if (ended_ && next_ == entries_.size()) chunk.failure = std::exchange(inner_.failure, {});
  chunk.data_size = chunk.data.size();
  chunk.data.append(json::kPadding, '\0');
  return !chunk.cuts.empty() || chunk.failure || chunk.data_size > 0;
}

void ContextCutter::add_entries() {
  const auto data = std::string_view(inner_.data).substr(0, inner_.data_size);
  const bool keeps_lines = source_.conll.written_back;
  size_t begin = 0;
  for (size_t i = 0; i < inner_.cuts.size(); ++i) {
    Cut cut = inner_.cuts[i];
    const size_t end = cut.begin + cut.size;
    auto sentence = reader_.read(source_, data.substr(cut.begin, cut.size), cut.starts_document);
    if (!keeps_lines) begin = cut.begin;
    const size_t next = !keeps_lines ? end
                        : i + 1 == inner_.cuts.size()
                            ? data.size()
                            : begin_of_comments(data, end, inner_.cuts[i + 1].begin);
    cut.begin += lines_.size() - begin;
    auto bytes = std::exchange(lines_, "").append(data.substr(begin, next - begin));
    entries_.push_back({.bytes = std::move(bytes), .cut = cut, .sentence = std::move(sentence)});
    begin = next;
  }
  if (keeps_lines) lines_ += data.substr(begin);
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
  const auto& [bytes, cut, sentence] = entries_[next_];
  const auto at = [&](int64_t n) -> const Sentence* {
    const auto place = static_cast<int64_t>(next_) + n;
    if (place < 0 || place >= std::ssize(entries_)) return nullptr;
    return &entries_[place].sentence;
  };
  chunk.cuts.push_back({.begin = chunk.data.size() + cut.begin, .size = cut.size, .line = cut.line});
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
