#include "train/check_report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "base/output_file.h"
#include "json/json.h"

namespace bert::train {
namespace {

// The number of tokens of all examples.
double tokens_of(const examples::CheckedRecords& records) {
  double tokens = 0;
  for (const auto& record : records.digests) tokens += record.tokens;
  return tokens;
}

int64_t longest_of(const examples::CheckedRecords& records) {
  uint32_t longest = 0;
  for (const auto& record : records.digests) longest = std::max(longest, record.tokens);
  return longest;
}

// What the layers keep for the backward pass, in bytes.
double kept_bytes(const model::Config& config, double tokens, double length) {
  const double numbers = 9.0 * config.hidden + 2.0 * config.feed_forward + length * config.heads;
  return sizeof(float) * numbers * tokens * static_cast<double>(config.layers);
}

double memory_so_far() {
  constexpr double kKibibyte = 1024;
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * kKibibyte;
}

struct Need {
  double steps = 0, seconds = 0, bytes = 0;
};

Need need_of(const CheckedRun& checked, const Pace& pace) {
  constexpr double kForward = 1.0 / 3;  // share of the time of a training step
  const auto& [plan, run, config, train, dev, no_pace, no_baselines] = checked;
  const auto examples = static_cast<double>(train.checked.examples);
  const double length = tokens_of(train.checked) / examples;  // of an example
  const auto limit = static_cast<double>(plan.step.tokens.value_or(0));
  const double in_batch =
      limit > 0 ? std::max(limit / length, 1.0) : static_cast<double>(plan.step.sequences);
  const double in_step = in_batch * static_cast<double>(plan.step.accumulate);
  const double of_step = in_step * length * pace.token_s + pace.step_s;
  const double drawn = examples * static_cast<double>(train.source.draws()) /
                       static_cast<double>(train.checked.records);  // examples in all epochs
  Need need = {.steps = std::ceil(drawn / in_step)};
  if (run.extent.steps) need.steps = static_cast<double>(*run.extent.steps);
  if (run.extent.budget_s) need.steps = std::floor(*run.extent.budget_s / of_step);
  need.seconds = need.steps * of_step;
  if (dev != nullptr) {
    const auto every = static_cast<double>(run.options.eval_every.value_or(0));
    const double epochs = std::floor(need.steps * in_step / examples);
    const double times = every > 0 ? std::floor(need.steps / every) : run.eval_epochs ? epochs : 1;
    need.seconds += std::max(times, 1.0) * tokens_of(dev->checked) * pace.token_s * kForward;
  }
  if (run.extent.budget_s) need.seconds = *run.extent.budget_s;
  const auto longest = static_cast<double>(longest_of(train.checked));
  const double in_largest =
      std::min(limit > 0 ? std::max(limit, longest) : in_batch * longest, tokens_of(train.checked));
  const double more = std::max(in_largest - static_cast<double>(pace.tokens), 0.0);
  need.bytes = memory_so_far() + kept_bytes(config, more, longest);
  return need;
}

void add_baselines(std::span<const Baseline> baselines, metric::Report& report) {
  report.open("baselines");
  for (const auto& baseline : baselines) {
    report.open(baseline.name);
    for (const auto& [name, value] : baseline.values) report.value(name, value);
    report.close();
  }
  report.close();
}

std::string json_line(const metric::Report& report) {
  const auto& fields = report.fields();
  std::string line;
  json::Object object(line);
  for (size_t i = 0; i < fields.size(); ++i) object.key(fields.name(i)) += fields.value(i);
  object.end();
  return line + "\n";
}

}  // namespace

void write_report(const CheckedRun& run, io::Format format) {
  constexpr double kMegabyte = 1e6;
  metric::Report report({}, -1, [](std::string_view) {});
  if (run.pace) {
    const auto need = need_of(run, *run.pace);
    report.count("steps", std::llround(need.steps));
    report.count("estimated_seconds", std::llround(std::ceil(need.seconds)));
    report.count("estimated_mb", std::llround(need.bytes / kMegabyte));
  }
  add_tables(run.plan.task, run.train, run.dev, report);
  if (!run.baselines.empty()) add_baselines(run.baselines, report);
  OutputFile out("-");
  out.write(format == io::Format::text ? report.text() : json_line(report));
  out.commit();
}

}  // namespace bert::train
