#include "task/tagged_words.h"

#include <algorithm>
#include <utility>

#include "task/code_points.h"

namespace bert::task {
namespace {

// One array of all windows put together: its element at each token of the text.
template <class T>
std::vector<T> joined(std::span<const Window> windows, std::span<const data::Window> spans,
                      std::vector<T> data::Features::*array) {
  std::vector<T> all;
  for (size_t w = 0; w < windows.size(); ++w) {
    const data::Features& features = windows[w].features;
    all.resize(std::max(all.size(), static_cast<size_t>(spans[w].end)));
    const auto values = std::span(features.*array).subspan(features.first.begin);
    std::copy_n(values.begin(), spans[w].end - spans[w].begin, all.begin() + spans[w].begin);
  }
  return all;
}

}  // namespace

std::unique_ptr<TaggedWords> TaggedWords::of_words(std::vector<data::Features> windows,
                                                   std::vector<std::string> words) {
  auto tagged = std::make_unique<TaggedWords>();
  tagged->given_ = true;
  tagged->words_ = std::move(words);
  tagged->set_windows(std::move(windows));
  return tagged;
}

std::unique_ptr<TaggedWords> TaggedWords::of_text(std::vector<data::Features> windows, std::string text) {
  auto tagged = std::make_unique<TaggedWords>();
  tagged->text_ = std::move(text);
  tagged->set_windows(std::move(windows));
  tagged->find_words();
  return tagged;
}

void TaggedWords::set_windows(std::vector<data::Features> sequences) {
  for (data::Features& features : sequences) {
    const int64_t begin = features.window_begin;
    spans_.push_back({begin, begin + features.first.end - features.first.begin});
    windows.push_back({.features = std::move(features)});
  }
  token_words_ = joined(windows, spans_, &data::Features::words);
}

// Words are counted afresh, so that none is without a token.
void TaggedWords::find_words() {
  const auto offsets = joined(windows, spans_, &data::Features::offsets);
  int32_t before = data::kNoWord;
  for (size_t t = 0; t < offsets.size(); ++t) {
    if (token_words_[t] != before) places_.push_back(offsets[t]);
    before = std::exchange(token_words_[t], static_cast<int32_t>(places_.size()) - 1);
    places_.back().end = std::max(places_.back().end, offsets[t].end);
  }
  const CodePoints code_points(text_);
  for (const text::Span place : places_) bytes_.push_back(code_points.bytes(place));
  for (size_t w = 0; w < places_.size(); ++w) words_.push_back(text_of(w, w + 1));
}

std::vector<std::vector<const Row*>> TaggedWords::rows() const {
  std::vector<std::vector<const Row*>> rows(words_.size());
  const auto owners = data::most_context(spans_, static_cast<int64_t>(token_words_.size()));
  for (size_t t = 0; t < owners.size(); ++t) {
    const auto owner = static_cast<size_t>(owners[t]);
    const size_t place = t - static_cast<size_t>(spans_[owner].begin);
    rows[static_cast<size_t>(token_words_[t])].push_back(&windows[owner].rows[place]);
  }
  return rows;
}

text::Span TaggedWords::place_of(size_t begin, size_t end) const {
  if (given_) return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  return {places_[begin].begin, places_[end - 1].end};
}

std::string TaggedWords::text_of(size_t begin, size_t end) const {
  if (!given_) return text_.substr(bytes_[begin].begin, bytes_[end - 1].end - bytes_[begin].begin);
  std::string joined;
  for (size_t w = begin; w < end; ++w) joined.append(w == begin ? "" : " ").append(words_[w]);
  return joined;
}

}  // namespace bert::task
