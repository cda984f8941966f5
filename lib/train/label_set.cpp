#include "train/label_set.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "comm/message.h"
#include "json/json.h"
#include "metric/classification.h"

namespace bert::train {
namespace {

using examples::LabelCounts, examples::LabelCounter;

LabelCounts sum_over_ranks(const LabelCounts& own, comm::Communicator& ranks) {
  std::string message;
  for (const auto& [name, count] : own) {
    comm::append(message, std::string_view(name));
    comm::append(message, count);
  }
  LabelCounts sum;
  for (const auto& of_rank : ranks.all_gather(message)) {
    for (std::string_view in = of_rank; !in.empty();) {
      const auto name = comm::take_text(in);
      sum[name] += comm::take_number(in);
    }
  }
  return sum;
}

// `"a", "b" or 3 others`
std::string first_of(std::vector<std::string> names, std::string_view conjunction) {
  constexpr size_t kShown = 5;
  if (names.size() > kShown) {
    names[kShown] = std::to_string(names.size() - kShown) + " others";
    names.resize(kShown + 1);
  }
  return listed(names, conjunction);
}

// Warns of what is probably not meant.
void warn_of_labels(const TrainingTaskOptions& options, const LabelSet& set, const LabelCounts* counts,
                    Log& log) {
  if (!set.weights.empty() && std::ranges::all_of(set.weights, [](float weight) { return weight == 0; }))
    log.warn(opt::class_weights + " are all 0: nothing is learned");
  if (counts == nullptr) return;
  std::vector<std::string> absent;
  for (const auto& name : options.labels)
    if (!counts->contains(name)) absent.push_back(json::in_quotes(name));
  if (!absent.empty()) log.warn(opt::labels + ": no record has " + first_of(std::move(absent), "or"));
}

// Of labels that only records of the dev set have.
void warn_of_untrained(const LabelCounts& counts, Log& log) {
  std::vector<std::string> names;
  for (const auto& [name, count] : counts)
    if (count == 0) names.push_back(json::in_quotes(name));
  if (!names.empty())
    log.warn("no training record has the label " + first_of(std::move(names), "or") +
             ", only records that are held out");
}

// Of names that come from the records.
void warn_of_names(const std::vector<std::string>& names, Log& log) {
  for (const auto& note : metric::spelling_notes(names)) log.warn(note);
  for (const auto& note : {metric::missing_note(names), metric::kinds_note(names)})
    if (!note.empty()) log.warn(note);
}

bool is_of_model(const model::Config& config, const LabelQuestion& question) {
  return !question.architecture.empty() && config.has_architecture(question.architecture);
}

bool all_among(const LabelCounts& counts, const std::vector<std::string>& names) {
  return std::ranges::all_of(
      counts, [&](const auto& count) { return std::ranges::find(names, count.first) != names.end(); });
}

std::vector<std::string> names_of(const TrainingTaskOptions& options, const model::Config& config,
                                  const LabelQuestion& question, const std::optional<LabelCounts>& counts) {
  if (!options.labels.empty()) return options.labels;
  if (is_of_model(config, question) && (!counts || all_among(*counts, config.labels))) return config.labels;
  if (!counts) throw Error("the labels of a pipe are unknown: use ", opt::labels, ", or FILEs");
  std::vector<std::string> names;
  for (const auto& [name, count] : *counts) names.push_back(name);
  return question.order(std::move(names));
}

std::vector<float> balanced(const std::vector<std::string>& names, const LabelCounts& counts) {
  double total = 0;
  for (const auto& [name, count] : counts) total += count;
  std::vector<float> weights;
  for (const auto& name : names) {
    const auto found = counts.find(name);
    const auto count = found == counts.end() ? 0 : found->second;
    weights.push_back(count == 0 ? 1
                                 : static_cast<float>(total / (names.size() * static_cast<double>(count))));
  }
  return weights;
}

std::vector<float> weights_of(const ClassWeights& wanted, const examples::Labels& labels,
                              const std::optional<LabelCounts>& counts) {
  if (wanted.balanced) return balanced(labels.names(), *counts);
  if (wanted.given.empty()) return {};
  std::vector<float> weights(labels.names().size(), 1);
  for (const auto& [name, weight] : wanted.given) {
    try {
      weights[labels.id(name)] = weight;
    } catch (const Error& error) {
      throw Error(opt::class_weights, ": ", error.what());
    }
  }
  return weights;
}

LabelSet labelled(const TrainingTaskOptions& options, const model::Config& config,
                  const LabelQuestion& question, const std::optional<LabelCounts>& counts) {
  LabelSet set;
  set.labels = examples::Labels(names_of(options, config, question, counts));
  set.weights = weights_of(options.class_weights, set.labels, counts);
  set.balanced = options.class_weights.balanced;
  set.of_model = is_of_model(config, question) && set.labels.names() == config.labels;
  return set;
}

}  // namespace

std::optional<LabelSet> settle_labels(const TrainingTaskOptions& options, const model::Config& config,
                                      const Preparation& preparation, const LabelQuestion& question) {
  const auto& check = preparation.check;
  if (preparation.source.records() == 0) {
    if (options.class_weights.balanced)
      throw Error(opt::class_weights, " balanced needs FILEs: a pipe can be read only once");
    auto set = labelled(options, config, question, std::nullopt);
    warn_of_labels(options, set, nullptr, preparation.log);
    return check(question.reader_of(set.labels)) ? std::optional(std::move(set)) : std::nullopt;
  }
  const LabelCounter counter(options.labels);
  if (!check(question.reader_of(counter))) return std::nullopt;
  auto counts = sum_over_ranks(counter.counts(), preparation.ranks);
  for (const auto& name : preparation.labels) counts.try_emplace(name, 0);
  if (counts.size() > LabelCounter::kMost)
    throw Error("more than ", LabelCounter::kMost, " labels: field \"", question.field,
                "\" does not contain class labels");
  auto set = labelled(options, config, question, counts);
  warn_of_labels(options, set, &counts, preparation.log);
  if (options.labels.empty() && !set.of_model) warn_of_names(set.labels.names(), preparation.log);
  if (!preparation.labels.empty()) warn_of_untrained(counts, preparation.log);
  return set;
}

LabelSet labels_of_model(const TrainingTaskOptions& options, const model::Config& config,
                         const LabelQuestion& question) {
  LabelSet set;
  if (!is_of_model(config, question)) return set;
  if (!options.labels.empty() && options.labels != config.labels)
    throw Error(opt::labels, " is ", joined(options.labels), ", the model's labels are ",
                joined(config.labels));
  if (options.class_weights.balanced)
    throw Error(opt::class_weights, " balanced counts training records, but ", opt::steps, " 0 reads none");
  set.labels = examples::Labels(config.labels);
  set.weights = weights_of(options.class_weights, set.labels, std::nullopt);
  set.of_model = true;
  return set;
}

examples::SoftLabels soft_labels_of(const TrainingTaskOptions& options) {
  using enum examples::SoftLabels;
  return !options.soft_labels ? none : *options.soft_labels == 1 ? alone : besides;
}

void add_soft_labels(const TrainingTaskOptions& options, Settings& settings) {
  if (!options.soft_labels) return;
  settings.emplace_back(opt::soft_labels, setting(*options.soft_labels));
  settings.emplace_back(opt::temperature, setting(options.temperature));
}

void add_settings(const LabelSet& set, Settings& settings) {
  settings.emplace_back("the labels", setting(set.labels.names()));
  if (set.weights.empty()) return;
  std::vector<std::string> weights;
  for (const float weight : set.weights) weights.push_back(setting(weight));
  settings.emplace_back(opt::class_weights, set.balanced ? "balanced" : setting(weights));
}

}  // namespace bert::train
