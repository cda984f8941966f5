#include "train/model_card.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/spelling.h"
#include "heads/vector_model.h"
#include "heads/version.h"
#include "json/json.h"
#include "model/card.h"
#include "nn/panels.h"
#include "train/training_log.h"

namespace bert::train {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRows = 10;   // of the table of the curve
constexpr size_t kShown = 30;  // labels and files

std::string rounded(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", value);
  return digits;
}

std::string code(std::string_view text) {
  std::string quoted(text);
  std::ranges::replace(quoted, '`', '\'');
  std::ranges::replace(quoted, '\n', ' ');
  return "`" + quoted + "`";
}

std::string codes(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i > 0 ? ", " : "") + code(names[i]);
  return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more" : text;
}

bool is_of_dev(const Series& series) { return series.name.starts_with(kDevPrefix); }

// The values of the dev set, after the last step.
std::vector<const Series*> dev_metrics(const State& state) {
  std::vector<const Series*> metrics;
  for (const auto& series : state.curve.series)
    if (is_of_dev(series) && !series.all().empty() &&
        series.all().back().step == static_cast<double>(state.step))
      metrics.push_back(&series);
  return metrics;
}

std::string title_of(const CardFacts& facts) {
  return fs::weakly_canonical(facts.options.run.out).filename().string();
}

// The model that training started from.
std::string base_of(const CardFacts& facts) { return heads::name_of_model(facts.initial.path); }
bool is_on_hub(const std::string& model) { return model.find('/') != model.npos; }

std::string name_of_metric(const Series& series) { return series.name.substr(kDevPrefix.size()); }

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// https://huggingface.co/docs/hub/model-cards#evaluation-results
std::string model_index(const CardFacts& facts, const State& state) {
  const auto metrics = dev_metrics(state);
  if (metrics.empty()) return "";
  const auto dev = json::in_quotes(file_name(facts.options.dev_name()));
  std::string text =
      "\n- name: " + json::in_quotes(title_of(facts)) +
      "\n  results:\n  - task:\n      type: " + std::string(task::entry(facts.options.task.kind).pipeline) +
      "\n    dataset:\n      name: " + dev + "\n      type: " + dev + "\n    metrics:";
  for (const auto* metric : metrics)
    text +=
        "\n    - type: " + name_of_metric(*metric) + "\n      value: " + rounded(metric->all().back().value);
  return text;
}

std::vector<model::Card::Key> keys_of(const CardFacts& facts, const State& state) {
  const auto& entry = task::entry(facts.options.task.kind);
  const auto word = [](std::string_view value) { return value.empty() ? "" : " " + std::string(value); };
  std::vector<model::Card::Key> keys;
  if (!facts.options.card.license.empty()) keys.push_back({"license", word(facts.options.card.license)});
  std::string languages;
  for (const auto& language : facts.options.card.languages) languages += "\n- " + json::in_quotes(language);
  if (!languages.empty()) keys.push_back({"language", languages});
  keys.push_back({"library_name", entry.sentence_model ? " sentence-transformers" : " transformers"});
  keys.push_back({"pipeline_tag", word(entry.pipeline)});
  keys.push_back({"base_model", is_on_hub(base_of(facts)) ? word(json::in_quotes(base_of(facts))) : ""});
  keys.push_back({"model-index", entry.pipeline.empty() ? "" : model_index(facts, state)});
  return keys;
}

std::string introduction(const CardFacts& facts, std::string_view previous) {
  const auto& config = facts.config;
  std::string text = "A model of type " + std::string(config.type->name) + " for `" +
                     std::string(task::name_of(facts.options.task.kind)) + "`, ";
  text += facts.initial.path.empty() ? "trained from random weights" : "trained from " + code(base_of(facts));
  text += " with the BERT filters: " + counted(config.layers, "layer", "layers") + ", width " +
          std::to_string(config.hidden) + ", at most " + std::to_string(facts.plan.task.features.max_length) +
          " tokens.\n";
  const bool has_license = !facts.options.card.license.empty() || model::has_key(previous, "license");
  if (!has_license)
    text += "\nIts license is not stated: name it with `" + opt::license + "`, or as `license:` above.\n";
  return text;
}

std::string data(const CardFacts& facts) {
  const auto& config = facts.config;
  std::string text = "\n## Data\n\nTraining: ";
  text += facts.records > 0 ? counted(facts.records, "record of ", "records of ") : "records of ";
  text += facts.options.stream.files.empty() ? "standard input" : codes(facts.options.stream.files);
  text += ".\n";
  if (facts.options.has_dev())
    text += "Dev set: " +
            (facts.options.dev.empty()
                 ? counted(facts.dev_records, "record", "records") + " held out of these files"
                 : counted(facts.dev_records, "record of ", "records of ") + code(facts.options.dev)) +
            ".\n";
  std::vector<std::string> kept;
  for (const auto& [name, value] : config.kept_options) kept.push_back("--" + name + " " + shell_word(value));
  if (!kept.empty()) text += "Read with " + codes(kept) + ".\n";
  using enum task::Task;
  if (facts.options.task.kind == classify || facts.options.task.kind == multilabel ||
      facts.options.task.kind == tag)
    text += "\nLabels: " + codes(config.labels) + ".\n";
  return text;
}

// Rows of steps with the training loss and what the dev set said, the first and the last step among them.
std::string curve(const CardFacts& facts, const State& state) {
  std::vector<const Series*> columns;
  const Series* loss = nullptr;
  for (const auto& series : state.curve.series) {
    if (series.name == "loss") loss = &series;
    if (is_of_dev(series)) columns.push_back(&series);
  }
  const auto* rows_of = columns.empty() ? loss : columns.front();
  if (rows_of == nullptr) return "";
  const auto value_at = [](const Series& series, double step) {
    std::string value;
    for (const auto& point : series.all())
      if (point.step <= step) value = rounded(point.value);
    return value;
  };
  std::string text = "\n| step | loss |", line = "|---|---|";
  for (const auto* series : columns) {
    text += " " + series->name + " |";
    line += "---|";
  }
  text += "\n" + line + "\n";
  const auto points = rows_of->all();
  const size_t rows = std::min(points.size(), kRows);
  for (size_t row = 0; row < rows; ++row) {
    const double step = points[rows == 1 ? 0 : row * (points.size() - 1) / (rows - 1)].step;
    text += "| " + std::to_string(static_cast<int64_t>(step)) + " | " + (loss ? value_at(*loss, step) : "") +
            " |";
    for (const auto* series : columns) text += " " + value_at(*series, step) + " |";
    text += "\n";
  }
  const auto& run = facts.options.run;
  if (run.plot && is_inside(*run.plot, run.out))
    text += "\n![Training log](" +
            fs::weakly_canonical(*run.plot).lexically_relative(fs::weakly_canonical(run.out)).string() +
            ")\n";
  return text;
}

std::string environment(const CardFacts& facts) {
  return "With " + heads::version() + ", " + nn::arithmetic_name(facts.plan.dtype) + ".";
}

std::string results(const State& state) {
  const auto metrics = dev_metrics(state);
  if (metrics.empty()) return "";
  std::string text = "\n## Results\n\nOn the dev set, after step " + std::to_string(state.step) +
                     ":\n\n| metric | value |\n|---|---|\n";
  for (const auto* metric : metrics)
    text += "| " + name_of_metric(*metric) + " | " + rounded(metric->all().back().value) + " |\n";
  return text;
}

}  // namespace

std::string model_card(const CardFacts& facts, const State& state) {
  const auto path = fs::path(facts.options.run.out) / model::kCard;
  const auto previous = is_file(path) ? read_file(path.string()) : "";
  model::Card card = {.title = title_of(facts), .keys = keys_of(facts, state)};
  card.text = introduction(facts, previous) + data(facts) + results(state) + "\n## Training\n\n```sh\n" +
              facts.options.card.command + "\n```\n" + curve(facts, state) + "\n" + environment(facts) + "\n";
  return model::merged(card, previous);
}

}  // namespace bert::train
