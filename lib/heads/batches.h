// Groups the sequences of many records into batches of bounded size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "features/features.h"
#include "io/record.h"
#include "model/config.h"
#include "nn/batch.h"

namespace bert::heads {

// Concatenates the sequences in order and calls `run` with each batch and the index of its first sequence. A
// batch has at most `budget` tokens, unless a single sequence is longer.
void run_in_batches(std::span<const features::Features* const> sequences, int64_t budget,
                    const std::function<void(const nn::Batch& batch, size_t first)>& run);
// The same for `count` sequences created on demand; each is used before the next is requested.
void run_in_batches(size_t count, const std::function<const features::Features&(size_t i)>& sequence,
                    int64_t budget, const std::function<void(const nn::Batch& batch, size_t first)>& run);

// Throws Error if the network cannot read the sequence: no ids, an id or token type out of range, or more
// tokens than positions. Check before batching, so that the error refers to one record.
void require_readable(std::span<const int32_t> ids, std::span<const int32_t> types,
                      const model::Config& config);
inline void require_readable(const features::Features& features, const model::Config& config) {
  require_readable(features.ids, features.types, config);
}

// Maximum sequence length in tokens: `asked` if given, otherwise `longest`. Throws Error if `asked` exceeds
// the model's positions.
int64_t sequence_limit(std::optional<int64_t> asked, int64_t longest, const model::Config& config);

// The windows of a record: one, or several for long texts with features::Overflow::split; a Window has a
// member `features::Features features`. Working data from prepare to finish.
template <class Window>
struct Windows : io::Work {
  std::vector<Window> windows;

  int64_t tokens() const {
    int64_t tokens = 0;
    for (const Window& window : windows) tokens += window.features.ids.size();
    return tokens;
  }
};

// Calls `run` with each batch of the records' windows and the windows in it, see run_in_batches.
template <class Window>
void run_windows(std::span<Windows<Window>* const> records, int64_t budget,
                 const std::function<void(const nn::Batch&, std::span<Window* const>)>& run) {
  std::vector<Window*> windows;
  std::vector<const features::Features*> sequences;
  for (auto* record : records) {
    for (Window& window : record->windows) {
      windows.push_back(&window);
      sequences.push_back(&window.features);
    }
  }
  run_in_batches(sequences, budget, [&](const nn::Batch& batch, size_t first) {
    run(batch, std::span(windows).subspan(first, batch.sequences()));
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
    const double length = window.features.ids.size();
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += length * values[i];
    tokens += length;
  }
  std::vector<float> mean;
  mean.reserve(sums.size());
  for (const double sum : sums) mean.push_back(static_cast<float>(sum / tokens));
  return mean;
}

inline void report_truncated_texts(Log& log, int64_t texts, int64_t max_length) {
  log.warn(counted(texts, "text was", "texts were") + " truncated to " +
           counted(max_length, "token", "tokens"));
}

}  // namespace bert::heads
