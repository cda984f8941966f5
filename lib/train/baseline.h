// What a trained model is to be better than: predictions without a network, measured on its dev set.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "examples/record_source.h"
#include "examples/sentence_example.h"
#include "metric/metrics.h"
#include "task/task.h"
#include "text/tokenizer.h"
#include "train/bag_of_tokens.h"

namespace bert::train {

struct Baseline {
  std::string name;       // "majority" or, of numbers, "mean": the same for each text; "tokens": BagOfTokens
  metric::Values values;  // the dev metrics of the task
};

// What differs between the tasks.
struct BaselineTask {
  task::Task task;
  OutputLoss loss;
  int32_t outputs;
  std::string positive;  // see metric::Evaluation
  std::function<std::vector<float>(const examples::SentenceExample&)> target;
  // Compares the prediction of these outputs with the gold label.
  std::function<void(const examples::SentenceExample&, std::span<const float> outputs, metric::Evaluation&)>
      compare;
};

struct ReadRecords {
  const examples::RecordSource& source;
  const examples::ExampleReader& reader;
};

// Reads all records, the training records into memory: 8 bytes for each different token of a text. Leaves out
// bad records, which were reported before.
std::vector<Baseline> baselines(const BaselineTask& task, const ReadRecords& train, const ReadRecords& dev,
                                const text::Tokenizer& tokenizer);

}  // namespace bert::train
