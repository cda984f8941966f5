// Runs a record through a task with given logits instead of a network.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "features/features.h"
#include "io/output.h"
#include "io/record.h"
#include "json/json.h"
#include "predict/predictor.h"

namespace bert::predict {

// Returns the fields that the task adds to the record `json`, as a JSON object. `logits` is called for each
// window and each position that the task reads.
inline std::string answered(
    const Predictor& task, const features::Featurizer& featurizer, const std::string& json,
    const std::function<std::vector<float>(size_t window, int64_t position)>& logits) {
  const io::Source source{.name = "test", .format = io::InputFormat::jsonl, .columns = {}};
  json::Document document;
  const auto reading = task.read(io::Fields(source, document.parse(json)), featurizer);
  for (size_t w = 0; w < reading->windows.size(); ++w) {
    Window& window = reading->windows[w];
    std::vector<int64_t> positions;
    task.positions(window, positions);
    for (const int64_t position : positions) window.rows.push_back({.logits = logits(w, position)});
  }
  io::Added added;
  task.answer(*reading, added);
  io::Output out;
  out.object(added);
  return out.written();
}

}  // namespace bert::predict
