#include "features/sequence.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "text/utf8.h"

namespace bert::features {
namespace {

// English has four to five bytes for each token; a lower guess spares most texts a second allocation.
constexpr size_t kBytesPerToken = 3;
constexpr size_t kMostSpecials = 4;

uint32_t position(size_t count) { return count; }

}  // namespace

int32_t second_type(const text::Tokenizer& tokenizer) {
  const auto& config = tokenizer.config();
  return config.token_types ? config.layout.second_type : 0;
}

Sequence::Sequence(const text::Tokenizer& tokenizer, const FeatureOptions& options)
    : tokenizer_(tokenizer), options_(options) {}

void Sequence::add_special(Special special) {
  if (!options_.specials) return;
  const int32_t id = special == Special::cls ? tokenizer_.cls() : tokenizer_.sep();
  tokens_.ids.push_back(id);
  if (options_.wanted.offsets != text::Offsets::none) tokens_.offsets.push_back({});
  if (options_.wanted.words) tokens_.words.push_back(kNoWord);
}

void Sequence::reserve(size_t more) {
  const size_t count = tokens_.ids.size() + more + kMostSpecials;
  tokens_.ids.reserve(count);
  if (options_.wanted.offsets != text::Offsets::none) tokens_.offsets.reserve(count);
  if (options_.wanted.words) tokens_.words.reserve(count);
}

void Sequence::begin_part() {
  assert(parts_count_ < 2);
  if (parts_count_ == 0) add_special(Special::cls);
  if (parts_count_ == 1)
    for (int32_t i = 1; i < tokenizer_.config().layout.separators; ++i) add_special(Special::sep);
  parts_[parts_count_].begin = position(tokens_.ids.size());
}

void Sequence::end_part() {
  parts_[parts_count_++].end = position(tokens_.ids.size());
  add_special(Special::sep);
}

void Sequence::add_text(std::string_view text) {
  begin_part();
  reserve(text.size() / kBytesPerToken);
  const bool prompted = parts_count_ == 0 && !options_.prompt.empty();
  tokenizer_.encode(prompted ? std::string_view(options_.prompt + std::string(text)) : text, options_.wanted,
                    tokens_);
  if (options_.count_characters) characters_ += text::count_code_points(text);
  end_part();
}

void Sequence::add_word(std::string_view word, int32_t index) {
  tokenizer_.encode(word, {.offsets = options_.wanted.offsets}, tokens_);
  if (options_.wanted.words) tokens_.words.resize(tokens_.ids.size(), index);
}

void Sequence::add_words(std::string_view field, const json::Value& array) {
  add_words(io::named(field, [&] { return array.strings(); }));
}

void Sequence::add_words(std::span<const std::string_view> words) {
  begin_part();
  if (!options_.prompt.empty()) add_word(options_.prompt, kNoWord);
  for (size_t i = 0; i < words.size(); ++i) {
    add_word(words[i], i);
    if (options_.count_characters) characters_ += text::count_code_points(words[i]);
  }
  end_part();
}

Features Sequence::finish(int32_t prompt) && {
  const auto length = position(tokens_.ids.size());
  const auto first_end = position(parts_[0].end + (options_.specials ? 1 : 0));
  Features features;
  features.types.resize(length, second_type(tokenizer_));
  std::fill_n(features.types.begin(), first_end, 0);
  features.ids = std::move(tokens_.ids);
  features.offsets = std::move(tokens_.offsets);
  features.words = std::move(tokens_.words);
  features.first = parts_[0];
  features.pair = parts_count_ == 2;
  features.second = features.pair ? parts_[1] : text::Span{parts_[0].end, parts_[0].end};
  features.characters = characters_;
  features.prompt = std::min(prompt, static_cast<int32_t>(parts_[0].end));
  return features;
}

}  // namespace bert::features
