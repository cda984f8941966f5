#include "metric/metrics.h"

#include <algorithm>
#include <cmath>

namespace bert::metric {
namespace {

using E = Evaluation;
using Optional = std::optional<double>;

// A nested object with the metrics of each label, tag or entity type; `gold` is what sklearn calls support.
template <class Table>
void append_table(Report& report, std::string_view name, const Table& table,
                  std::span<const LabelAreas> all_areas = {}) {
  if (!report.open(name)) return;
  for (const auto& [label, counts] : table) {
    report.open(label);
    report.metric("precision", counts.precision());
    report.metric("recall", counts.recall());
    report.metric("f1", counts.f1());
    report.count("gold", counts.gold);
    report.count("predicted", counts.predicted);
    const auto areas = std::ranges::find(all_areas, label, &LabelAreas::label);
    if (areas != all_areas.end()) {
      report.metric("roc_auc", areas->roc_auc);
      report.metric("average_precision", areas->average_precision);
    }
    report.close();
  }
  report.close();
}

// How metrics are computed: a function for a row of the table below, or for several.

template <auto kPart, auto kValue>
double of(const E& e) {
  return (e.*kPart.*kValue)();
}

template <double (Counts::*kValue)() const>
Optional of_positive(const E& e) {
  return e.positive.empty() ? std::nullopt : Optional((e.labels.counts(e.positive).*kValue)());
}
template <double (Counts::*kValue)() const>
Optional of_entities(const E& e) {
  return e.plain_tags ? std::nullopt : Optional((e.entities.all().*kValue)());
}
Optional calibration_error(const E& e) {
  return e.is_calibrated() ? Optional(e.calibration.error()) : std::nullopt;
}

template <double (ProbabilityLosses::*kValue)() const>
Optional of_losses(const E& e) {
  const bool is_known = e.losses.count() > 0 && e.losses.count() == e.labels.count();
  return is_known ? Optional((e.losses.*kValue)()) : std::nullopt;
}
// The mean over the labels.
template <double LabelAreas::*kArea>
Optional mean_area(const E& e) {
  double sum = 0;
  for (const auto& areas : e.areas) sum += areas.*kArea;
  return e.areas.empty() ? std::nullopt : Optional(sum / e.areas.size());
}

template <double (Counts::*kValue)() const>
Optional of_replaced(const E& e) {
  return (e.replaced.*kValue)();
}

template <auto kPart>
void labels_of(const E& e, std::string_view name, Report& report) {
  append_table(report, name, (e.*kPart).table());
}

void labels_of_sets(const E& e, std::string_view name, Report& report) {
  append_table(report, name, e.label_sets.table(), e.areas);
}

double tag_accuracy(const E& e) { return e.plain_tags ? e.labels.accuracy() : e.entities.accuracy(); }
void types(const E& e, std::string_view name, Report& report) {
  if (e.plain_tags) return labels_of<&E::labels>(e, name, report);
  append_table(report, name, e.entities.types());
}

using Q = SquadScore::Questions;
template <class Score, double Score::*kPart>
Optional part(const std::optional<Score>& score) {
  return score ? Optional((*score).*kPart) : std::nullopt;
}
template <Q kQuestions, double AnswerScore::*kScore>
Optional answers(const E& e) {
  return part<AnswerScore, kScore>(e.answers.mean(kQuestions));
}
template <double AnswerScore::*kScore, double SquadScore::Best::*kPart>
Optional best_answers(const E& e) {
  return part<SquadScore::Best, kPart>(e.answers.best(kScore));
}

template <int64_t kBest>
Optional share_of_places(const E& e) {
  return e.places.count() > 0 ? Optional(e.places.share_of(kBest)) : std::nullopt;
}
double token_accuracy(const E& e) { return e.places.share_of(1); }
Optional top_k_accuracy(const E& e) {
  return e.top_k > 1 ? Optional(e.places.share_of(e.top_k)) : std::nullopt;
}
Optional label_in_top_k(const E& e) {
  return e.places.count() > 0 ? Optional(e.places.share_of(e.top_k)) : std::nullopt;
}
Optional mrr_of_places(const E& e) {
  return e.places.count() > 0 ? Optional(e.places.mean_reciprocal_rank()) : std::nullopt;
}

template <double RankingMeans::*kMean>
Optional of_ranking(const E& e) {
  return part<RankingMeans, kMean>(e.ranking);
}
template <double RankingMeans::*kMean>
Optional of_candidates(const E& e) {
  return part<RankingMeans, kMean>(e.candidates);
}

// In the order of output. A name has several rows if it is computed in several ways.
const std::vector<Metric>& table() {
  using enum task::Task;
  using enum Better;
  using enum Unit;
  using enum Needs;
  using Best = SquadScore::Best;
  using Means = RankingMeans;
  using Losses = ProbabilityLosses;
  constexpr int kTraining = kStep | kDev, kBoth = kDev | kScore;
  constexpr auto kLabels = &E::labels;
  constexpr auto kSets = &E::label_sets;
  constexpr auto kNumbers = &E::numbers;
  constexpr auto exact = &AnswerScore::exact, f1 = &AnswerScore::f1;
  const std::vector all_trained = task::tasks_with(&task::Entry::trained);
  static const std::vector<Metric> metrics = {
      {kLoss, lower, loss, all_trained, kTraining, &E::loss},
      {"mlm_loss", lower, loss, {pretrain, replaced}, kTraining, &E::mlm_loss, generator},
      {"mlm_accuracy", higher, accuracy, {pretrain, replaced}, kTraining, &E::mlm_accuracy, generator},
      {"nsp_loss", lower, loss, {pretrain}, kTraining, &E::nsp_loss, next_sentence},
      {"nsp_accuracy", higher, accuracy, {pretrain}, kTraining, &E::nsp_accuracy, next_sentence},
      {"accuracy", higher, accuracy, {classify, tag, choose, embed}, kStep, &E::step_accuracy},
      {"accuracy", higher, accuracy, {replaced}, kTraining | kScore, &E::step_accuracy},
      {"precision", higher, fraction, {replaced}, kBoth, of_replaced<&Counts::precision>},
      {"recall", higher, fraction, {replaced}, kBoth, of_replaced<&Counts::recall>},
      {"f1", higher, fraction, {replaced}, kBoth, of_replaced<&Counts::f1>},

      {"accuracy", higher, accuracy, {next, classify, choose}, kBoth, of<kLabels, &Classification::accuracy>},
      {"f1", higher, fraction, {classify}, kBoth, of_positive<&Counts::f1>, positive_label},
      {"macro_f1", higher, fraction, {classify}, kBoth, of<kLabels, &Classification::macro_f1>},
      {"matthews", higher, correlation, {classify}, kBoth, of<kLabels, &Classification::matthews>},
      {"ece", lower, fraction, {next, classify, choose}, kScore, calibration_error, probability},
      {"brier", lower, loss, {next, classify, choose}, kScore, of_losses<&Losses::brier>, probabilities},
      {"log_loss",
       lower,
       loss,
       {next, classify, choose},
       kScore,
       of_losses<&Losses::log_loss>,
       probabilities},
      {"precision", higher, fraction, {classify}, kScore, of_positive<&Counts::precision>, positive_label},
      {"recall", higher, fraction, {classify}, kScore, of_positive<&Counts::recall>, positive_label},
      {"roc_auc", higher, fraction, {classify}, kScore, mean_area<&LabelAreas::roc_auc>, scores},
      {"average_precision",
       higher,
       fraction,
       {classify},
       kScore,
       mean_area<&LabelAreas::average_precision>,
       scores},
      {"top_k_accuracy", higher, accuracy, {classify}, kScore, label_in_top_k, probabilities},
      {"labels", higher, fraction, {classify}, kScore, nullptr, nothing, labels_of<kLabels>},

      // The log of the dev set has the accuracy first, bert-score last.
      {"accuracy", higher, accuracy, {multilabel}, kDev, of<kSets, &Multilabel::accuracy>},
      {"micro_f1", higher, fraction, {multilabel}, kBoth, of<kSets, &Multilabel::micro_f1>},
      {"macro_f1", higher, fraction, {multilabel}, kBoth, of<kSets, &Multilabel::macro_f1>},
      {"accuracy", higher, accuracy, {multilabel}, kScore, of<kSets, &Multilabel::accuracy>},
      {"roc_auc", higher, fraction, {multilabel}, kScore, mean_area<&LabelAreas::roc_auc>, scores},
      {"average_precision",
       higher,
       fraction,
       {multilabel},
       kScore,
       mean_area<&LabelAreas::average_precision>,
       scores},
      {"labels", higher, fraction, {multilabel}, kScore, nullptr, scores, labels_of_sets},

      {"pearson", higher, correlation, {regress, embed}, kBoth, of<kNumbers, &Correlation::pearson>},
      {"spearman", higher, correlation, {regress, embed}, kBoth, of<kNumbers, &Correlation::spearman>},
      {"spearman", higher, correlation, {rank}, kDev, of<kNumbers, &Correlation::spearman>},

      {"precision", higher, fraction, {tag}, kBoth, of_entities<&Counts::precision>, entities},
      {"recall", higher, fraction, {tag}, kBoth, of_entities<&Counts::recall>, entities},
      {"f1", higher, fraction, {tag}, kBoth, of_entities<&Counts::f1>, entities},
      {"accuracy", higher, accuracy, {tag}, kBoth, tag_accuracy},
      {"types", higher, fraction, {tag}, kScore, nullptr, nothing, types},

      {"exact_match", higher, percent, {answer}, kBoth, answers<Q::all, exact>},
      {"f1", higher, percent, {answer}, kBoth, answers<Q::all, f1>},
      {"has_answer_exact_match", higher, percent, {answer}, kBoth, answers<Q::with_answer, exact>},
      {"has_answer_f1", higher, percent, {answer}, kBoth, answers<Q::with_answer, f1>},
      {"no_answer_exact_match", higher, percent, {answer}, kBoth, answers<Q::without_answer, exact>},
      {"no_answer_f1", higher, percent, {answer}, kBoth, answers<Q::without_answer, f1>},
      {"best_exact_match", higher, percent, {answer}, kBoth, best_answers<exact, &Best::score>},
      {"best_exact_match_threshold", neither, logit, {answer}, kBoth, best_answers<exact, &Best::threshold>},
      {"best_f1", higher, percent, {answer}, kBoth, best_answers<f1, &Best::score>},
      {"best_f1_threshold", neither, logit, {answer}, kBoth, best_answers<f1, &Best::threshold>},

      {"accuracy", higher, accuracy, {fill}, kScore, token_accuracy},
      {"top_k_accuracy", higher, accuracy, {fill}, kScore, top_k_accuracy},
      {"recall_at_1", higher, fraction, {embed}, kDev, share_of_places<1>},
      {"recall_at_10", higher, fraction, {embed}, kDev, share_of_places<10>},
      {"mrr", higher, fraction, {embed}, kDev, mrr_of_places},
      {"average_precision", higher, fraction, {rank}, kDev, of_candidates<&Means::average_precision>},
      {"mrr", higher, fraction, {rank}, kBoth, of_ranking<&Means::reciprocal_rank>},
      {"ndcg_at_10", higher, fraction, {rank}, kDev, of_ranking<&Means::ndcg_at_k>},
      {"map", higher, fraction, {rank}, kScore, of_ranking<&Means::average_precision>},
      {"ndcg", higher, fraction, {rank}, kScore, of_ranking<&Means::ndcg>},
      {"mrr_at_k", higher, fraction, {rank}, kScore, of_ranking<&Means::reciprocal_rank_at_k>},
      {"ndcg_at_k", higher, fraction, {rank}, kScore, of_ranking<&Means::ndcg_at_k>},
      {"precision_at_k", higher, fraction, {rank}, kScore, of_ranking<&Means::precision_at_k>},
      {"recall_at_k", higher, fraction, {rank}, kScore, of_ranking<&Means::recall_at_k>},
  };
  return metrics;
}

bool is_of(const Metric& metric, task::Task task) {
  return std::ranges::find(metric.tasks, task) != metric.tasks.end();
}

Values values_of(const Evaluation& evaluation, task::Task task, Use use) {
  Values values;
  for (const auto* metric : metrics_of(task, use))
    if (const auto value = metric->value ? metric->value(evaluation) : std::nullopt)
      values.push_back({metric->name, *value});
  return values;
}

}  // namespace

std::vector<const Metric*> metrics_of(task::Task task, Use use) {
  std::vector<const Metric*> found;
  for (const Metric& metric : table())
    if ((metric.uses & use) != 0 && is_of(metric, task)) found.push_back(&metric);
  return found;
}

std::vector<std::string> metric_names(task::Task task, Use use) {
  std::vector<std::string> names;
  for (const auto* metric : metrics_of(task, use)) names.emplace_back(metric->name);
  return names;
}

const Metric* find_metric(std::string_view name, task::Task task) {
  const auto found = std::ranges::find_if(
      table(), [&](const Metric& metric) { return metric.name == name && is_of(metric, task); });
  return found == table().end() ? nullptr : &*found;
}

Values step_values(const Evaluation& evaluation, task::Task task) {
  return values_of(evaluation, task, kStep);
}

Values dev_values(const Evaluation& evaluation, task::Task task) {
  auto values = values_of(evaluation, task, kDev);
  std::erase_if(values, [](const Value& value) { return !std::isfinite(value.value); });
  return values;
}

Values score_values(const Evaluation& evaluation, task::Task task) {
  return values_of(evaluation, task, kScore);
}

std::string written_name(const Evaluation& evaluation, std::string_view name) {
  std::string written(name);
  const auto part = written.ends_with("_k") ? written.size() - 2 : written.find("_k_");
  if (part != std::string::npos) written.replace(part + 1, 1, std::to_string(evaluation.top_k));
  return written;
}

// The positive label follows the first metrics of it.
void append_metrics(Report& report, const Evaluation& evaluation, task::Task task,
                    std::span<const Interval> intervals) {
  enum class Positive { unnamed, due, named } state = Positive::unnamed;
  for (const auto* metric : metrics_of(task, kScore)) {
    const bool of_positive = metric->needs == Needs::positive_label ||
                             (metric->needs == Needs::scores && !evaluation.positive.empty());
    if (state == Positive::due && !of_positive) {
      report.text("positive", evaluation.positive);
      state = Positive::named;
    }
    if (metric->table) metric->table(evaluation, metric->name, report);
    const auto value = metric->value ? metric->value(evaluation) : std::nullopt;
    if (!value) continue;
    const auto written = written_name(evaluation, metric->name);
    if (!report.metric(metric->name, written, *value)) continue;
    if (of_positive && state == Positive::unnamed) state = Positive::due;
    const auto interval = std::ranges::find(intervals, metric->name, &Interval::name);
    if (interval == intervals.end()) continue;
    report.value(written + "_low", interval->low);
    report.value(written + "_high", interval->high);
  }
}

}  // namespace bert::metric
