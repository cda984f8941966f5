#include "train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "base/signals.h"
#include "metric/metrics.h"
#include "model/save.h"
#include "train/curve.h"

namespace bert::train {
namespace {

// Initial losses are near the logarithm of the number of classes. A run whose loss grows by this factor will
// not recover.
constexpr double kExploded = 20;

// Entries of State::sums besides the task's metrics, which are summed over the steps since the last log line.
constexpr std::string_view kSteps = "steps", kNorm = "gradient_norm", kTokens = "tokens",
                           kSeconds = "seconds";
constexpr std::string_view kFirstLoss = "first_loss";
constexpr std::string_view kUnevaluated = "unevaluated";  // 1: the evaluation at this step was interrupted
constexpr std::string_view kOwn[] = {kSteps, kNorm, kTokens, kSeconds, kFirstLoss, kUnevaluated};

double& sum_of(State& state, std::string_view name) {
  for (auto& [known, value] : state.sums) {
    if (known == name) return value;
  }
  return state.sums.emplace_back(name, 0).second;
}

double sum_of(const State& state, std::string_view name) {
  for (const auto& [known, value] : state.sums) {
    if (known == name) return value;
  }
  return 0;
}

bool is_own(std::string_view name) { return std::ranges::find(kOwn, name) != std::end(kOwn); }

}  // namespace

Trainer::Trainer(const RunParts& parts, const RunPlan& plan)
    : parts_(parts),
      plan_(plan),
      notes_(parts.log),
      sharding_(parts.ranks, parts.learner.parameters().layout(), plan.options.optimizer.frozen),
      optimizer_(parts.learner.parameters().layout(), plan.options.optimizer, sharding_.owned()),
      schedule_(plan.schedule, plan.extent.steps) {
  state_.settings = plan.settings;
  if (parts.dev) state_.dev_checksum = parts.dev->source().checksum();
  if (parts.ranks.is_first()) log_.emplace();
  parts.learner.join(parts.ranks,
                     [this](int64_t level, nn::Params& gradients) { sharding_.start_sum(level, gradients); });
  parts.learner.after_batch([this] { notes_.batch_done(state_.step + 1); });
}

void Trainer::resume(const TrainingCheckpoint& checkpoint,
                     const examples::RecordSource::Continued& continued) {
  const auto extended = require_same(checkpoint.state().settings, plan_.settings, checkpoint.path());
  checkpoint.fill(parts_.learner.parameters());
  checkpoint.fill(optimizer_.state());
  state_ = checkpoint.state();
  const auto before = processes_of(std::exchange(state_.settings, plan_.settings));
  elapsed_before_s_ = state_.elapsed_s;
  state_.data = continued.position;
  try {
    if (!continued.refusal.empty()) throw Error(continued.refusal);
    parts_.data.skip_to(state_.data);
  } catch (const Error& error) {
    throw Error(checkpoint.path(), " cannot be resumed: ", error.what(),
                "; provide the same input as before, or start over with ", opt::force, " instead of ",
                opt::resume);
  }
  parts_.learner.refresh();
  checkpoint_ = checkpoint.path();
  parts_.log.info("resuming from step " + std::to_string(state_.step) + ", " + checkpoint.path());
  if (!continued.changes.empty())
    parts_.log.warn("the training data have changed since step " + std::to_string(state_.step) + ": " +
                    continued.changes);
  if (parts_.dev && state_.changes_dev_set(parts_.dev->source().checksum())) {
    parts_.log.warn("the dev set has changed since step " + std::to_string(state_.step) +
                    parts_.dev->overlap_text(checkpoint.listed_records()) +
                    (plan_.options.best ? ": the best model so far is evaluated again" : ""));
    if (plan_.options.best) resumed_from_ = checkpoint.path();
  }
  if (before != parts_.ranks.size())
    parts_.log.warn("the run continues with " + counted(parts_.ranks.size(), "process", "processes") +
                    " instead of " + std::to_string(before) + ": its results will differ in rounding");
  if (extended)
    parts_.log.warn("the run is extended: " + *extended + "; the learning rate follows the schedule of the " +
                    "whole run from step " + std::to_string(state_.step) + " on");
}

void Trainer::take_moments(const TrainingCheckpoint& checkpoint) { checkpoint.fill(optimizer_.state()); }

bool Trainer::run() {
  try {
    const bool done = train();
    if (log_failure_) std::rethrow_exception(log_failure_);
    return done;
  } catch (const std::exception&) {
    save_after_failure();
    throw;
  }
}

// The state between steps is complete, also if the next step has failed. With several ranks, all must have
// failed together, since all of them collect the optimizer's state.
void Trainer::save_after_failure() {
  if (changing_ || state_.step == saved_step_) return;
  if (!parts_.ranks.alone() && !parts_.ranks.failed_together()) return;
  try {
    checkpoint();
    parts_.ranks.broadcast("");  // the others must not end the run while rank 0 still writes
    notes_.stopped(state_.step);
  } catch (const std::exception& error) {  // the first failure is the one to report
    parts_.log.error(message_of(error));
  }
}

bool Trainer::train() {
  began_ = Clock::now();
  saved_step_ = state_.step;
  says_rate_ = state_.step == 0 && plan_.logs_peak_rate;
  agree_on_time();
  keeps_model_ = parts_.ranks.together([this] { return has_foreign_model(); });
  const bool unevaluated = sum_of(state_, kUnevaluated) > 0;
  if (state_.step > 0 && finished() && !out_of_patience() && !unevaluated)
    notes_.finished(state_.step, plan_.extent.steps, plan_.extent.budget_s.has_value());
  Next next = resumed_from_.empty() ? Next::more : score_best_again();
  if (next == Next::more && unevaluated && !finished()) next = evaluate();
  while (next == Next::more && !finished()) {
    next = step();
    if (next == Next::ended) state_.data = parts_.data.position();
    if (next != Next::more) break;
    agree_on_time();
    if (due(plan_.options.log_every)) write_line();
    const bool epoch = plan_.eval_epochs && epoch_ended_;
    if ((due(plan_.options.eval_every) || epoch) && !finished()) next = evaluate();
    if (next == Next::more && due(plan_.options.save_every) && !finished()) checkpoint();
  }
  if (next != Next::stopped) {
    if (sum_of(state_, kSteps) > 0) write_line();
    warn_of_early_end();
    next = evaluate();
  }
  if (next == Next::stopped) {
    if (state_.step != saved_step_) checkpoint();
    notes_.stopped(state_.step);
    return false;
  }
  write_checkpoint();
  if (!state_.best && !keeps_model_) save_model();
  write_log([&] { log_->commit(); });
  parts_.log.progress("");
  draw_curve();  // the model is complete; a failure is that of the run
  return true;
}

void Trainer::warn_of_early_end() const {
  const auto& steps = plan_.extent.steps;
  if (out_of_patience()) {
    notes_.out_of_patience(state_.step, *plan_.options.best, *plan_.options.patience);
  } else if (steps && state_.step < *steps) {
    notes_.input_ended(state_.step, *steps);
  }
}

bool Trainer::out_of_patience() const {
  const auto& patience = plan_.options.patience;
  return patience && state_.stale >= *patience;
}

bool Trainer::finished() const {
  const auto& extent = plan_.extent;
  if (out_of_patience()) return true;
  if (extent.steps && state_.step >= *extent.steps) return true;
  if (extent.records && state_.data.drawn >= *extent.records) return true;
  return extent.budget_s && time_s_ >= *extent.budget_s;
}

double Trainer::elapsed_s() const {
  return elapsed_before_s_ + std::chrono::duration<double>(Clock::now() - began_).count();
}

bool Trainer::is_complete() const {
  const bool evaluates = plan_.options.best && state_.evaluated != state_.step;
  return state_.step > 0 && finished() && !evaluates && sum_of(state_, kUnevaluated) == 0;
}

// From 0 to 1, for runs that are not measured by steps.
double Trainer::progress() const {
  const auto& extent = plan_.extent;
  if (extent.budget_s) return std::min(1.0, time_s_ / *extent.budget_s);
  if (!extent.records) return 0;
  return std::min(1.0, static_cast<double>(state_.data.drawn) / *extent.records);
}

double Trainer::learning_rate() const {
  // A run of one step has no warmup, in which it would learn nothing.
  const auto& records = plan_.extent.records;
  if (records && state_.step == 0 && parts_.data.position().drawn >= *records) return plan_.schedule.peak;
  return plan_.extent.steps ? schedule_.rate(state_.step) : schedule_.rate(state_.step, progress());
}

// Also if the training log cannot be written: rank 0 then asks the others.
bool Trainer::stop_requested() {
  if (log_failure_) StopOnSignal::request(SIGTERM);
  return parts_.ranks.stop_requested() != 0;
}

Trainer::Next Trainer::step() {
  const auto begin = Clock::now();
  examples::Step step;
  if (stop_requested()) return Next::stopped;
  const bool more = parts_.ranks.together([&] { return parts_.data.next(step); });
  // The signal may have stopped the producer of a pipe too, so the input may have ended early.
  if (parts_.source.interrupted() || stop_requested()) return Next::stopped;
  if (!more) return Next::ended;
  agree_on_time();
  rate_ = learning_rate();
  auto& learner = parts_.learner;
  const auto place = StepPlace{.seed = plan_.options.seed,
                               .step = static_cast<uint64_t>(state_.step),
                               .steps = plan_.extent.steps,
                               .progress = progress()};
  const auto values = learner.learn(step, place);
  sharding_.finish_sums(learner.gradients());
  auto sums = square_sums(learner.gradients(), learner.context(), sharding_.owned());
  sharding_.complete(sums);
  const double norm = norm_of(sums);
  changing_ = true;
  check(values.front().value, norm);
  learner.begin_update();
  optimizer_.step(learner.parameters(), learner.gradients(), rate_, clip_factor(norm, plan_.options.clip),
                  learner.context(),
                  [this](std::span<nn::SquareSums> of_slices) { sharding_.complete(of_slices); });
  sharding_.share(learner.parameters());
  learner.end_update();
  ++state_.step;
  const int64_t epochs = parts_.source.epochs_before(state_.data.drawn);
  state_.data = parts_.data.position();
  epoch_ended_ = parts_.source.epochs_before(state_.data.drawn) > epochs;
  add_to_line(values, norm, step.tokens);
  sum_of(state_, kSeconds) += std::chrono::duration<double>(Clock::now() - begin).count();
  changing_ = false;
  show_progress();
  return Next::more;
}

void Trainer::agree_on_time() {
  time_s_ = elapsed_s();
  if (!plan_.extent.budget_s || parts_.ranks.alone()) return;
  std::array<double, 1> first = {parts_.ranks.is_first() ? time_s_ : 0};
  parts_.ranks.sum(first);
  time_s_ = first[0];
}

// In the precision of the training log, which cannot have larger numbers.
void Trainer::check(float loss, float norm) const {
  const double first = sum_of(state_, kFirstLoss);
  const bool exploded = first > 0 && parts_.learner.whole_loss(loss) > kExploded * std::max(first, 1.0);
  if (std::isfinite(loss) && std::isfinite(norm) && !exploded) return;
  if (!parts_.checkpoints) return;                          // rank 0 throws
  const auto last = parts_.checkpoints->last(state_.step);  // one of this very step has the same weights
  throw Error("step ", state_.step + 1, ": the loss is ", loss, ", the gradient norm ", norm, "; a smaller ",
              opt::lr, " or more ", opt::warmup, " may help; ",
              last ? "the last good checkpoint is " + last->path() : "there is no checkpoint yet");
}

void Trainer::add_to_line(const metric::Values& values, double norm, int64_t tokens) {
  if (sum_of(state_, kFirstLoss) == 0)
    sum_of(state_, kFirstLoss) = parts_.learner.whole_loss(values.front().value);
  for (const auto& [name, value] : values) sum_of(state_, name) += value;
  sum_of(state_, kNorm) += norm;
  sum_of(state_, kTokens) += tokens;
  sum_of(state_, kSteps) += 1;
}

void Trainer::write_line() {
  const double steps = sum_of(state_, kSteps);
  metric::Values parts;
  for (const auto& [name, sum] : state_.sums) {
    if (!is_own(name) && name != metric::kLoss) parts.push_back({name, sum / steps});
    if (!is_own(name)) state_.curve.add(name, state_.step, sum / steps);
  }
  clear_progress();
  write_log([&] {
    log_->write({.step = state_.step,
                 .loss = sum_of(state_, metric::kLoss) / steps,
                 .parts = parts,
                 .learning_rate = rate_,
                 .gradient_norm = sum_of(state_, kNorm) / steps,
                 .tokens_per_second = sum_of(state_, kTokens) / sum_of(state_, kSeconds),
                 .seconds = elapsed_s(),
                 .peak_rate = says_rate_ ? std::optional(plan_.schedule.peak) : std::nullopt});
  });
  says_rate_ = false;
  const double first = sum_of(state_, kFirstLoss);
  state_.sums = {{std::string(kFirstLoss), first}};
}

// Keeps the first failure: it must not end a run before the checkpoint.
void Trainer::write_log(const std::function<void()>& write) {
  if (!log_ || log_failure_) return;
  try {
    write();
  } catch (const Error&) {
    log_failure_ = std::current_exception();
  }
}

// Writes the training loss first, so that both lines of a step are always in the same order.
Trainer::Next Trainer::evaluate() {
  if (!parts_.dev || state_.evaluated == state_.step) return Next::more;
  if (sum_of(state_, kSteps) > 0) write_line();
  sum_of(state_, kUnevaluated) = 1;
  // The best model appears before the end. A checkpoint shows that it belongs to an unfinished run.
  if (plan_.options.best && saved_step_ == 0) checkpoint();
  const auto values = parts_.dev->evaluate(parts_.learner, parts_.progress);
  if (!values) return Next::stopped;
  sum_of(state_, kUnevaluated) = 0;
  state_.evaluated = state_.step;
  agree_on_time();
  clear_progress();
  write_log([&] { log_->write_dev(state_.step, *values); });
  for (const auto& [name, value] : *values)
    state_.curve.add(std::string(kDevPrefix).append(name), state_.step, value);
  keep_best(*values);
  return Next::more;
}

// Does not abort a long run for a plot.
void Trainer::checkpoint() {
  write_checkpoint();
  try {
    draw_curve();
  } catch (const Error& error) {
    parts_.log.error(error.what());
  }
}

void Trainer::draw_curve() const {
  if (parts_.checkpoints && plan_.options.plot)
    plot(state_.curve, parts_.learner.task(), *plan_.options.plot);
}

// Rank 0 writes. Each tensor of the moments is collected from its owners when its turn comes.
void Trainer::write_checkpoint() {
  auto& moments = optimizer_.state().moments;
  const auto collect = [&](Moment moment, int tensor, std::span<float> to) {
    sharding_.collect(moments, moment, tensor, to);
  };
  saved_step_ = state_.step;
  if (!parts_.checkpoints) return each_moment(moments.layout(), collect);
  if (!keeps_model_) written_->write();
  state_.optimizer_step = optimizer_.state().steps;
  state_.elapsed_s = elapsed_s();
  const auto write_model = [this](OutputDirectory& output) {
    return model::save(output, parts_.config, parts_.tokenizer, parts_.learner.parameters(), parts_.modules);
  };
  parts_.checkpoints->write(state_, write_model, moments.layout(), collect,
                            [this](int64_t record) { return parts_.source.list_entry(record); });
}

// Clears the progress line before a line of the training log is printed to the same terminal.
void Trainer::clear_progress() {
  if (parts_.progress) parts_.progress->progress("");
}

void Trainer::show_progress() {
  constexpr auto kInterval = std::chrono::milliseconds(200);
  const auto now = Clock::now();
  if (!parts_.progress || now - shown_ < kInterval) return;
  shown_ = now;
  const double elapsed = elapsed_s(), done = plan_.extent.steps
                                                 ? state_.step / static_cast<double>(*plan_.extent.steps)
                                                 : progress();
  const double steps = sum_of(state_, kSteps);
  const ProgressLine line = {
      .step = state_.step,
      .steps = plan_.extent.steps,
      .loss = sum_of(state_, metric::kLoss) / steps,
      .learning_rate = rate_,
      .tokens_per_second = sum_of(state_, kTokens) / sum_of(state_, kSeconds),
      .seconds_left = done > 0 ? std::optional(elapsed * (1 - done) / done) : std::nullopt};
  parts_.progress->progress(text(line));
}

}  // namespace bert::train
