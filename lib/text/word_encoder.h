// The sink of normalize() that turns characters into tokens. Aligned: the places of the tokens in the text
// are wanted too, which costs a record for each character.
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
  const std::vector<std::string>& pieces;
  size_t prefix_size = 2;  // bytes of "##"
  size_t max_word_chars = 100;
  int32_t unk = 0;
};

template <bool kAligned>
class WordEncoder {
 public:
  // Appends to `tokens`; offsets are bytes.
  WordEncoder(const WordEncoderSettings& settings, Wanted wanted, Tokens& tokens)
      : settings_(settings), wanted_(wanted), tokens_(tokens), word_begin_(tokens.ids.size()) {}

  // Where in the whole text the part begins whose characters come next.
  void set_base(size_t base) { base_ = static_cast<uint32_t>(base); }

  size_t plain(const std::array<uint8_t, 256>& plain, std::string_view text, size_t at) {
    const size_t begin = at;
    int32_t state = state_;
    for (; at < text.size(); ++at) {
      const uint8_t byte = plain[static_cast<uint8_t>(text[at])];
      if (byte == 0) break;
      state = settings_.wordpiece.step(state, byte, tokens_.ids);
      if constexpr (kAligned) remember(1, {static_cast<uint32_t>(at), static_cast<uint32_t>(at + 1)});
    }
    state_ = state;
    word_chars_ += at - begin;
    return at;
  }

  void letter(std::string_view bytes, Span source) {
    for (const char byte : bytes) {
      state_ = settings_.wordpiece.step(state_, static_cast<uint8_t>(byte), tokens_.ids);
    }
    ++word_chars_;
    if constexpr (kAligned) remember(bytes.size(), source);
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

  // A token that is not made of characters; it counts as a word.
  void added(int32_t id, Span source) {
    end_word();
    tokens_.ids.push_back(id);
    if (wanted_.offsets != Offsets::none)
      tokens_.offsets.push_back({base_ + source.begin, base_ + source.end});
    start_next_word();
  }

 private:
  // A character of the word that is being read.
  struct Character {
    uint32_t size;  // bytes after normalisation
    Span source;
  };

  void remember(size_t size, Span source) {
    if (wanted_.offsets == Offsets::none) return;
    characters_.push_back({static_cast<uint32_t>(size), {base_ + source.begin, base_ + source.end}});
  }

  // A token lies where its first character begins and its last one ends.
  void place_tokens(bool known) {
    if (wanted_.offsets == Offsets::none) return;
    auto next = characters_.begin();
    for (size_t i = word_begin_; i < tokens_.ids.size(); ++i) {
      if (!known) {
        tokens_.offsets.push_back({characters_.front().source.begin, characters_.back().source.end});
        break;
      }
      size_t size = settings_.pieces[static_cast<size_t>(tokens_.ids[i])].size();
      if (i > word_begin_) size -= settings_.prefix_size;
      const uint32_t begin = next->source.begin;
      for (; size > next->size; ++next) size -= next->size;
      tokens_.offsets.push_back({begin, next->source.end});
      ++next;
    }
    characters_.clear();
  }

  void start_next_word() {
    if (wanted_.words) tokens_.words.resize(tokens_.ids.size(), word_);
    ++word_;
    word_begin_ = tokens_.ids.size();
    word_chars_ = 0;
    state_ = settings_.wordpiece.begin();
  }

  const WordEncoderSettings& settings_;
  const Wanted wanted_;
  Tokens& tokens_;
  uint32_t base_ = 0;
  int32_t word_ = 0;
  int32_t state_ = settings_.wordpiece.begin();
  size_t word_begin_;      // index of the word's first token
  size_t word_chars_ = 0;  // code points read of it
  std::vector<Character> characters_;
};

}  // namespace bert::text
