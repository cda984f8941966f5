#include "predict/tagged_words.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "predict/code_points.h"

namespace bert::predict {
std::unique_ptr<TaggedWords> TaggedWords::of_words(std::vector<features::Features> windows,
                                                   std::vector<std::string> words) {
  auto tagged = std::make_unique<TaggedWords>();
  tagged->found_ = false;
  tagged->words_ = std::move(words);
  tagged->token_words_ =
      features::joined(std::span<const features::Features>(windows), &features::Features::words);
  tagged->set_windows(std::move(windows));
  return tagged;
}

std::unique_ptr<TaggedWords> TaggedWords::of_tokens(std::vector<features::Features> windows,
                                                    const text::Tokenizer& tokenizer) {
  auto tagged = std::make_unique<TaggedWords>();
  const std::span<const features::Features> all(windows);
  for (const int32_t id : features::joined(all, &features::Features::ids))
    tagged->words_.emplace_back(tokenizer.subword(id));
  tagged->token_words_.resize(tagged->words_.size());
  std::iota(tagged->token_words_.begin(), tagged->token_words_.end(), 0);
  tagged->set_windows(std::move(windows));
  return tagged;
}

std::unique_ptr<TaggedWords> TaggedWords::of_text(std::vector<features::Features> windows, std::string text) {
  auto tagged = std::make_unique<TaggedWords>();
  tagged->text_ = std::move(text);
  const std::span<const features::Features> all(windows);
  tagged->token_words_ = features::joined(all, &features::Features::words);
  const auto offsets = features::joined(all, &features::Features::offsets);
  tagged->set_windows(std::move(windows));
  tagged->find_words(offsets);
  return tagged;
}

void TaggedWords::set_windows(std::vector<features::Features> sequences) {
  const std::span<const features::Features> all(sequences);
  token_places_ = features::token_places(all);
  for (features::Features& features : sequences) windows.push_back({.features = std::move(features)});
}

// Renumbers the words, so that each has a token.
void TaggedWords::find_words(std::span<const text::Span> offsets) {
  int32_t before = features::kNoWord;
  for (size_t t = 0; t < offsets.size(); ++t) {
    if (token_words_[t] != before) places_.push_back(offsets[t]);
    before = std::exchange(token_words_[t], static_cast<int32_t>(places_.size()) - 1);
    places_.back().end = std::max(places_.back().end, offsets[t].end);
  }
  const CodePoints code_points(*text_);
  for (const text::Span place : places_) bytes_.push_back(code_points.bytes(place));
  for (size_t w = 0; w < places_.size(); ++w) words_.push_back(text_of(w, w + 1));
}

std::vector<std::vector<const Row*>> TaggedWords::rows() const {
  std::vector<std::vector<const Row*>> rows(words_.size());
  for (size_t t = 0; t < token_places_.size(); ++t) {
    const Window& window = windows[token_places_[t].window];
    const uint32_t row = token_places_[t].position - window.features.first.begin;
    rows[static_cast<size_t>(token_words_[t])].push_back(&window.rows[row]);
  }
  return rows;
}

text::Span TaggedWords::place_of(size_t begin, size_t end) const {
  if (!text_) return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  return {places_[begin].begin, places_[end - 1].end};
}

std::string TaggedWords::text_of(size_t begin, size_t end) const {
  if (text_) return text_->substr(bytes_[begin].begin, bytes_[end - 1].end - bytes_[begin].begin);
  std::string joined;
  for (size_t w = begin; w < end; ++w) joined.append(w == begin ? "" : " ").append(words_[w]);
  return joined;
}

}  // namespace bert::predict
