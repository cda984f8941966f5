#include "examples/tag_example.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "features/features.h"
#include "features/word_windows.h"
#include "io/conll.h"
#include "json/json.h"

namespace bert::examples {
namespace {

struct WordWindows {
  std::vector<features::Features> windows;
  std::vector<int32_t> token_words;  // of each token of all windows
  size_t words = 0;
};

WordWindows read_windows(const io::Fields& fields, const features::Featurizer& featurizer) {
  WordWindows found;
  if (auto windows = features::find_token_windows(fields, featurizer)) {
    found.token_words.resize(features::token_places(*windows).size());
    std::iota(found.token_words.begin(), found.token_words.end(), 0);
    found.words = found.token_words.size();
    found.windows = *std::move(windows);
    return found;
  }
  const auto words = fields.words(featurizer.options().text_field);
  if (!words) fields.fail_without_words();
  found.windows = features::word_windows(fields, featurizer, *words);
  found.token_words =
      features::joined(std::span<const features::Features>(found.windows), &features::Features::words);
  found.words = words->second.size();
  return found;
}

int32_t most_probable(std::span<const float> scores) {
  return static_cast<int32_t>(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace

std::vector<std::string> tags_in_order(std::vector<std::string> names) {
  names = in_order(std::move(names));
  if (const auto outside = std::ranges::find(names, io::kOutside); outside != names.end())
    std::rotate(names.begin(), outside, outside + 1);
  return names;
}

TagReader::TagReader(const features::Featurizer& featurizer, std::string label_field, const Labels& labels,
                     For use, SoftLabels soft, const io::TagSchemes* schemes)
    : featurizer_(featurizer),
      label_field_(std::move(label_field)),
      labels_(labels),
      use_(use),
      soft_(soft),
      schemes_(schemes) {
  assert(featurizer.options().overflow != features::Overflow::truncate && featurizer.options().wanted.words);
}

std::vector<std::string_view> TagReader::read_tags(const io::Fields& fields, size_t words) const {
  auto tags = fields.strings(label_field_);
  if (tags.size() != words)
    throw Error("field \"", label_field_, "\" has ", counted(tags.size(), "tag", "tags"), " for ",
                counted(words, "word", "words"));
  if (schemes_ != nullptr) schemes_->add(tags);
  for (const auto tag : tags) io::require_label(fields.own_name(label_field_), tag);
  return tags;
}

// `scores` of bert-predict: for each word {"tag": probability, ...}, or null for one that its model cannot
// read. A gold tag without a probability has another name than the teacher gives it.
TagReader::WordScores TagReader::read_scores(const io::Fields& fields, std::span<const std::string> tags,
                                             size_t words) const {
  const auto array = fields.required(kTagScores);
  return io::named(kTagScores, [&] {
    const auto given = array.elements();
    if (given.size() != words)
      throw Error("has ", counted(std::ssize(given), "element", "elements"), " for ",
                  counted(words, "word", "words"));
    WordScores scores(words);
    for (size_t word = 0; word < words; ++word) {
      if (given[word].is_null()) continue;
      auto& soft = scores[word];
      soft.resize(labels_.size());
      double sum = 0;
      for (const auto& [tag, value] : given[word].members()) {
        const double p = value.number();
        soft[labels_.id(std::string(tag))] = probability(tag, p);
        sum += p;
      }
      if (!(sum > 0)) throw Error("has no probability above 0 for word ", word);
      if (!tags.empty() && !given[word].find(tags[word]))
        throw Error("has no ", json::in_quotes(tags[word]), ", the tag of word ", word);
    }
    return scores;
  });
}

void TagExample::add_input(Checksum& checksum) const {
  Example::add_input(checksum);
  checksum.add(std::as_bytes(std::span(&begin, 1)));
}

void TagReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto [windows, token_words, count] = read_windows(fields, featurizer_);
  std::vector<std::string_view> tags;
  if (soft_ != SoftLabels::alone) tags = read_tags(fields, count);
  std::vector<int32_t> labels(count);
  const auto given = io::bio_of(tags);
  for (size_t word = 0; word < given.size(); ++word) labels[word] = labels_.id(given[word]);
  const auto scores = soft_ == SoftLabels::none ? WordScores() : read_scores(fields, given, count);
  for (size_t word = 0; soft_ == SoftLabels::alone && word < count; ++word)
    labels[word] = most_probable(scores[word]);

  std::vector<std::unique_ptr<TagExample>> made(windows.size());
  for (auto& example : made) example = std::make_unique<TagExample>();
  const io::Context* around = nullptr;
  if (use_ == For::learning && featurizer_.options().document) around = &fields.context();
  const features::Features& first = windows.front();
  if (around != nullptr) add_neighbours(first, 0, first.first.begin, around->before, *made.front());
  const auto places = features::token_places(windows);
  for (size_t t = 0; t < places.size(); ++t) {
    const int32_t word = token_words[t];
    if (t > 0 && word == token_words[t - 1]) continue;
    TagExample& example = *made[places[t].window];
    example.places.push_back(places[t].position);
    example.labels.push_back(labels[word]);
    if (soft_ != SoftLabels::none) {
      if (scores[word].empty())
        throw Error("field \"", kTagScores, "\" has no probabilities for word ", word);
      example.soft.insert(example.soft.end(), scores[word].begin(), scores[word].end());
    }
    if (use_ == For::evaluation) example.words.push_back(word);
  }
  if (around != nullptr)
    add_neighbours(first, first.first.end, first.ids.size(), around->after, *made.front());
  if (use_ == For::evaluation) made.back()->tags.emplace(tags.begin(), tags.end());
  for (size_t w = 0; w < windows.size(); ++w) {
    made[w]->begin = windows[w].first.begin;
    made[w]->ids = std::move(windows[w].ids);
    made[w]->types = std::move(windows[w].types);
    if (use_ == For::evaluation || !made[w]->places.empty()) examples.push_back(std::move(made[w]));
  }
}

void TagReader::add_neighbours(const features::Features& window, size_t begin, size_t end,
                               std::span<const io::ContextWord> words, TagExample& example) const {
  for (size_t t = begin; t < end; ++t) {
    const int32_t word = window.words[t];
    if (word == features::kNoWord || (t > begin && word == window.words[t - 1])) continue;
    const std::string& tag = words[word].tag;
    std::vector<float> scores;
    if (soft_ != SoftLabels::none && (scores = known_scores(words[word])).empty()) continue;
    auto label = tag.empty() ? std::nullopt : labels_.find(tag);
    if (soft_ == SoftLabels::alone) label = most_probable(scores);
    if (!label) continue;
    example.places.push_back(t);
    example.labels.push_back(*label);
    example.soft.insert(example.soft.end(), scores.begin(), scores.end());
  }
}

std::vector<float> TagReader::known_scores(const io::ContextWord& word) const {
  std::vector<float> scores(labels_.size());
  for (const auto& [tag, p] : word.scores) {
    const auto label = labels_.find(tag);
    if (!label || !(p >= 0 && p <= 1)) return {};
    scores[*label] = static_cast<float>(p);
  }
  if (!std::ranges::any_of(scores, [](float p) { return p > 0; })) return {};
  return scores;
}

}  // namespace bert::examples
