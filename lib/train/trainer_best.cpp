// The best model of a run, by a metric of the dev set.
#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "metric/metrics.h"
#include "model/save.h"
#include "train/trainer.h"

namespace bert::train {

// A metric that is undefined, such as the correlation with a constant, counts as no improvement.
void Trainer::keep_best(const metric::Values& dev) {
  if (!plan_.options.best) return;
  const auto found = std::ranges::find(dev, *plan_.options.best, &metric::Value::name);
  const auto is_better = [&](double value, double best) {
    const auto direction = metric::find_metric(found->name, parts_.learner.task())->better;
    return direction == metric::Better::lower ? value < best : value > best;
  };
  if (found != dev.end() && (!state_.best || is_better(found->value, *state_.best))) {
    state_.best = found->value;
    state_.stale = 0;
    save_model();
  } else {
    ++state_.stale;
  }
}

// The best model was so on another dev set: what it is worth on this one.
Trainer::Next Trainer::score_best_again() {
  const auto& best = plan_.options.out;
  auto& weights = parts_.learner.parameters();
  if (!is_file(best + "/model.safetensors")) return Next::more;
  fill(weights, best, parts_.modules.projection_folder());
  parts_.learner.refresh();
  const auto values = parts_.dev->evaluate(parts_.learner, parts_.progress);
  fill(weights, resumed_from_);
  parts_.learner.refresh();
  if (!values) return Next::stopped;
  const auto found = std::ranges::find(*values, *plan_.options.best, &metric::Value::name);
  if (found != values->end()) state_.best = found->value;
  return Next::more;
}

// Whether the directory of a run that was finished before has its model already, whose settings may have been
// edited, or another one that has been put there since. Neither is replaced.
bool Trainer::has_newer_model() const {
  if (!parts_.ranks.is_first() || state_.best) return false;
  const std::string weights = "/model.safetensors", ours = checkpoint_ + weights,
                    there = plan_.options.out + weights;
  if (!is_file(ours) || !is_file(there)) return false;
  if (has_model_of_run()) return true;
  if (std::filesystem::last_write_time(there) < std::filesystem::last_write_time(ours)) return false;
  parts_.log.warn(plan_.options.out +
                  " has a newer model, which is not that of the run; it is left as it is");
  return true;
}

bool Trainer::has_model_of_run() const {
  auto& ours = parts_.learner.parameters();
  nn::Params there(ours.layout());
  try {
    fill(there, plan_.options.out, parts_.modules.projection_folder());
  } catch (const Error&) {  // another model
    return false;
  }
  return std::ranges::equal(std::as_bytes(ours.all()), std::as_bytes(there.all()));
}

void Trainer::save_model() const {
  if (!parts_.ranks.is_first()) return;
  model::save(plan_.options.out, parts_.config, parts_.tokenizer, parts_.learner.parameters(),
              parts_.modules);
}

}  // namespace bert::train
