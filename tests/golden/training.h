// Expected results of pre-training for the small models of tests/golden/training, computed in float64 by
// training_reference.py: losses and the gradient of every parameter after one step of several micro-batches.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/pool.h"
#include "golden.h"

namespace bert::golden {

// A pre-training instance as written by bert-mask.
struct TrainingRecord {
  std::vector<int32_t> input_ids;
  std::vector<int32_t> token_type_ids;
  std::vector<int32_t> masked_lm_positions;  // may be empty
  std::vector<int32_t> masked_lm_ids;
  std::optional<int32_t> next_sentence_label;
};

struct TrainingCase {
  std::string name;  // "two micro-batches"
  std::vector<std::vector<TrainingRecord>> micro_batches;

  double mlm_loss = 0;   // Σ over masked tokens / number of masked tokens
  double next_loss = 0;  // Σ over labelled sequences / number of them
  int64_t masked = 0, masked_right = 0;
  int64_t labelled = 0, next_right = 0;

  double norm = 0;                                      // of all gradients together
  std::map<std::string, std::vector<float>> gradients;  // by canonical name, row-major
};

struct TrainingModel {
  std::string directory;
  std::vector<TrainingCase> cases;
};

struct CurveOptions {
  std::string schedule;
  int64_t batch = 0, warmup = 0;
  double rate = 0, beta1 = 0, beta2 = 0, epsilon = 0, weight_decay = 0, clip = 0;
};

// A run of 20 steps from the model `narrow`, without dropout; each step takes the next `batch` records.
struct TrainingCurve : CurveOptions {
  struct Step {
    double loss = 0, rate = 0, norm = 0;  // norm: of the gradients before clipping
  };
  std::vector<Step> steps;
};

inline std::filesystem::path training_directory() { return directory() / "training"; }

// Norm of the numbers as one vector.
template <typename Number>
double norm_of(std::span<const Number> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  return std::sqrt(sum);
}

// ‖gradient - expected‖ as a fraction of the tolerance: 1e-5·‖expected‖, or 1e-9 of the norm of all gradients
// together if that is larger, as for key biases, whose gradient is 0. NaN or a different size gives infinity.
inline double gradient_share(std::span<const float> gradient, std::span<const float> truth,
                             double norm_of_all) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (gradient.size() != truth.size()) return kInfinite;
  std::vector<double> error(truth.size());
  for (size_t i = 0; i < truth.size(); ++i) error[i] = static_cast<double>(gradient[i]) - truth[i];
  const double bound = 1e-5 * std::max(norm_of(truth), 1e-4 * norm_of_all);
  const double share = norm_of(std::span<const double>(error)) / bound;
  return std::isfinite(share) ? share : kInfinite;
}

inline TrainingRecord training_record(const json::Value& json) {
  TrainingRecord record{.input_ids = json.find("input_ids").value().integers(),
                        .token_type_ids = json.find("token_type_ids").value().integers(),
                        .masked_lm_positions = json.find("masked_lm_positions").value().integers(),
                        .masked_lm_ids = json.find("masked_lm_ids").value().integers()};
  if (const auto label = json.find("next_sentence_label"))
    record.next_sentence_label = static_cast<int32_t>(label->integer());
  return record;
}

inline TrainingCase training_case(const json::Value& json) {
  TrainingCase one{.name = std::string(json.find("name").value().string()),
                   .mlm_loss = json.find("mlm_loss").value().number(),
                   .next_loss = json.find("next_loss").value().number(),
                   .masked = json.find("masked").value().integer(),
                   .masked_right = json.find("masked_right").value().integer(),
                   .labelled = json.find("labelled").value().integer(),
                   .next_right = json.find("next_right").value().integer(),
                   .norm = json.find("norm").value().number()};
  for (const json::Value& batch : json.find("micro_batches").value().elements()) {
    auto& records = one.micro_batches.emplace_back();
    for (const json::Value& record : batch.elements()) records.push_back(training_record(record));
  }
  return one;
}

// "narrow" or "broad".
inline TrainingModel load_training(const std::string& name) {
  const auto path = training_directory() / name;
  const json::File index(path.string() + ".json");
  const MappedFile numbers(path.string() + ".f32");
  TrainingModel model{.directory = path.string()};
  for (const json::Value& json : index.find("cases").value().elements()) {
    auto& one = model.cases.emplace_back(training_case(json));
    int64_t offset = json.find("offset").value().integer();
    for (const json::Value& parameter : index.find("parameters").value().elements()) {
      int64_t count = 1;
      for (const int32_t length : parameter.find("shape").value().integers()) count *= length;
      one.gradients.emplace(parameter.find("name").value().string(),
                            read_numbers(numbers.bytes(), offset, count));
    }
  }
  return model;
}

// The records of the curves, in file order.
inline std::vector<TrainingRecord> stored_records() {
  const auto path = (training_directory() / "records.jsonl").string();
  std::ifstream file(path);
  std::vector<TrainingRecord> records;
  for (std::string line; std::getline(file, line);)
    records.push_back(training_record(json::File(path, line).root()));
  return records;
}

inline CurveOptions curve_options(const json::Value& options) {
  const auto number = [&](const char* name) { return options.find(name).value().number(); };
  return {.schedule = std::string(options.find("schedule").value().string()),
          .batch = options.find("batch").value().integer(),
          .warmup = options.find("warmup").value().integer(),
          .rate = number("rate"),
          .beta1 = number("beta1"),
          .beta2 = number("beta2"),
          .epsilon = number("epsilon"),
          .weight_decay = number("weight_decay"),
          .clip = number("clip")};
}

// By optimizer: "adamw", "google".
inline TrainingCurve load_curve(const std::string& optimizer) {
  const json::File file(training_directory() / "curves.json");
  const auto json = file.find(optimizer).value();
  TrainingCurve curve = {curve_options(json.find("options").value()), {}};
  for (const json::Value& step : json.find("steps").value().elements())
    curve.steps.push_back({.loss = step.find("loss").value().number(),
                           .rate = step.find("rate").value().number(),
                           .norm = step.find("norm").value().number()});
  return curve;
}

// What a step computes.
struct StepBits {
  StepBits(double loss, std::span<const float> of) : loss(loss), gradients(of.begin(), of.end()) {}
  double loss;
  std::vector<float> gradients;
  bool operator==(const StepBits&) const = default;
};

// Whether `step`, a function from a Pool to StepBits, gives the same with one thread and with more.
template <class Step>
bool same_for_threads(Step step) {
  const auto bits = [&](int threads) {
    Pool pool(threads);
    return step(pool);
  };
  const StepBits one = bits(1);
  return one == bits(2) && one == bits(3);
}

}  // namespace bert::golden
