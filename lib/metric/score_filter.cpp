#include "metric/score_filter.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/gnuplot.h"
#include "base/option.h"
#include "json/json.h"
#include "metric/label_report.h"
#include "metric/score_plot.h"

namespace bert::metric {
namespace {

// Whether a result needs the scores of all labels.
bool keeps_scores(const ScoreFilterOptions& options) {
  if (options.result == Result::curve || options.result == Result::threshold) return true;
  if (options.result != Result::metrics) return false;
  const auto& names = options.score.metrics;
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return find_metric(name, options.score.task)->needs == Needs::scores;
         });
}

constexpr std::string_view kSameOrder = "; without ids, both must have the same records in the same order";

}  // namespace

// The predictions of one record: a single one, or all those of an object {id: answer}.
struct ScoreFilter::Prepared : io::Work {
  struct Prediction {
    size_t place = 0;  // index of its gold label in gold_
    std::unique_ptr<io::Work> compared;
  };
  std::vector<Prediction> predictions;
  int64_t unknown = 0;
  std::string failure;  // error found in compute()
};

Report make_report(const ScoreFilterOptions& options, Log& log) {
  const auto told = std::make_shared<std::set<std::string, std::less<>>>();
  return {options.score.metrics, options.precision, [&log, told](std::string_view name) {
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

ScoreFilter::ScoreFilter(ScoreFilterOptions options, const io::StreamOptions& stream, Log& log)
    : options_(std::move(options)), log_(log) {
  options_.score.keeps_scores = keeps_scores(options_);
  scorer_ = make_scorer(options_.score);
  if (options_.plot) require_gnuplot(*options_.plot);
  if (options_.gold.empty()) return;
  gold_ = read_gold(options_.gold, options_.id_field, *scorer_, stream);
  seen_.resize(gold_->size());
  if (!options_.null_scores.empty()) scorer_->read_null_scores(json::File(options_.null_scores), *gold_);
}

void ScoreFilter::prepare(const io::Fields& fields, io::Record& record) const {
  Prepared prepared;
  if (record.source().format == io::InputFormat::documents) {
    if (auto compared = scorer_->compare_conll(fields.required_text(options_.score.text_field)))
      prepared.predictions.push_back({0, std::move(compared)});
  } else if (gold_) {
    prepared = prepare_joined(fields, record);
  } else {
    prepared.predictions.push_back({0, scorer_->compare(gold_of(fields), fields)});
  }
  record.work = std::make_unique<Prepared>(std::move(prepared));
}

std::string ScoreFilter::gold_of(const io::Fields& fields) const {
  try {
    return scorer_->gold(fields);
  } catch (const Error&) {
    if (fields.names() != std::vector<std::string>{"prediction"}) throw;
    throw Error("has a prediction only; ", opt::gold, " names the file with the gold labels");
  }
}

ScoreFilter::Prepared ScoreFilter::prepare_joined(const io::Fields& fields, const io::Record& record) const {
  Prepared prepared;
  if (io::is_tagged(record.source().format))
    throw Error("is read as CoNLL, which has gold and predicted tags itself: leave ", opt::gold,
                " out, or use predictions in JSONL");
  if (by_order()) {
    const bool answers = record.source().format == io::InputFormat::object;
    if (answers || find_id(fields, ""))
      throw Error("has an id, but the records of ", gold_->path(), " have none; ",
                  answers ? opt::id_field + " names their field"
                          : "name the field of both with " + opt::id_field +
                                ", or leave out the ids to join by order: bert-predict " + opt::drop + " id");
    const auto place = static_cast<size_t>(record.place());
    if (place < gold_->size()) {
      require_same_text(fields, place);
      prepared.predictions.push_back({place, scorer_->compare(gold_->gold(place), fields)});
    } else {
      ++prepared.unknown;
    }
    return prepared;
  }
  const auto add = [&](std::string_view id, const auto& compare) {
    const auto place = gold_->find(id);
    if (place) {
      prepared.predictions.push_back({*place, compare(gold_->gold(*place))});
    } else if (options_.score.task == task::Task::answer) {
      ++prepared.unknown;  // skipped, as in the official scripts
    } else {
      throw Error("id \"", id, "\" is not in ", gold_->path());
    }
  };
  if (record.source().format != io::InputFormat::object) {
    const auto id = find_id(fields, options_.id_field);
    if (!id)
      throw Error("field \"", kIdField, "\" is missing, the field that joins predictions with ",
                  gold_->path(), "; ", opt::id_field, " names another one");
    add(*id, [&](std::string_view gold) { return scorer_->compare(gold, fields); });
    return prepared;
  }
  for (const auto& [id, answer] : fields.members()) {
    if (answer.kind() != json::Value::Kind::string)
      throw Error("is read as an object of answers by id, but \"", id, "\" is ", answer.kind_name(),
                  ", expected a string");
    add(id, [&, text = answer.string()](std::string_view gold) { return scorer_->compare_text(gold, text); });
  }
  return prepared;
}

void ScoreFilter::require_same_text(const io::Fields& fields, size_t place) const {
  const auto& text_field = options_.score.text_field;
  const auto field = gold_->other_text(place, fields, text_field);
  if (field.empty()) return;
  const bool usual = field == text_field || field == "words";
  throw Error("has another ", usual ? "text" : json::in_quotes(field), " than record ", place + 1, " of ",
              gold_->path(), kSameOrder);
}

void ScoreFilter::compute(std::span<io::Record* const> records) {
  for (io::Record* record : records) add(record->work_as<Prepared>());
}

// An Error thrown here would end the stream, so finish() throws it.
void ScoreFilter::add(Prepared& prepared) {
  unknown_ += prepared.unknown;
  if (gold_) {
    for (auto i = prepared.predictions.begin(); i != prepared.predictions.end(); ++i) {
      if (!seen_[i->place]) {
        seen_[i->place] = true;
        continue;
      }
      prepared.failure = gold_->name(i->place) + " has more than one prediction";
      while (i != prepared.predictions.begin()) seen_[(--i)->place] = false;
      return;
    }
  }
  try {
    for (const auto& [place, compared] : prepared.predictions) {
      places_ = std::max(places_, place + 1);
      scorer_->add(gold_ ? place : records_, *compared);
      ++records_;
    }
  } catch (const Error& error) {
    prepared.failure = error.what();
    if (!gold_) return;
    for (const auto& prediction : prepared.predictions) seen_[prediction.place] = false;
  }
}

void ScoreFilter::finish(io::Record& record, io::Output&) const {
  const auto& failure = record.work_as<Prepared>().failure;
  if (!failure.empty()) throw Error(failure);
}

// Gold labels without a prediction are an error, unless the task counts them or bad records are skipped.
void ScoreFilter::add_missing() {
  constexpr int64_t kNamed = 5;
  int64_t missing = 0;
  for (size_t place = 0; place < seen_.size(); ++place) {
    if (seen_[place]) continue;
    const std::string what = options_.gold + ": " + gold_->name(place) + " has no prediction";
    const bool counted = scorer_->add_missing(place, gold_->gold(place));
    counted_missing_ |= counted;
    if (!counted && options_.on_error == io::OnError::stop) throw Error(what);
    if (missing++ < kNamed) log_.warn(what + (counted ? ", which counts as wrong" : ""));
  }
  if (missing > kNamed)
    log_.warn(std::to_string(missing) + (by_order() ? " records" : " ids") + " have no prediction");
}

// Without ids, a different number of records means that they do not correspond.
void ScoreFilter::check_counts() const {
  if (places_ < gold_->size() || unknown_ > 0)
    throw Error(options_.gold, " has ",
                counted(static_cast<int64_t>(gold_->size()), "gold label", "gold labels"), " for ",
                counted(static_cast<int64_t>(places_) + unknown_, "prediction", "predictions"), kSameOrder,
                id_hint());
}

std::string ScoreFilter::id_hint() const {
  const auto& name = gold_->id_in_other_case;
  return name.empty() ? "" : "; did you mean " + opt::id_field + " " + name + "?";
}

void ScoreFilter::end(io::Output& out) {
  if (gold_ && by_order()) {
    check_counts();
    log_.warn(options_.gold + " has no ids: gold labels and predictions are joined by their order" +
              id_hint());
  }
  if (gold_) add_missing();
  if (unknown_ > 0)
    log_.warn(counted(unknown_, "prediction was", "predictions were") + " skipped: no question in " +
              options_.gold + " has their id");
  if (records_ == 0 && !counted_missing_) return log_.warn("no records: nothing was scored");
  const Evaluation& evaluation = scorer_->evaluate();
  write_result(evaluation, out);
  for (const auto& remark : scorer_->remarks()) log_.warn(remark);
  if (options_.plot)
    draw_plot(options_.result == Result::curve ? curve_script(evaluation, *options_.curve) : scorer_->plot(),
              *options_.plot);
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
  }
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
  if (const auto metric = report.unwritten(); metric && !options_.score.benchmark)
    throw Error(opt::metric, " ", *metric, " cannot be computed from these records", scorer_->advice(*metric),
                "; see bert-score(1)");
}

}  // namespace bert::metric
