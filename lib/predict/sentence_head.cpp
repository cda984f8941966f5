#include "predict/sentence_head.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "predict/windows.h"

namespace bert::predict {

std::vector<Row> logit_rows(const nn::Tensor& logits) {
  std::vector<Row> rows(static_cast<size_t>(logits.rows()));
  for (int64_t r = 0; r < logits.rows(); ++r) {
    const auto values = logits.values(r);
    rows[static_cast<size_t>(r)].logits.assign(values.begin(), values.end());
  }
  return rows;
}

std::vector<float> mean_logits(std::span<const Window> windows) {
  const auto logits =
      mean_by_tokens(windows, [](const Window& window) { return std::span(window.rows.front().logits); });
  for (size_t k = 0; k < logits.size(); ++k) {
    if (!std::isfinite(logits[k])) throw Error("logit ", k, " is ", logits[k], ", expected a finite number");
  }
  return logits;
}

void require_labels(const model::Config& config, task::Task kind, size_t least) {
  if (config.labels.size() < least) {
    throw Error("the model has ", config.labels.size(), " label, --task ", name_of(kind),
                " requires at least ", least, "; use --task regress or rank");
  }
  std::vector<std::string> sorted = config.labels;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw Error("the model's label \"", *twice, "\" appears twice in id2label");
  }
}

void require_one_label(const model::Config& config, task::Task kind) {
  if (config.labels.size() != 1) {
    throw Error("the model has ", config.labels.size(), " labels, --task ", name_of(kind),
                " requires exactly one");
  }
}

}  // namespace bert::predict
