// A sink for normalize() that turns characters into tokens. kAligned also records token offsets, at the cost
// of one entry for each character or run of ASCII.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/wordpiece.h"

namespace bert::text {

struct WordEncoderSettings {
  const WordPiece& wordpiece;
  const std::vector<std::string>& subwords;
  size_t prefix_size = 2;  // bytes of "##"
  size_t max_word_chars = 100;
  int32_t unk = 0;
};

template <bool kAligned>
class WordEncoder {
 public:
  // Appends to `tokens`. Offsets are in bytes.
  WordEncoder(const WordEncoderSettings& settings, Wanted wanted, Tokens& tokens)
      : settings_(settings), words_wanted_(wanted.words), tokens_(tokens), word_begin_(tokens.ids.size()) {}

  // Sets the position in the whole text of the part whose characters follow.
  void set_base(size_t base) { base_ = base; }

  size_t plain(const std::array<uint8_t, 256>& plain, std::string_view text, size_t at) {
    const size_t begin = at;
    int32_t state = state_;
    for (; at < text.size(); ++at) {
      const uint8_t byte = plain[static_cast<uint8_t>(text[at])];
      if (byte == 0) break;
      state = settings_.wordpiece.step(state, byte, tokens_.ids);
    }
    state_ = state;
    word_chars_ += at - begin;
    if constexpr (kAligned) {
      if (at > begin) remember(at - begin, {static_cast<uint32_t>(begin), static_cast<uint32_t>(at)}, true);
    }
    return at;
  }

  void letter(std::string_view bytes, Span source) {
    for (const char byte : bytes) {
      state_ = settings_.wordpiece.step(state_, static_cast<uint8_t>(byte), tokens_.ids);
    }
    ++word_chars_;
    if constexpr (kAligned) remember(bytes.size(), source, false);
  }

  void space(Span) { end_word(); }

  void alone(std::string_view bytes, Span source) {
    end_word();
    letter(bytes, source);
    end_word();
  }

  void end_word() {
    if (word_chars_ == 0) return;
    const bool known =
        word_chars_ <= settings_.max_word_chars && settings_.wordpiece.finish(state_, tokens_.ids);
    if (!known) {
      tokens_.ids.resize(word_begin_);
      tokens_.ids.push_back(settings_.unk);
    }
    if constexpr (kAligned) place_tokens(known);
    start_next_word();
  }

  // Adds a token that is not made of characters; it counts as a word.
  void added(int32_t id, Span source) {
    end_word();
    tokens_.ids.push_back(id);
    if constexpr (kAligned) tokens_.offsets.push_back({base_ + source.begin, base_ + source.end});
    start_next_word();
  }

 private:
  // A character of the current word, or a run of plain ones.
  struct Stretch {
    uint32_t size;  // bytes after normalization
    Span source;
    bool plain;  // each byte is a character and comes from one byte
  };

  void remember(size_t size, Span source, bool plain) {
    stretches_.push_back({static_cast<uint32_t>(size), {base_ + source.begin, base_ + source.end}, plain});
  }

  // A token extends from the start of its first character to the end of its last one.
  void place_tokens(bool known) {
    if (known) {
      place_subwords();
    } else {
      tokens_.offsets.push_back({stretches_.front().source.begin, stretches_.back().source.end});
    }
    stretches_.clear();
  }

  void place_subwords() {
    auto next = stretches_.begin();
    uint32_t used = 0;  // bytes of *next used by earlier tokens
    for (size_t i = word_begin_; i < tokens_.ids.size(); ++i) {
      uint32_t size = settings_.subwords[tokens_.ids[i]].size();
      if (i > word_begin_) size -= settings_.prefix_size;
      const uint32_t begin = next->source.begin + (next->plain ? used : 0);
      for (; size > next->size - used; ++next, used = 0) size -= next->size - used;
      used += size;
      tokens_.offsets.push_back({begin, next->plain ? next->source.begin + used : next->source.end});
      if (used < next->size) continue;
      ++next;
      used = 0;
    }
  }

  void start_next_word() {
    if (words_wanted_) tokens_.words.resize(tokens_.ids.size(), word_);
    ++word_;
    word_begin_ = tokens_.ids.size();
    word_chars_ = 0;
    state_ = settings_.wordpiece.begin();
  }

  const WordEncoderSettings& settings_;
  const bool words_wanted_;
  Tokens& tokens_;
  uint32_t base_ = 0;
  int32_t word_ = 0;
  int32_t state_ = settings_.wordpiece.begin();
  size_t word_begin_;      // index of the word's first token
  size_t word_chars_ = 0;  // code points read
  std::vector<Stretch> stretches_;
};

}  // namespace bert::text
