// What ScoreFilter writes at the end.
#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"
#include "metric/label_report.h"
#include "metric/score_filter.h"

namespace bert::metric {
namespace {

// Rows of groups have no nested objects unless they are asked for.
std::vector<std::string> written_metrics(const ScoreFilterOptions& options) {
  if (options.result != Result::by || !options.score.metrics.empty()) return options.score.metrics;
  std::vector<std::string> names;
  for (const auto* metric : metrics_of(options.score.task, kScore))
    if (metric->value) names.emplace_back(metric->name);
  return names;
}

}  // namespace

Report make_report(const ScoreFilterOptions& options, Log& log) {
  const auto told = std::make_shared<std::set<std::string, std::less<>>>();
  return {written_metrics(options), options.precision, [&log, told](std::string_view name) {
            if (!told->emplace(name).second) return;
            const bool is_of_numbers = name == "pearson" || name == "spearman";
            log.warn(std::string(name) + " is undefined: " +
                     (is_of_numbers ? "all gold labels or all predictions are equal"
                                    : "a label is the gold label of no record, or of all"));
          }};
}

void write_report(const Report& report, const ScoreFilterOptions& options, io::Output& out) {
  if (options.as_text) {
    out.text() += report.text();
  } else {
    out.object(report.fields());
  }
}

void ScoreFilter::write_result(const Evaluation& evaluation, io::Output& out) {
  Report report = make_report(options_, log_);
  switch (options_.result) {
    case Result::metrics:
      scorer_->append_counts(report);
      append_metrics(report, evaluation, options_.score.task);
      require_written(report);
      return write_report(report, options_, out);
    case Result::report:
      for (const auto& note : undefined_notes(evaluation, options_.score.task)) log_.warn(note);
      return write_rows(label_report(evaluation, options_.score.task, report), out);
    case Result::confusion:
      return write_rows(confusion_rows(evaluation.labels, report), out);
    case Result::curve:
      return write_curves(evaluation, report, out);
    case Result::threshold:
      require_areas(evaluation);
      for (const auto& label : without_threshold(evaluation, options_.threshold))
        log_.warn("no threshold reaches this for label " + json::in_quotes(label));
      return write_rows(threshold_rows(evaluation, options_.threshold, report), out);
    case Result::by:
      return write_groups(report, out);
    case Result::worst:
      if (worst_->is_empty()) log_.warn("no prediction is wrong");
      return worst_->write(out);
  }
}

// The row of all records is the first, so that it has every column of a table.
void ScoreFilter::write_groups(const Report& empty, io::Output& out) {
  std::vector<Report> rows;
  const auto add = [&](Scorer& scorer, std::optional<std::string_view> group) {
    Report& row = rows.emplace_back(empty);
    const Evaluation& evaluation = scorer.evaluate();
    row.text("group", group);
    scorer.append_counts(row);
    append_metrics(row, evaluation, options_.score.task);
  };
  add(*scorer_, std::nullopt);
  require_written(rows.front());
  const auto settled = scorer_->settled();
  for (const auto& group : kept_.groups()) add(*score_again(settled, kept_, kept_.of(group)), group);
  write_rows(rows, out);
}

void ScoreFilter::write_rows(std::span<const Report> rows, io::Output& out) const {
  if (options_.as_text) {
    out.text() += Report::text_of(rows);
  } else {
    for (const Report& row : rows) out.object(row.fields());
  }
}

// Rows are written at once, since a curve may have as many as there are records.
void ScoreFilter::write_curves(const Evaluation& evaluation, const Report& empty, io::Output& out) const {
  require_areas(evaluation);
  std::vector<Report> shown;
  add_curves(evaluation, *options_.curve, empty, [&](const Report& row) {
    if (options_.as_text) {
      shown.push_back(row);
    } else {
      out.object(row.fields());
    }
  });
  if (options_.as_text) write_rows(shown, out);
}

void ScoreFilter::require_areas(const Evaluation& evaluation) const {
  if (evaluation.areas.empty()) throw Error("there is no curve", scorer_->advice("roc_auc"));
}

void ScoreFilter::require_written(const Report& report) const {
  if (options_.score.metrics.empty() || options_.score.benchmark) return;
  if (const auto metric = report.unwritten())
    throw Error(opt::metric, " ", *metric, " cannot be computed from these records", scorer_->advice(*metric),
                "; see bert-score(1)");
}

}  // namespace bert::metric
