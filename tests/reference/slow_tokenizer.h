// The tokenizer as its authors describe it, step by step over lists of characters: reference for lib/text. It
// is slow, partly quadratic, and queries ICU for every character.
#pragma once

#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/characters.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace bert::reference {

class SlowTokenizer {
 public:
  struct Token {
    int32_t id;
    text::Span bytes, chars;
    int32_t word;
  };

  // Vocabulary and added tokens must have the same ids as in the fast tokenizer: indexes into `subwords`, the
  // last of duplicates.
  SlowTokenizer(const std::vector<std::string>& subwords, text::TokenizerConfig config)
      : config_(std::move(config)) {
    for (size_t i = 0; i < subwords.size(); ++i) ids_[subwords[i]] = static_cast<int32_t>(i);
    for (text::AddedToken& token : config_.added) {
      if (ids_.contains(token.content)) token.id = ids_.at(token.content);
    }
    if (config_.basic_tokenize) return;
    config_.clean_text = config_.chinese_chars = config_.lowercase = config_.strip_accents = false;
  }

  std::vector<Token> encode(std::string_view text) const {
    Chars chars;
    for (size_t at = 0; at < text.size();) {
      const text::CodePoint code = text::decode(text.data() + at);
      const auto index = static_cast<uint32_t>(chars.size());
      chars.push_back({code.value,
                       {static_cast<uint32_t>(at), static_cast<uint32_t>(at + code.size)},
                       {index, index + 1}});
      at += code.size;
    }
    std::vector<Token> tokens;
    int32_t word = 0;
    for (const Part& part : split_at_added(chars, false)) {
      if (part.id >= 0) {
        tokens.push_back(token_of(part.id, part.chars, word++));
        continue;
      }
      for (const Part& inner : split_at_added(normalize(part.chars), true)) {
        if (inner.id >= 0) {
          tokens.push_back(token_of(inner.id, inner.chars, word++));
          continue;
        }
        for (const Chars& one : split_into_words(inner.chars)) append_subwords(one, word++, tokens);
      }
    }
    return tokens;
  }

 private:
  struct Char {
    char32_t value;
    text::Span bytes, chars;  // position in the original text
  };
  using Chars = std::vector<Char>;
  struct Part {
    int32_t id;  // of an added token; -1 for text
    Chars chars;
  };

  bool google() const { return config_.compat == text::Compat::google; }

  static std::string utf8(Chars::const_iterator begin, Chars::const_iterator end) {
    std::string bytes;
    for (; begin != end; ++begin) text::append(bytes, begin->value);
    return bytes;
  }

  static Token token_of(int32_t id, const Chars& chars, int32_t word) {
    return {id,
            {chars.front().bytes.begin, chars.back().bytes.end},
            {chars.front().chars.begin, chars.back().chars.end},
            word};
  }

  // --- added tokens ---

  std::string form_of(const text::AddedToken& token) const {
    if (!token.normalized) return token.content;
    Chars chars;
    for (size_t at = 0; at < token.content.size();) {
      const text::CodePoint code = text::decode(token.content.data() + at);
      chars.push_back({code.value, {}, {}});
      at += code.size;
    }
    chars = normalize(chars);
    return utf8(chars.begin(), chars.end());
  }

  // The longest added token at `at`; returns its length in characters, 0 if there is none.
  size_t longest_added(const Chars& chars, size_t at, bool normalized, const text::AddedToken** found) const {
    for (size_t size = std::min<size_t>(chars.size() - at, 40); size > 0; --size) {
      const auto begin = chars.begin() + static_cast<ptrdiff_t>(at);
      const std::string text = utf8(begin, begin + static_cast<ptrdiff_t>(size));
      for (auto token = config_.added.rbegin(); token != config_.added.rend(); ++token) {
        if (token->normalized != normalized || form_of(*token) != text) continue;
        *found = &*token;
        return size;
      }
    }
    return 0;
  }

  std::vector<Part> split_at_added(const Chars& chars, bool normalized) const {
    std::vector<Part> parts;
    if (config_.added.empty() || google()) return {{-1, chars}};
    size_t done = 0;
    const auto part = [&](int32_t id, size_t begin, size_t end) {
      if (begin < end) parts.push_back({id, Chars(chars.begin() + begin, chars.begin() + end)});
    };
    for (size_t at = 0; at < chars.size();) {
      const text::AddedToken* token = nullptr;
      const size_t size = longest_added(chars, at, normalized, &token);
      if (size == 0) {
        ++at;
        continue;
      }
      size_t begin = at;
      size_t end = at + size;
      at = end;
      const bool joined = (begin > 0 && text::is_word_character(chars[begin - 1].value)) ||
                          (end < chars.size() && text::is_word_character(chars[end].value));
      if (token->single_word && joined) continue;
      while (token->lstrip && begin > done && text::is_white_space(chars[begin - 1].value)) --begin;
      if (token->lstrip) begin = std::max(begin, done);
      while (token->rstrip && end < chars.size() && text::is_white_space(chars[end].value)) ++end;
      part(-1, done, begin);
      part(token->id, begin, end);
      done = end;
    }
    part(-1, done, chars.size());
    return parts;
  }

  // --- normalization ---

  Chars normalize(Chars chars) const {
    if (config_.clean_text) chars = clean(chars);
    if (config_.chinese_chars) chars = surround_ideographs(chars);
    if (config_.lowercase && google()) chars = lower_in_context(chars);
    if (config_.strip_accents) {
      chars = decompose(chars);
      std::erase_if(chars, [this](const Char& c) { return text::is_accent(c.value, config_.compat); });
    }
    if (config_.lowercase && !google()) chars = lower_one_by_one(chars);
    return chars;
  }

  Chars clean(const Chars& chars) const {
    Chars result;
    for (Char c : chars) {
      if (c.value == 0 || c.value == 0xFFFD || text::is_control(c.value, config_.compat)) continue;
      if (text::is_white_space(c.value)) c.value = ' ';
      result.push_back(c);
    }
    return result;
  }

  Chars surround_ideographs(const Chars& chars) const {
    Chars result;
    for (const Char& c : chars) {
      const Char space{' ', c.bytes, c.chars};
      if (text::is_ideograph(c.value, config_.compat)) {
        result.insert(result.end(), {space, c, space});
      } else {
        result.push_back(c);
      }
    }
    return result;
  }

  static std::u16string utf16(char32_t c) {
    char16_t units[2];
    int32_t size = 0;
    U16_APPEND_UNSAFE(units, size, static_cast<UChar32>(c));
    return {units, static_cast<size_t>(size)};
  }

  static std::u16string lower(const std::u16string& from) {
    std::u16string to(3 * from.size() + 1, u'\0');
    UErrorCode status = U_ZERO_ERROR;
    const int32_t size = u_strToLower(to.data(), static_cast<int32_t>(to.size()), from.data(),
                                      static_cast<int32_t>(from.size()), "", &status);
    return to.substr(0, static_cast<size_t>(size));
  }

  static void append(const std::u16string& units, const Char& source, Chars& to) {
    for (int32_t i = 0; i < static_cast<int32_t>(units.size());) {
      UChar32 c;
      U16_NEXT(units.data(), i, static_cast<int32_t>(units.size()), c);
      to.push_back({static_cast<char32_t>(c), source.bytes, source.chars});
    }
  }

  // The whole text at once, because ICU needs it to find final sigmas.
  static Chars lower_in_context(const Chars& chars) {
    std::u16string all;
    for (const Char& c : chars) all += utf16(c.value);
    const std::u16string lowered = lower(all);
    Chars result;
    size_t at = 0;
    for (const Char& c : chars) {
      const size_t size = lower(utf16(c.value)).size();
      append(lowered.substr(at, size), c, result);
      at += size;
    }
    return result;
  }

  static Chars lower_one_by_one(const Chars& chars) {
    Chars result;
    for (const Char& c : chars) {
      std::vector<char32_t> lowered;
      if (u_isdefined(static_cast<UChar32>(c.value))) {
        append(lower(utf16(c.value)), c, result);
        continue;
      }
      text::append_lowercase(c.value, text::Compat::hf, lowered);  // newer than ICU's tables
      for (const char32_t value : lowered) result.push_back({value, c.bytes, c.chars});
    }
    return result;
  }

  static std::u16string nfd(const std::u16string& from) {
    UErrorCode status = U_ZERO_ERROR;
    std::u16string to(20 * from.size() + 1, u'\0');
    const int32_t size =
        unorm2_normalize(unorm2_getNFDInstance(&status), from.data(), static_cast<int32_t>(from.size()),
                         to.data(), static_cast<int32_t>(to.size()), &status);
    return to.substr(0, static_cast<size_t>(size));
  }

  // Values from ICU's normalization of the whole text. Sources as Hugging Face's library assigns them: the
  // marks of a run are sorted together with a flag that says whether they start a code point of the text.
  Chars decompose(const Chars& chars) const {
    struct Mark {
      char32_t value;
      uint8_t combining_class;
      bool first;
    };
    std::vector<Mark> marks;
    Chars result, sources;  // sources: original code points, each once even if lower-cased to two
    std::u16string all;     // since the last inert code point
    for (const Char& c : chars) {
      const bool new_source = sources.empty() || sources.back().bytes != c.bytes;
      if (new_source) sources.push_back(c);
      if (text::is_inert(c.value, config_.compat)) {
        append(nfd(all), {}, result);
        all.clear();
        result.push_back(c);
        marks.push_back({c.value, 0, new_source});
        continue;
      }
      all += utf16(c.value);
      Chars parts;
      append(nfd(utf16(c.value)), c, parts);
      for (const Char& part : parts) {
        marks.push_back({part.value, u_getCombiningClass(static_cast<UChar32>(part.value)),
                         new_source && &part == &parts[0]});
      }
    }
    for (bool sorted = false; !sorted;) {  // bubble sort that never moves past a starter
      sorted = true;
      for (size_t i = 1; i < marks.size(); ++i) {
        if (marks[i].combining_class == 0 || marks[i - 1].combining_class <= marks[i].combining_class)
          continue;
        std::swap(marks[i - 1], marks[i]);
        sorted = false;
      }
    }
    append(nfd(all), {}, result);
    size_t next = 0;
    for (size_t i = 0; i < result.size(); ++i) {
      if (marks[i].first) ++next;
      const Char& source = sources[next == 0 ? 0 : next - 1];
      result[i].bytes = source.bytes;
      result[i].chars = source.chars;
    }
    return result;
  }

  // --- words and subword tokens ---

  std::vector<Chars> split_into_words(const Chars& chars) const {
    std::vector<Chars> words(1);
    for (const Char& c : chars) {
      if (text::is_white_space(c.value)) {
        words.emplace_back();
      } else if (config_.basic_tokenize && text::is_punctuation(c.value, config_.compat)) {
        words.push_back({c});
        words.emplace_back();
      } else {
        words.back().push_back(c);
      }
    }
    std::erase_if(words, [](const Chars& word) { return word.empty(); });
    return words;
  }

  void append_subwords(const Chars& word, int32_t number, std::vector<Token>& tokens) const {
    std::vector<Token> subwords;
    const size_t limit = static_cast<size_t>(config_.max_word_chars);
    for (size_t begin = 0; begin < word.size() && word.size() <= limit;) {
      size_t end = word.size();
      for (; end > begin; --end) {
        const Chars part(word.begin() + static_cast<ptrdiff_t>(begin),
                         word.begin() + static_cast<ptrdiff_t>(end));
        const auto found = ids_.find((begin > 0 ? config_.prefix : "") + utf8(part.begin(), part.end()));
        if (found == ids_.end()) continue;
        subwords.push_back(token_of(found->second, part, number));
        break;
      }
      if (end == begin) {
        subwords.clear();
        break;
      }
      begin = end;
    }
    if (subwords.empty()) subwords.push_back(token_of(ids_.at(config_.unk), word, number));
    tokens.insert(tokens.end(), subwords.begin(), subwords.end());
  }

  text::TokenizerConfig config_;
  std::unordered_map<std::string, int32_t> ids_;
};

}  // namespace bert::reference
