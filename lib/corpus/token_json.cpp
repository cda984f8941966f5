#include "corpus/token_json.h"

#include "features/features.h"
#include "json/json.h"

namespace bert::corpus {
namespace {

// "[a,b,c]"; `append_one` appends the element `item`.
template <class Items, class AppendOne>
void append_array(std::string& out, const Items& items, AppendOne append_one) {
  out += '[';
  for (const auto& item : items) {
    append_one(item);
    out += ',';
  }
  if (items.empty())
    out += ']';
  else
    out.back() = ']';
}

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
  append_array(out, ids, [&](int32_t id) { json::append_string(out, tokenizer.subword(id)); });
}

void append_spans(std::string& out, std::span<const text::Span> spans) {
  append_array(out, spans, [&](text::Span span) {
    out += '[';
    json::append_integer(out, span.begin);
    out += ',';
    json::append_integer(out, span.end);
    out += ']';
  });
}

void append_words(std::string& out, std::span<const int32_t> words) {
  append_array(out, words, [&](int32_t word) {
    if (word == features::kNoWord)
      out += "null";
    else
      json::append_integer(out, word);
  });
}

void append_id_line(std::string& out, std::span<const int32_t> ids) {
  append_line(out, ids, [&](int32_t id) { json::append_integer(out, id); });
}

void append_subword_line(std::string& out, const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  append_line(out, ids, [&](int32_t id) { out += tokenizer.subword(id); });
}

}  // namespace bert::corpus
