#include "train/generator.h"

#include <cassert>

#include "base/error.h"
#include "heads/scores.h"
#include "heads/subword_logits.h"

namespace bert::train {

Generator::Generator(const model::Directory& directory, const text::Tokenizer& tokenizer, Pool& pool)
    : path_(directory.root),
      choices_(tokenizer.size()),
      pool_(pool),
      network_(directory, {.heads = {model::head_of(task::Task::fill)}}, pool) {}

std::vector<int32_t> Generator::fill(const nn::Batch& batch, std::span<const int64_t> rows,
                                     std::span<const double> chances) {
  assert(rows.size() == chances.size());
  if (rows.empty()) return {};
  constexpr int32_t kFailed = -1;
  std::vector<int32_t> ids(rows.size());
  const auto hidden = network_.head_input(batch, {rows.begin(), rows.end()});
  heads::for_each_row(network_, pool_, hidden, [&](size_t row, std::span<const float> logits) {
    try {
      ids[row] = sampled(logits.first(choices_), chances[row]);
    } catch (const heads::NotFinite&) {
      ids[row] = kFailed;
    }
  });
  for (const int32_t id : ids)
    if (id == kFailed) throw Error(path_, ": a logit is not finite", network_.cause_of_not_finite());
  return ids;
}

int32_t sampled(std::span<const float> logits, double chance) {
  const auto probabilities = heads::softmax(logits);
  double sum = 0;
  int32_t last = 0;  // rounded, the sum of all may be below the chance
  for (size_t id = 0; id < probabilities.size(); ++id) {
    if (probabilities[id] == 0) continue;
    last = id;
    if ((sum += probabilities[id]) > chance) break;
  }
  return last;
}

}  // namespace bert::train
