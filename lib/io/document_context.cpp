#include "io/document_context.h"

#include <charconv>

#include "json/json.h"

namespace bert::io {

std::string joined(const ContextSentence& sentence, const ContextWords& before, const ContextWords& after,
                   bool tags) {
  std::string bytes = sentence.bytes + kContextMark;
  if (!sentence.failure.empty()) return bytes += sentence.failure;
  const auto append_word = [](std::string& out, const ContextWord* word) { out += word->word; };
  const auto append_tag = [](std::string& out, const ContextWord* word) { out += word->tag; };
  json::append_array(bytes += '[', before, append_word);
  json::append_array(bytes += ',', after, append_word);
  if (tags) {
    json::append_array(bytes += ',', before, append_tag);
    json::append_array(bytes += ',', after, append_tag);
  }
  return bytes += ']';
}

// Lines: the document, the failure, then each word and its tag. JSON has no line ends and no NUL.
std::string stored(const ContextSentence& sentence) {
  std::string bytes =
      sentence.bytes + kContextMark + std::to_string(sentence.document) + '\n' + sentence.failure + '\n';
  for (const auto& [word, tag] : sentence.words) bytes += word + '\n' + tag + '\n';
  return bytes;
}

ContextSentence stored_sentence(std::string_view bytes) {
  ContextSentence sentence;
  const size_t mark = bytes.rfind(kContextMark);
  sentence.bytes = bytes.substr(0, mark);
  std::string_view rest = bytes.substr(mark + 1);
  const auto line = [&] {
    const auto text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(text.size() + 1);
    return text;
  };
  const auto document = line();
  std::from_chars(document.data(), document.data() + document.size(), sentence.document);
  sentence.failure = line();
  while (!rest.empty()) {
    auto& word = sentence.words.emplace_back();
    word.word = line();
    word.tag = line();
  }
  return sentence;
}

}  // namespace bert::io
