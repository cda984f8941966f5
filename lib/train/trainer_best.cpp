// The best model of a run, by a metric of the dev set.
#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"
#include "metric/metrics.h"
#include "model/card.h"
#include "model/save.h"
#include "train/model_card.h"
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
  if (found == dev.end() && state_.stale == 0)
    parts_.log.warn(opt::best + " " + *plan_.options.best + ": has no value on the dev set after step " +
                    std::to_string(state_.step) + ", which counts as no improvement");
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
  if (parts_.config.projection.out != 0 && parts_.modules.trained().folder.empty()) {
    parts_.log.warn(best +
                    ": is the best model, but its projection was thrown away, so it cannot be measured on " +
                    "the new dev set; the next evaluation replaces it");
    state_.best.reset();
    return Next::more;
  }
  fill(weights, best, parts_.modules.trained());
  parts_.learner.refresh();
  const auto values = parts_.dev->evaluate(parts_.learner, parts_.progress);
  fill(weights, resumed_from_);
  parts_.learner.refresh();
  if (!values) return Next::stopped;
  const auto found = std::ranges::find(*values, *plan_.options.best, &metric::Value::name);
  if (found != values->end()) state_.best = found->value;
  return Next::more;
}

// Whether the directory has a model that is not as the run left it, perhaps with edited settings, and that is
// kept because the run is finished. Throws Error if the run goes on, unless the model may be replaced.
bool Trainer::has_foreign_model() {
  if (!parts_.ranks.is_first()) return false;
  written_.emplace(plan_.options.out, !checkpoint_.empty());
  const auto changed = plan_.options.force ? "" : written_->foreign_file();
  const auto found = plan_.options.out + ": has a model whose " + changed + " is not as the run left it";
  if (!changed.empty() && !is_complete())
    throw Error(found, "; move it away, or replace it with ", opt::force, " besides ", opt::resume);
  if (!changed.empty()) parts_.log.warn(found + "; it is kept");
  if (changed.empty()) written_->accept();
  return !changed.empty();
}

void Trainer::save_model() {
  if (!written_) return;
  model::save(plan_.options.out, parts_.config, parts_.tokenizer, parts_.learner.parameters(), parts_.modules,
              [this](OutputDirectory& output) {
                written_->replaced_by(output.folder());
                OutputFile card(output.file(std::string(model::kCard)));
                card.write(model_card(parts_.card, state_));
                card.commit();
              });
}

}  // namespace bert::train
