#include "train/label_set.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "base/error.h"
#include "examples/sentence_example.h"

namespace bert::train {
namespace {

constexpr size_t kMostLabels = 10'000;  // with more, the field probably has no labels

using Counts = std::map<std::string, int64_t>;

Counts count_labels(examples::RecordSource& source, const LabelQuestion& question) {
  Counts counts;
  source.each([&](const io::Fields& fields, const io::Record&, int64_t) {
    for (const auto& label : question.of_record(fields)) ++counts[label];
    if (counts.size() > kMostLabels)
      throw Error("more than ", kMostLabels, " labels: field \"", question.field,
                  "\" does not contain class labels");
  });
  return counts;
}

bool all_among(const Counts& counts, const std::vector<std::string>& names) {
  return std::ranges::all_of(
      counts, [&](const auto& count) { return std::ranges::find(names, count.first) != names.end(); });
}

std::vector<std::string> names_of(const TrainingTaskOptions& options, const model::Config& config,
                                  const LabelQuestion& question, const std::optional<Counts>& counts) {
  if (!options.labels.empty()) return options.labels;
  const bool models = !question.architecture.empty() && config.has_architecture(question.architecture);
  if (models && (!counts || all_among(*counts, config.labels))) return config.labels;
  if (!counts) throw Error("the labels of a pipe are unknown: use --labels, or FILEs");
  std::vector<std::string> names;
  for (const auto& [name, count] : *counts) names.push_back(name);
  return question.order(std::move(names));
}

std::vector<float> balanced(const std::vector<std::string>& names, const Counts& counts) {
  double total = 0;
  for (const auto& [name, count] : counts) total += static_cast<double>(count);
  std::vector<float> weights;
  for (const auto& name : names) {
    const auto found = counts.find(name);
    const auto count = found == counts.end() ? 0 : found->second;
    weights.push_back(count == 0 ? 1
                                 : static_cast<float>(total / (static_cast<double>(names.size()) *
                                                               static_cast<double>(count))));
  }
  return weights;
}

std::vector<float> weights_of(const ClassWeights& wanted, const examples::Labels& labels,
                              const std::optional<Counts>& counts) {
  if (wanted.balanced) return balanced(labels.names(), *counts);
  if (wanted.given.empty()) return {};
  std::vector<float> weights(labels.names().size(), 1);
  for (const auto& [name, weight] : wanted.given) {
    try {
      weights[static_cast<size_t>(labels.id(name))] = weight;
    } catch (const Error& error) {
      throw Error("--class-weights: ", error.what());
    }
  }
  return weights;
}

}  // namespace

LabelSet settle_labels(const TrainingTaskOptions& options, const model::Config& config,
                       examples::RecordSource& source, const LabelQuestion& question) {
  const bool is_pipe = source.records() == 0;
  if (options.class_weights.balanced && is_pipe)
    throw Error("--class-weights balanced needs FILEs: a pipe can be read only once");
  const bool counted = !is_pipe && (options.labels.empty() || options.class_weights.balanced);
  const auto counts = counted ? std::optional(count_labels(source, question)) : std::nullopt;
  LabelSet set;
  set.labels = examples::Labels(names_of(options, config, question, counts));
  set.weights = weights_of(options.class_weights, set.labels, counts);
  set.balanced = options.class_weights.balanced;
  set.of_model = !question.architecture.empty() && config.has_architecture(question.architecture) &&
                 set.labels.names() == config.labels;
  return set;
}

void add_settings(const LabelSet& set, Settings& settings) {
  settings.emplace_back("the labels", setting(set.labels.names()));
  if (set.weights.empty()) return;
  std::vector<std::string> weights;
  for (const float weight : set.weights) weights.push_back(setting(weight));
  settings.emplace_back("--class-weights", set.balanced ? "balanced" : setting(weights));
}

}  // namespace bert::train
