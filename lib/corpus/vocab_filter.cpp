#include "corpus/vocab_filter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/output_file.h"
#include "corpus/vocabulary_files.h"
#include "json/json.h"
#include "text/bpe.h"
#include "text/bpe_learner.h"
#include "text/subword_words.h"
#include "text/unigram_learner.h"
#include "text/words.h"

namespace bert::corpus {
namespace {

void write_file(const std::string& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.commit();
}

void append_line(std::string& lines, std::string_view word, int64_t count) {
  lines.append(word) += '\t';
  json::append_integer(lines, count);
  lines += '\n';
}

// Sorted by bytes, like sort(1) in the C locale.
std::string lines_of(std::span<const text::WordCount> words) {
  std::string lines;
  for (const auto& [word, count] : words) append_line(lines, word, count);
  return lines;
}

// The same for words of byte-level BPE, which may have a TAB or a line break: each byte by its character.
std::string lines_in_byte_characters(std::span<const text::WordCount> words) {
  std::vector<std::pair<std::string, int64_t>> written;
  for (const auto& [word, count] : words) {
    written.emplace_back("", count);
    for (const char byte : word) written.back().first += text::byte_characters()[static_cast<uint8_t>(byte)];
  }
  std::sort(written.begin(), written.end());
  std::string lines;
  for (const auto& [word, count] : written) append_line(lines, word, count);
  return lines;
}

// nullopt: WordPiece.
std::optional<text::Composition> composition_of(const text::TokenizerConfig& config) {
  if (config.model == text::ModelKind::wordpiece) return std::nullopt;
  using text::LetterCase;
  return text::composition_to_learn(config.model, config.lowercase ? LetterCase::lower : LetterCase::kept);
}

}  // namespace

// The words of a record, concatenated; ends[i] is the end of word i.
struct VocabFilter::Prepared : io::Work {
  std::string text;
  std::vector<size_t> ends;
  int64_t count = 1;  // of each word
};

VocabFilter::VocabFilter(const VocabularyOptions& options, Log& log)
    : options_(options),
      log_(log),
      characters_(text::CharacterRules(options.tokenizer)),
      composition_(composition_of(options.tokenizer)),
      counts_(options.max_words) {}

void VocabFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto prepared = std::make_unique<Prepared>();
  if (options_.records == VocabularyOptions::Records::counts) {
    read_count(fields, *prepared);
  } else {
    read_texts(fields, *prepared);
  }
  record.work = std::move(prepared);
}

void VocabFilter::read_count(const io::Fields& fields, Prepared& prepared) const {
  const std::string_view word = fields.required_text("word"), digits = fields.required_text("count");
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prepared.count);
  if (error != std::errc() || rest != digits.data() + digits.size() || prepared.count < 1)
    throw Error("the count is \"", digits, "\", expected a whole number from 1 to 2^63 - 1");
  add_words(word, prepared);
}

void VocabFilter::add_words(std::string_view text, Prepared& prepared) const {
  const auto take = [&](std::string_view word) {
    prepared.text += word;
    prepared.ends.push_back(prepared.text.size());
  };
  if (!composition_) return text::for_each_word(characters_, text, options_.tokenizer.max_word_chars, take);
  if (options_.records == VocabularyOptions::Records::counts)
    text::for_each_counted_word(*composition_, text, take);
  else
    text::for_each_subword_word(*composition_, text, take);
}

void VocabFilter::read_array(std::string_view field, const json::Value& array, Prepared& prepared) const {
  for (const auto word : io::named(field, [&] { return array.strings(); })) add_words(word, prepared);
}

// Reads texts like bert-tokenize: an array of words, or a text and an optional second text.
void VocabFilter::read_texts(const io::Fields& fields, Prepared& prepared) const {
  if (const auto array = fields.json(options_.text_field); array && array->is_array()) {
    read_array(options_.text_field, *array, prepared);
  } else if (const auto text = fields.text(options_.text_field)) {
    add_words(*text, prepared);
  } else if (const auto words = fields.json("words")) {
    read_array("words", *words, prepared);
  } else {
    fields.required_text(options_.text_field);
  }
  if (const auto pair = fields.pair_text(options_.pair_field)) add_words(*pair, prepared);
}

int64_t VocabFilter::cost(const io::Record& record) const { return record.work_as<Prepared>().ends.size(); }

void VocabFilter::compute(std::span<io::Record* const> records) {
  for (const io::Record* record : records) {
    const auto& prepared = record->work_as<Prepared>();
    size_t begin = 0;
    for (const size_t end : prepared.ends) {
      counts_.add(std::string_view(prepared.text).substr(begin, end - begin), prepared.count);
      begin = end;
    }
  }
}

void VocabFilter::warn_of_pruning() const {
  if (counts_.forgotten() == 0) return;
  log_.warn("more than " + std::to_string(options_.max_words) + " different words: the rarest " +
            std::to_string(counts_.forgotten()) + " were discarded; counts are too low by at most " +
            std::to_string(counts_.uncertainty()));
}

// Words of texts begin with the mark of a space, or with a space in byte-level BPE, except those of
// WordPiece.
void VocabFilter::warn_of_other_kind(std::span<const text::WordCount> words) const {
  if (options_.records != VocabularyOptions::Records::counts || words.empty()) return;
  const auto begin_with = [&](std::string_view mark) {
    return std::ranges::any_of(words, [&](const auto& counted) { return counted.word.starts_with(mark); });
  };
  using enum text::ModelKind;
  const auto kind = options_.tokenizer.model;
  if ((kind == unigram && !begin_with(text::kMetaspace)) || (kind == bpe && !begin_with(" ")) ||
      (kind == wordpiece && (begin_with(text::kMetaspace) || begin_with("\u0120"))))
    log_.warn(
        "the words do not look like those of this kind of vocabulary: were they counted for another kind?");
}

VocabFilter::Learned VocabFilter::learn(std::span<const text::WordCount> words) const {
  if (!composition_) {
    const auto vocabulary = learn_vocabulary(words, options_.learner);
    Learned learned{.tokens = vocabulary.size()};
    for (const std::string& subword : vocabulary) learned.file.append(subword) += '\n';
    return learned;
  }
  text::Composition composition = *composition_;
  std::vector<std::string> subwords;
  if (options_.tokenizer.model == text::ModelKind::bpe) {
    auto bpe = text::learn_bpe(words, options_.learner);
    subwords = std::move(bpe.subwords);
    composition.bpe = std::move(bpe.data);
  } else {
    auto unigram = text::learn_unigram(words, options_.learner);
    subwords = std::move(unigram.subwords);
    composition.unigram = std::move(unigram.data);
  }
  return {.file = tokenizer_json(subwords, composition), .tokens = subwords.size()};
}

void VocabFilter::end(io::Output& out) {
  warn_of_pruning();
  const std::vector<text::WordCount> words = counts_.sorted();
  warn_of_other_kind(words);
  Learned learned;
  if (options_.learner.size > 0) {
    learned = learn(words);
    if (static_cast<int64_t>(learned.tokens) < options_.learner.size) {
      log_.warn("the vocabulary has " + std::to_string(learned.tokens) +
                " tokens: there was nothing more to learn");
    }
  }
  if (!options_.write_counts.empty()) {
    const bool bytes = options_.tokenizer.model == text::ModelKind::bpe;
    write_file(options_.write_counts, bytes ? lines_in_byte_characters(words) : lines_of(words));
  }
  if (!options_.write_config.empty())
    write_file(options_.write_config, tokenizer_config_json(options_.tokenizer));
  out.text() += learned.file;
}

}  // namespace bert::corpus
