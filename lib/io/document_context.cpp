#include "io/document_context.h"

#include <utility>

#include "base/error.h"
#include "io/conll.h"
#include "io/line_cutter.h"
#include "json/utf8.h"

namespace bert::io {

Sentence SentenceReader::read(const Source& source, std::string_view bytes, bool starts_document) {
  Sentence sentence;
  document_ += starts_document ? 1 : 0;
  try {
    read_words(source, bytes, sentence);
    sentence.document = document_;
  } catch (const Error& error) {  // reported when the record itself is read
    sentence = {.document = ++document_, .failure = error.what()};
    id_.clear();
    ++document_;
  }
  return sentence;
}

void SentenceReader::read_words(const Source& source, std::string_view bytes, Sentence& sentence) {
  std::string repaired, made;
  if (options_.invalid_utf8 == InvalidUtf8::replace && !json::is_utf8(bytes))
    bytes = repaired = json::repair_utf8(bytes);
  int64_t line = 0;
  if (is_tagged(source.format)) bytes = made = conll_record(bytes, source.conll, line, source.encoding);
  const Fields record(source, parser_.parse(json_part(bytes)));
  const auto words = record.words(options_.text_field);
  if (!words) record.fail_missing("words");
  for (const auto word : named(words->first, [&] { return words->second.strings(); }))
    sentence.words.push_back({.word = std::string(word)});
  if (!options_.tag_field.empty()) read_tags(record, sentence.words);
  if (!options_.score_field.empty()) read_scores(record, sentence.words);
  if (is_tagged(source.format)) return;
  if (auto id = record.label("document"); id != id_) {
    ++document_;
    id_ = std::move(id);
  }
}

void SentenceReader::read_tags(const Fields& record, std::vector<ContextWord>& words) const {
  try {
    auto tags = bio_of(record.strings(options_.tag_field));
    if (tags.size() != words.size()) return;
    for (size_t i = 0; i < tags.size(); ++i) words[i].tag = std::move(tags[i]);
  } catch (const Error&) {  // reported when the record itself is read
  }
}

void SentenceReader::read_scores(const Fields& record, std::vector<ContextWord>& words) const {
  try {
    const auto given = record.required(options_.score_field).elements();
    if (given.size() != words.size()) return;
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].is_null()) continue;
      for (const auto& [tag, value] : given[i].members())
        words[i].scores.emplace_back(std::string(tag), value.number());
    }
  } catch (const Error&) {  // reported when the record itself is read
    for (auto& word : words) word.scores.clear();
  }
}

SentenceReader::Options sentence_options(const StreamOptions& stream) {
  return {.text_field = stream.text_field,
          .tag_field = stream.context_tags,
          .score_field = stream.context_scores,
          .invalid_utf8 = stream.invalid_utf8};
}

}  // namespace bert::io
