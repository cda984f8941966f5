// Windows of records: one for each record, or several for long texts with features::Overflow::split. A window
// type has a member `features::Features features`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/record.h"
#include "predict/batches.h"

namespace bert::predict {

// Working data of a record from prepare to finish.
template <class Window>
struct Windows : io::Work {
  std::vector<Window> windows;

  int64_t tokens() const {
    int64_t tokens = 0;
    for (const Window& window : windows) tokens += static_cast<int64_t>(window.features.ids.size());
    return tokens;
  }
};

// Calls `run` with each batch of the records' windows and the windows in it, see run_in_batches.
template <class Window>
void run_windows(std::span<io::Record* const> records, int64_t budget,
                 const std::function<void(const nn::Batch&, std::span<Window* const>)>& run) {
  std::vector<Window*> windows;
  std::vector<const features::Features*> sequences;
  for (io::Record* record : records) {
    for (Window& window : record->work_as<Windows<Window>>().windows) {
      windows.push_back(&window);
      sequences.push_back(&window.features);
    }
  }
  run_in_batches(sequences, budget, [&](const nn::Batch& batch, size_t first) {
    run(batch, std::span(windows).subspan(first, static_cast<size_t>(batch.sequences())));
  });
}

// Mean of numbers(window) over the windows, weighted by their tokens. All windows must have equally many
// numbers. Sums are in double, so the numbers of a single window are returned unchanged: length * x and its
// quotient are exact.
template <class Window, class Numbers>
std::vector<float> mean_by_tokens(std::span<const Window> windows, const Numbers& numbers) {
  std::vector<double> sums(std::span<const float>(numbers(windows.front())).size());
  double tokens = 0;
  for (const Window& window : windows) {
    const std::span<const float> values = numbers(window);
    const auto length = static_cast<double>(window.features.ids.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += length * values[i];
    tokens += length;
  }
  std::vector<float> mean;
  mean.reserve(sums.size());
  for (const double sum : sums) mean.push_back(static_cast<float>(sum / tokens));
  return mean;
}

}  // namespace bert::predict
