#include "corpus/token_json.h"

#include <array>

#include "features/features.h"
#include "json/json.h"

namespace bert::corpus {
namespace {

// "a b c\n"
template <class Items, class AppendOne>
void append_line(std::string& out, const Items& items, AppendOne append_one) {
  for (const auto& item : items) {
    append_one(item);
    out += ' ';
  }
  if (items.empty())
    out += '\n';
  else
    out.back() = '\n';
}

}  // namespace

void append_subwords(std::string& out, const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  json::append_array(
      out, ids, [&](std::string& text, int32_t id) { json::append_string(text, tokenizer.subword(id)); });
}

void append_spans(std::string& out, std::span<const text::Span> spans) {
  json::append_array(out, spans, [](std::string& text, text::Span span) {
    json::append_array(text, std::array{span.begin, span.end}, json::append_integer);
  });
}

void append_words(std::string& out, std::span<const int32_t> words) {
  json::append_array(out, words, [](std::string& text, int32_t word) {
    if (word == features::kNoWord)
      text += "null";
    else
      json::append_integer(text, word);
  });
}

void append_id_line(std::string& out, std::span<const int32_t> ids) {
  append_line(out, ids, [&](int32_t id) { json::append_integer(out, id); });
}

void append_subword_line(std::string& out, const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  append_line(out, ids, [&](int32_t id) { out += tokenizer.subword(id); });
}

}  // namespace bert::corpus
