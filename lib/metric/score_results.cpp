// What ScoreFilter writes at the end.
#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/option.h"
#include "io/input_format.h"
#include "io/pull_reader.h"
#include "io/record_reader.h"
#include "json/json.h"
#include "metric/calibrate.h"
#include "metric/kept_works.h"
#include "metric/label_report.h"
#include "metric/resampling.h"
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

// What is sampled: queries, or records.
Population population_of(const ScoreOptions& settled, const Works& works, const Works& others = {}) {
  if (settled.task != task::Task::rank) return records_of(settled, works, others);
  const auto evaluation = score_again(settled, works)->evaluate();
  return queries_of(evaluation.queries, evaluation.top_k, score_again(settled, others)->evaluate().queries);
}

}  // namespace

Report make_report(const ScoreFilterOptions& options, Log& log) {
  const auto told = std::make_shared<std::set<std::string, std::less<>>>();
  return {written_metrics(options), options.precision, [&log, told](std::string_view name) {
            if (!told->emplace(name).second) return;
            const bool is_of_numbers = name == "pearson" || name == "spearman";
            log.warn(std::string(name) + " is undefined: " +
                     (is_of_numbers                 ? "all gold labels or all predictions are equal"
                      : name == "average_precision" ? "a label is the gold label of no record"
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

void write_rows(std::span<const Report> rows, const ScoreFilterOptions& options, io::Output& out) {
  if (options.as_text) {
    out.text() += Report::text_of(rows);
  } else {
    for (const Report& row : rows) out.object(row.fields());
  }
}

io::StreamOptions stream_against(const io::StreamOptions& stream, const std::string& file) {
  io::StreamOptions side = stream;
  side.files = {file};
  side.input_format = io::InputFormat::automatic;
  side.recognize = [recognize = stream.recognize, named = stream.input_format](io::Input& input) {
    const auto found = recognize ? recognize(input) : std::nullopt;
    const bool is_known =
        io::input_format_by_suffix(input.name()).value_or(io::InputFormat::text) != io::InputFormat::text ||
        io::first_marks(input) == "{";
    return found || is_known || named == io::InputFormat::automatic ? found : std::optional(named);
  };
  return side;
}

void write_comparisons(std::span<const Comparison> comparisons, const Evaluation& evaluation,
                       std::optional<double> mcnemar, const Report& empty, const ScoreFilterOptions& options,
                       io::Output& out) {
  std::vector<Report> rows;
  for (const auto& [name, value, against, difference, p] : comparisons) {
    const auto& wanted = options.score.metrics;
    if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end()) continue;
    Report& row = rows.emplace_back(empty);
    row.text("metric", written_name(evaluation, name));
    row.value("value", value);
    row.value("against", against);
    row.value("difference", value - against);
    row.value("low", difference.low);
    row.value("high", difference.high);
    row.value("p", p);
    row.value("mcnemar_p", name == "accuracy" ? mcnemar : std::nullopt);
  }
  write_rows(rows, options, out);
}

void ScoreFilter::write_result(const Evaluation& evaluation, io::Output& out) {
  Report report = make_report(options_, log_);
  std::vector<Report> scalings;
  switch (options_.result) {
    case Result::metrics:
      scorer_->append_counts(report);
      append_metrics(report, evaluation, options_.score.task, intervals_of(kept_.all()));
      require_written(report);
      return write_report(report, options_, out);
    case Result::report:
      for (const auto& note : undefined_notes(evaluation, options_.score.task)) log_.warn(note);
      return write_rows(label_report(evaluation, options_.score.task, report), options_, out);
    case Result::confusion:
      return write_rows(confusion_rows(evaluation.labels, report), options_, out);
    case Result::curve:
      return write_curves(evaluation, report, out);
    case Result::threshold:
      require_areas(evaluation);
      for (const auto& label : without_threshold(evaluation, options_.threshold))
        log_.warn("no threshold reaches this for label " + json::in_quotes(label));
      return write_rows(threshold_rows(evaluation, options_.threshold, report), options_, out);
    case Result::calibration:
      require_areas(evaluation);
      for (const auto& scaling : calibration(evaluation, options_.score.task)) {
        if (scaling.scale <= 0)
          log_.warn("records with label " + json::in_quotes(*scaling.label) +
                    " have lower scores for it than others, so that its scale is not above 0");
        scalings.push_back(scaling_row(scaling, report));
      }
      return write_rows(scalings, options_, out);
    case Result::by:
      return write_groups(report, out);
    case Result::against:
      return write_comparison(report, out);
    case Result::worst:
      if (worst_->is_empty()) log_.warn("no prediction is wrong");
      return worst_->write(out);
  }
}

std::vector<Interval> ScoreFilter::intervals_of(const Works& works) const {
  if (!options_.bootstrap) return {};
  return bootstrap(population_of(scorer_->settled(), works), options_.resampling());
}

// The row of all records is the first, so that it has every column of a table.
void ScoreFilter::write_groups(const Report& empty, io::Output& out) {
  std::vector<Report> rows;
  const auto add = [&](Scorer& scorer, std::optional<std::string_view> group, const Works& works) {
    Report& row = rows.emplace_back(empty);
    const Evaluation& evaluation = scorer.evaluate();
    row.text("group", group);
    scorer.append_counts(row);
    append_metrics(row, evaluation, options_.score.task, intervals_of(works));
  };
  add(*scorer_, std::nullopt, kept_.all());
  require_written(rows.front());
  const auto settled = scorer_->settled();
  for (const auto& [name, works] : kept_.groups()) add(*score_again(settled, works), name, works);
  write_rows(rows, options_, out);
}

KeptWorks ScoreFilter::read_against(const ScoreOptions& settled) const {
  auto options = options_;
  options.score = settled;
  options.plot.reset();
  options.null_scores.clear();  // those of the other predictions are in their records
  auto quiet = stream_;         // the notes on the gold FILE were shown
  quiet.note = nullptr;
  ScoreFilter other(std::move(options), quiet, log_);
  const auto side = stream_against(stream_, options_.against);
  io::PullReader reader(side);
  io::RawRecordReader records(side.invalid_utf8, io::OnError::stop);
  for (io::RawRecord raw; reader.next(raw);) {
    records.read(raw, [&](const io::Fields& fields, const io::Record& record) {
      const auto work = other.prepared_of(fields, record);
      other.add(*work, record);
      throw_failure(*work);
    });
  }
  try {
    if (!other.is_complete()) throw Error("has no records");
  } catch (const Error& error) {
    throw Error(options_.against, ": ", error.what());
  }
  return std::move(other.kept_);
}

void ScoreFilter::write_comparison(const Report& empty, io::Output& out) {
  Report all = empty;
  append_metrics(all, scorer_->evaluate(), options_.score.task);
  require_written(all);
  const auto settled = scorer_->settled();
  const auto others = read_against(settled);
  const auto works = kept_.all(), other_works = kept_.counterparts(others, options_.against);
  int64_t only_first = 0, only_second = 0;
  for (size_t i = 0; i < works.size(); ++i) {
    const auto first = scorer_->is_right(*works[i]), second = scorer_->is_right(*other_works[i]);
    only_first += first > second;
    only_second += second > first;
  }
  const bool right_or_wrong = scorer_->is_right(*works.front()).has_value();
  const auto mcnemar = right_or_wrong ? std::optional(mcnemar_p(only_first, only_second)) : std::nullopt;
  const auto comparisons = compare(population_of(settled, works, other_works), options_.resampling());
  write_comparisons(comparisons, scorer_->evaluate(), mcnemar, empty, options_, out);
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
  if (options_.as_text) write_rows(shown, options_, out);
}

void ScoreFilter::require_areas(const Evaluation& evaluation) const {
  if (evaluation.areas.empty())
    throw Error(options_.result == Result::calibration ? "there is no calibration" : "there is no curve",
                scorer_->advice("roc_auc"));
}

void ScoreFilter::require_written(const Report& report) const {
  if (options_.score.metrics.empty() || options_.score.benchmark) return;
  if (const auto metric = report.unwritten())
    throw Error(opt::metric, " ", *metric, " cannot be computed from these records", scorer_->advice(*metric),
                "; see bert-score(1)");
}

}  // namespace bert::metric
