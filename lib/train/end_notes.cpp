#include "train/end_notes.h"

#include "base/error.h"
#include "base/option.h"
#include "base/signals.h"

namespace bert::train {

void EndNotes::batch_done(int64_t step) {
  constexpr auto kPatience = std::chrono::seconds(1);
  if (told_ || StopOnSignal::requested() == 0) return;
  if (!signalled_) signalled_ = Clock::now();
  if (Clock::now() - *signalled_ < kPatience) return;
  told_ = true;
  log_.warn("stopping after step " + std::to_string(step) +
            "; a second signal stops at once, without a checkpoint");
}

void EndNotes::stopped(int64_t step) const {
  if (step > 0) log_.warn("stopped after step " + std::to_string(step) + "; continue with " + opt::resume);
}

void EndNotes::finished(int64_t step, std::optional<int64_t> steps, bool has_budget) const {
  const auto done = has_budget ? "its " + opt::budget + " has been used"
                    : steps ? std::to_string(step) + " of " + counted(*steps, "step", "steps") + "; more " +
                                  opt::steps + " or " + opt::epochs + " extend it"
                            : "all records of its epochs have been used; more " + opt::epochs + " extend it";
  log_.warn("the run is finished: " + done);
}

void EndNotes::input_ended(int64_t step, int64_t steps) const {
  log_.warn("the input ended after " + std::to_string(step) + " of " + std::to_string(steps) + " steps");
}

void EndNotes::out_of_patience(int64_t step, const std::string& metric, int64_t evaluations) const {
  log_.warn("stopped after step " + std::to_string(step) + ": " + metric + " has not improved in the last " +
            std::to_string(evaluations) + " evaluations");
}

}  // namespace bert::train
