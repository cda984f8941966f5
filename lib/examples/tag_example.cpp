#include "examples/tag_example.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "features/features.h"
#include "features/word_windows.h"
#include "io/conll.h"

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

}  // namespace

std::vector<std::string> tags_in_order(std::vector<std::string> names) {
  names = in_order(std::move(names));
  if (const auto outside = std::ranges::find(names, io::kOutside); outside != names.end())
    std::rotate(names.begin(), outside, outside + 1);
  return names;
}

TagReader::TagReader(const features::Featurizer& featurizer, std::string label_field, const Labels& labels,
                     For use, const io::TagSchemes* schemes)
    : featurizer_(featurizer),
      label_field_(std::move(label_field)),
      labels_(labels),
      use_(use),
      schemes_(schemes) {
  assert(featurizer.options().overflow != features::Overflow::truncate && featurizer.options().wanted.words);
}

void TagReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto [windows, token_words, count] = read_windows(fields, featurizer_);
  const auto tags = fields.strings(label_field_);
  if (tags.size() != count)
    throw Error("field \"", label_field_, "\" has ", counted(tags.size(), "tag", "tags"), " for ",
                counted(count, "word", "words"));
  if (schemes_ != nullptr) schemes_->add(tags);
  std::vector<int32_t> labels;
  const auto given = io::bio_of(tags);
  for (const std::string& tag : given) require_label(label_field_, tag);
  for (const std::string& tag : given) labels.push_back(labels_.id(tag));

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
    if (use_ == For::evaluation) example.words.push_back(word);
  }
  if (around != nullptr)
    add_neighbours(first, first.first.end, first.ids.size(), around->after, *made.front());
  if (use_ == For::evaluation) made.back()->tags.emplace(tags.begin(), tags.end());
  for (size_t w = 0; w < windows.size(); ++w) {
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
    const auto label = tag.empty() ? std::nullopt : labels_.find(tag);
    if (!label) continue;
    example.places.push_back(t);
    example.labels.push_back(*label);
  }
}

}  // namespace bert::examples
