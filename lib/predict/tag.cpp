// A tag for each word, and the entities formed by the tags (Devlin et al. 2018, section 5.3).
#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "base/option.h"
#include "features/word_windows.h"
#include "heads/spans.h"
#include "io/conll.h"
#include "io/line_cutter.h"
#include "json/json.h"
#include "metric/entities.h"
#include "predict/predictor.h"

namespace bert::predict {
namespace {

// A record: its words, and their tokens in its windows. The words are given or found in its text.
class TaggedWords : public Reading {
 public:
  static std::unique_ptr<TaggedWords> of_words(std::vector<features::Features> windows,
                                               std::vector<std::string> words);
  // Each token is a word, except special tokens.
  static std::unique_ptr<TaggedWords> of_tokens(std::vector<features::Features> windows,
                                                const text::Tokenizer& tokenizer);
  static std::unique_ptr<TaggedWords> of_text(std::vector<features::Features> windows, std::string text);

  bool found() const { return found_; }  // false if the record gave its words
  const std::vector<std::string>& words() const { return words_; }

  // Rows of each word's tokens, each from the window that gives the token most context; empty for a word
  // without tokens. The rows of the windows must be set.
  std::vector<std::vector<const Row*>> rows() const;

  // Text and place of words [begin, end). If found in a text: the text between them, and code points of the
  // text. Otherwise: the words joined by spaces, and word indexes.
  std::string text_of(size_t begin, size_t end) const;
  text::Span place_of(size_t begin, size_t end) const;
  // The text, and the bytes of each word in it.
  std::string text() const { return text_ ? *text_ : text_of(0, words_.size()); }
  std::vector<text::Span> bytes() const;

 private:
  void set_windows(std::vector<features::Features> features);
  void find_words(std::span<const text::Span> offsets);

  bool found_ = true;
  std::optional<std::string> text_;  // the text the words were found in
  std::vector<std::string> words_;
  std::vector<text::Span> places_;                  // of each word, in code points of the text
  std::vector<text::Span> bytes_;                   // the same in bytes
  std::vector<int32_t> token_words_;                // word of each token, ascending
  std::vector<features::TokenPlace> token_places_;  // window and position that each token is read from
};

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
  const heads::CodePoints code_points(*text_);
  for (const text::Span place : places_) bytes_.push_back(code_points.bytes(place));
  for (size_t w = 0; w < places_.size(); ++w) words_.push_back(text_of(w, w + 1));
}

std::vector<std::vector<const Row*>> TaggedWords::rows() const {
  std::vector<std::vector<const Row*>> rows(words_.size());
  for (size_t t = 0; t < token_places_.size(); ++t) {
    const Window& window = windows[token_places_[t].window];
    const uint32_t row = token_places_[t].position - window.features.first.begin;
    rows[token_words_[t]].push_back(&window.rows[row]);
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

std::vector<text::Span> TaggedWords::bytes() const {
  if (text_) return bytes_;
  std::vector<text::Span> bytes;
  uint32_t begin = 0;
  for (const std::string& word : words_) {
    bytes.push_back({begin, begin + static_cast<uint32_t>(word.size())});
    begin = bytes.back().end + 1;
  }
  return bytes;
}

// Converts a label to the form metric::entities reads. A label without prefix is a type.
std::string entity_tag_of(const std::string& label) {
  return io::is_entity_tag(label) ? label : "I-" + label;
}

struct Decision {
  int32_t label = -1;  // -1: the word has no token
  float score = 0;     // probability of the label
};

Decision likeliest(std::span<const float> probabilities) {
  const int32_t label = heads::best(probabilities);
  return {.label = label, .score = probabilities[label]};
}

// The probabilities of a word, from its tokens; empty if it has none.
std::vector<float> probabilities_of(std::span<const Row* const> subwords, Aggregate aggregate) {
  std::vector<float> surest;
  std::vector<double> sums;
  for (const Row* subword : subwords) {
    auto probabilities = heads::softmax(subword->logits);
    if (aggregate == Aggregate::first) return probabilities;
    sums.resize(probabilities.size());
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += probabilities[k];
    if (surest.empty() || std::ranges::max(probabilities) > std::ranges::max(surest))
      surest = std::move(probabilities);
  }
  if (aggregate == Aggregate::max) return surest;
  std::vector<float> means;
  for (const double sum : sums) means.push_back(static_cast<float>(sum / subwords.size()));
  return means;
}

Decision decide(std::span<const Row* const> subwords, Aggregate aggregate) {
  const auto probabilities = probabilities_of(subwords, aggregate);
  return probabilities.empty() ? Decision() : likeliest(probabilities);
}

class Tag final : public Predictor {
 public:
  Tag(const TaskOptions& options, const model::Config& config)
      : config_(config),
        aggregate_(options.aggregate),
        word_scores_(options.word_scores),
        precision_(options.precision) {
    if (word_scores_) require_labels(config, task::Task::tag, 1);
    for (const std::string& label : config.labels) entity_tags_.push_back(entity_tag_of(label));
    for (const std::string& tag : entity_tags_) {
      const auto type = tag.substr(std::min<size_t>(tag.size(), 2));
      if (std::ranges::find(types_, type) == types_.end()) types_.push_back(type);
    }
  }

  features::Overflow overflow() const override { return features::Overflow::split; }
  bool takes(features::Overflow overflow) const override { return overflow != features::Overflow::truncate; }
  void adapt(features::FeatureOptions& features) const override {
    features.wanted = {.offsets = text::Offsets::chars, .words = true};
  }

  // Words take precedence over the text, which they may have been made from, unless another field was asked
  // for. Ids take precedence over both; each id is a word.
  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    if (auto windows = features::find_token_windows(fields, featurizer))
      return TaggedWords::of_tokens(*std::move(windows), featurizer.tokenizer());
    if (fields.pair_text(featurizer.options().pair_field))
      throw Error("the record has a second text; ", opt::task, " tag takes one");
    const std::string& asked = featurizer.options().text_field;
    if (const auto given = fields.words(asked)) {
      auto windows = features::word_windows(fields, featurizer, *given);
      std::vector<std::string> words;
      for (const json::Value& word : given->second.elements()) words.emplace_back(word.string());
      return TaggedWords::of_words(std::move(windows), std::move(words));
    }
    if (featurizer.options().document) fields.fail_missing("words");
    const std::string_view text = fields.required_text(asked);
    texts_.fetch_add(1, std::memory_order_relaxed);
    if (!several_ && io::columns_of(text).size() > 1) several_ = true;
    return TaggedWords::of_text(featurizer.windows(text), std::string(text));
  }

  void report(Log& log) const override {
    constexpr int64_t kFew = 3;
    if (texts_ >= kFew && !several_)
      log.warn("each text is a single word; " + opt::input_format + " conll reads a word per line");
  }

  void positions(const Window& window, std::vector<int64_t>& positions) const override {
    const auto& features = window.features;
    for (uint32_t i = features.first.begin; i < features.first.end; ++i) positions.push_back(i);
  }

  std::vector<io::Format> own_formats() const override {
    return {io::Format::conll, io::Format::text, io::Format::html};
  }

  // The lines of the record; of one that has none, a line for each word and a blank line.
  std::string official(const Reading& reading, const io::Record& record) const override {
    const auto& tagged = static_cast<const TaggedWords&>(reading);
    if (record.lines()) return tagged_lines(tagged, *record.lines(), record.source().conll);
    const auto rows = tagged.rows();
    if (!reading.tags.empty() && reading.tags.size() != rows.size())
      throw Error("field \"tags\" has ", counted(reading.tags.size(), "tag", "tags"), " for ",
                  counted(rows.size(), "word", "words"));
    std::string lines;
    const auto append = [&](std::string_view cell, char end) { lines.append(require_cell(cell)) += end; };
    for (size_t w = 0; w < rows.size(); ++w) {
      append(tagged.words()[w], ' ');
      if (!reading.tags.empty()) append(reading.tags[w], ' ');
      append(label_of(config_.labels, decide(rows[w], aggregate_)), '\n');
    }
    return lines.empty() ? lines : lines + '\n';
  }

  io::MarkedText marked(const Reading& reading) const override {
    const auto& tagged = static_cast<const TaggedWords&>(reading);
    const auto decisions = decisions_of(tagged);
    const auto bytes = tagged.bytes();
    io::MarkedText marked = {.text = tagged.text()};
    for (const metric::Entity& entity : entities_of(decisions)) {
      const auto type = std::ranges::find(types_, entity.type);
      marked.marks.push_back({.begin = bytes[entity.begin].begin,
                              .end = bytes[entity.end - 1].end,
                              .label = std::string(entity.type),
                              .color = static_cast<size_t>(type - types_.begin())});
      json::append_number(marked.marks.back().title, score_of(decisions, entity), precision_);
    }
    return marked;
  }

  // The mean over the words.
  std::optional<double> uncertainty(const Reading& reading) const override {
    double sum = 0, words = 0;
    for (const auto& rows : static_cast<const TaggedWords&>(reading).rows()) {
      if (rows.empty()) continue;
      sum += heads::entropy(probabilities_of(rows, aggregate_));
      ++words;
    }
    return words == 0 ? 0 : sum / words;
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto& tagged = static_cast<const TaggedWords&>(reading);
    const auto decisions = decisions_of(tagged);
    json::append_array(added.field("prediction"), decisions, [&](std::string& out, const Decision& decision) {
      json::append_string(out, label_of(config_.labels, decision));
    });
    if (tagged.found()) json::append_strings(added.field("words"), tagged.words());
    if (word_scores_)
      json::append_array(added.field("scores"), tagged.rows(), [this](std::string& out, const auto& rows) {
        const auto probabilities = probabilities_of(rows, aggregate_);
        if (probabilities.empty()) {
          out += "null";
        } else {
          heads::append_scores(out, config_.labels, probabilities, precision_);
        }
      });
    json::append_array(added.field("entities"), entities_of(decisions),
                       [&](std::string& out, const metric::Entity& entity) {
                         append_entity(out, tagged, decisions, entity);
                       });
  }

 private:
  static std::string_view require_cell(std::string_view cell) {
    if (cell.empty() || std::ranges::any_of(cell, io::is_white))
      throw Error(json::in_quotes(cell), " is empty or has white space, so ", opt::format,
                  " conll cannot hold it; use ", opt::format, " jsonl, or ", opt::on_error, " skip");
    return cell;
  }

  // Tags for entities, which have a tag for words outside, go to MISC of CoNLL-U, as ner=B-PER, rather than
  // to UPOS. A word without tokens has no part of speech there.
  std::string tagged_lines(const TaggedWords& tagged, const io::ConllLines& lines,
                           io::ConllColumns columns) const {
    const bool outside = std::ranges::find(config_.labels, io::kOutside) != config_.labels.end();
    if (outside && columns.tag && columns.tag == columns.find(io::kUposColumn)) {
      columns.tag = columns.find(io::kMiscColumn);
      columns.tag_key = "ner";
      if (!columns.tag)
        throw Error("has no column MISC for tags of entities; name their column with ", opt::tag_column);
    }
    std::vector<std::string_view> tags;
    for (const Decision& decision : decisions_of(tagged)) {
      const bool unknown = columns.universal && !outside && decision.label < 0;
      tags.push_back(unknown ? "_" : require_cell(label_of(config_.labels, decision)));
    }
    std::string text;
    io::append_tagged(text, lines.sentence, tags, columns);
    return text;
  }

  // A word without tokens is outside all entities, whatever the labels.
  static std::string_view label_of(const std::vector<std::string>& labels, const Decision& decision) {
    return decision.label < 0 ? io::kOutside : labels[decision.label];
  }

  std::vector<Decision> decisions_of(const TaggedWords& tagged) const {
    std::vector<Decision> decisions;
    for (const auto& rows : tagged.rows()) decisions.push_back(decide(rows, aggregate_));
    return decisions;
  }

  std::vector<metric::Entity> entities_of(const std::vector<Decision>& decisions) const {
    std::vector<std::string_view> tags;
    for (const Decision& decision : decisions) tags.push_back(label_of(entity_tags_, decision));
    return metric::entities(tags);
  }

  // The mean probability of the words' tags.
  static float score_of(const std::vector<Decision>& decisions, const metric::Entity& entity) {
    double sum = 0;
    for (size_t w = entity.begin; w < entity.end; ++w) sum += decisions[w].score;
    return static_cast<float>(sum / static_cast<double>(entity.end - entity.begin));
  }

  void append_entity(std::string& out, const TaggedWords& tagged, const std::vector<Decision>& decisions,
                     const metric::Entity& entity) const {
    const text::Span place = tagged.place_of(entity.begin, entity.end);
    json::Object object(out);
    object.string("type", entity.type);
    object.string("text", tagged.text_of(entity.begin, entity.end));
    object.integer("start", place.begin);
    object.integer("end", place.end);
    object.number("score", score_of(decisions, entity), precision_);
    object.end();
  }

  const model::Config& config_;
  std::vector<std::string> entity_tags_;  // entity_tag_of the labels
  std::vector<std::string> types_;        // of the entities
  Aggregate aggregate_;
  bool word_scores_;
  int precision_;
  mutable std::atomic<int64_t> texts_ = 0;
  mutable std::atomic<bool> several_ = false;  // words in one of them
};

}  // namespace

std::unique_ptr<Predictor> make_tag(const TaskOptions& options, const model::Config& config,
                                    const text::Tokenizer&) {
  return std::make_unique<Tag>(options, config);
}

}  // namespace bert::predict
