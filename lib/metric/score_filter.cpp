#include "metric/score_filter.h"

#include <algorithm>
#include <initializer_list>

#include "base/checksum.h"
#include "base/error.h"
#include "base/gnuplot.h"
#include "base/option.h"
#include "json/json.h"
#include "metric/score_plot.h"

namespace bert::metric {
namespace {

// Whether a result is, or has, metrics with one of these needs.
bool has_metrics_with(const ScoreFilterOptions& options, std::initializer_list<Needs> needs) {
  using enum Result;
  if (options.result != metrics && options.result != by && options.result != against) return false;
  const auto& names = options.score.metrics;
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return std::ranges::find(needs, find_metric(name, options.score.task)->needs) != needs.end();
         });
}

ScoresUse scores_of(const ScoreFilterOptions& options) {
  const bool is_curve = options.result == Result::curve || options.result == Result::threshold ||
                        options.result == Result::calibration;
  if (is_curve || has_metrics_with(options, {Needs::scores})) return ScoresUse::kept;
  const bool is_read = options.result == Result::worst || options.score.top_k ||
                       has_metrics_with(options, {Needs::probabilities});
  return is_read ? ScoresUse::read : ScoresUse::ignored;
}

uint64_t checksum_of(std::string_view text) {
  if (text.empty()) return 0;
  Checksum checksum;
  checksum.add(text);
  return checksum.value();
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
  std::optional<std::string> group;
  RecordSums sums;  // of a record with its own gold label
  int64_t unknown = 0;
  std::string failure;  // error found in compute()
};

ScoreFilter::ScoreFilter(ScoreFilterOptions options, const io::StreamOptions& stream, Log& log)
    : options_(std::move(options)), stream_(stream), log_(log) {
  options_.score.scores = scores_of(options_);
  scorer_ = make_scorer(options_.score);
  if (options_.result == Result::worst) worst_.emplace(options_.worst);
  if (options_.plot) require_gnuplot(*options_.plot);
  if (options_.gold.empty()) return;
  gold_ = read_gold(options_.gold, options_.id_field, *scorer_, stream);
  seen_.resize(gold_->size());
  if (!options_.null_scores.empty()) scorer_->read_null_scores(json::File(options_.null_scores), *gold_);
}

void ScoreFilter::prepare(const io::Fields& fields, io::Record& record) const {
  record.work = prepared_of(fields, record);
}

std::unique_ptr<io::Work> ScoreFilter::prepared_of(const io::Fields& fields, const io::Record& record) const {
  Prepared prepared;
  if (record.source().format == io::InputFormat::documents) {
    std::string gold;
    const bool has_gold = options_.result == Result::against;
    if (auto compared = scorer_->compare_conll(fields.required_text(options_.score.text_field),
                                               has_gold ? &gold : nullptr))
      prepared.predictions.push_back({0, std::move(compared)});
    prepared.sums.gold = checksum_of(gold);
  } else if (gold_) {
    prepared = prepare_joined(fields, record);
  } else {
    const auto gold = gold_of(fields);
    if (options_.result == Result::against)
      prepared.sums = {.gold = checksum_of(gold),
                       .id = checksum_of(find_id(fields, options_.id_field).value_or("")),
                       .text = input_sum(fields, options_.score.text_field)};
    prepared.predictions.push_back({0, scorer_->compare(gold, fields)});
  }
  if (!options_.by.empty()) prepared.group = group_of(fields, record);
  return std::make_unique<Prepared>(std::move(prepared));
}

std::string ScoreFilter::group_of(const io::Fields& fields, const io::Record& record) const {
  if (record.source().format == io::InputFormat::documents ||
      record.source().format == io::InputFormat::object)
    throw Error("is not a record with the field ", json::in_quotes(options_.by),
                ", by which results are grouped");
  return fields.label(options_.by);
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
  const auto& conll = record.source().conll;
  if (conll.tag && conll.tag == conll.find(io::kUposColumn) && !stream_.tag_column && !stream_.usual.tag)
    of_usual_column_.store(true, std::memory_order_relaxed);
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
              gold_->path(), kSameOrder,
              gold_->is_key(field)
                  ? "; " + opt::id_field + " " + std::string(field) + " joins them by this field"
                  : "");
}

void ScoreFilter::compute(std::span<io::Record* const> records) {
  for (io::Record* record : records) add(*record->work, *record);
}

// An Error thrown here would end the stream, so finish() throws it.
void ScoreFilter::add(io::Work& work, const io::Record& record) {
  auto& prepared = static_cast<Prepared&>(work);
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
    for (auto& [place, compared] : prepared.predictions) {
      places_ = std::max(places_, place + 1);
      const size_t its_place = gold_ ? place : records_;
      scorer_->add(its_place, *compared);
      ++records_;
      if (worst_)
        if (const auto miss = scorer_->miss(*compared)) worst_->add(record, *miss, options_.precision);
      if (keeps_works())
        kept_.add(std::move(compared), {static_cast<uint32_t>(its_place), prepared.sums, prepared.group});
    }
  } catch (const Error& error) {
    prepared.failure = error.what();
    if (!gold_) return;
    for (const auto& prediction : prepared.predictions) seen_[prediction.place] = false;
  }
}

void ScoreFilter::finish(io::Record& record, io::Output&) const { throw_failure(*record.work); }

void ScoreFilter::throw_failure(const io::Work& work) {
  const auto& failure = static_cast<const Prepared&>(work).failure;
  if (!failure.empty()) throw Error(failure);
}

// Gold labels without a prediction are an error, unless the task counts them or bad records are skipped.
void ScoreFilter::add_missing() {
  constexpr int64_t kNamed = 5;
  int64_t missing = 0;
  for (size_t place = 0; place < seen_.size(); ++place) {
    if (seen_[place]) continue;
    const std::string what = options_.gold + ": " + gold_->name(place) + " has no prediction";
    auto work = scorer_->missing(gold_->gold(place));
    const bool counted = work != nullptr;
    counted_missing_ |= counted;
    if (counted) scorer_->add(place, *work);
    if (counted && keeps_works()) kept_.add(std::move(work), {.place = static_cast<uint32_t>(place)});
    if (!counted && options_.on_error == io::OnError::stop) throw Error(what);
    if (missing++ < kNamed) log_.warn(what + (counted ? ", which counts as wrong" : ""));
  }
  if (missing > kNamed)
    log_.warn(std::to_string(missing) + (by_order() ? " records" : " ids") + " have no prediction");
}

// Without ids, a different number of records means that they do not correspond.
void ScoreFilter::check_counts() const {
  if (places_ < gold_->size() || unknown_ > 0)
    throw Error(options_.gold, " has ", counted(gold_->size(), "gold label", "gold labels"), " for ",
                counted(places_ + unknown_, "prediction", "predictions"), kSameOrder, id_hint());
}

std::string ScoreFilter::id_hint() const {
  const auto& name = gold_->id_in_other_case;
  return name.empty() ? "" : "; did you mean " + opt::id_field + " " + name + "?";
}

// Checks that all gold labels have a prediction. False if there are no records.
bool ScoreFilter::is_complete() {
  if (gold_ && by_order()) check_counts();
  if (gold_) add_missing();
  if (unknown_ > 0)
    log_.warn(counted(unknown_, "prediction was", "predictions were") + " skipped: no question in " +
              options_.gold + " has their id");
  return records_ > 0 || counted_missing_;
}

void ScoreFilter::end(io::Output& out) {
  if (gold_ && by_order()) {
    check_counts();
    log_.warn(options_.gold + " has no ids: gold labels and predictions are joined by their order" +
              id_hint());
  }
  if (!is_complete()) return log_.warn("no records: nothing was scored");
  const Evaluation& evaluation = scorer_->evaluate();
  write_result(evaluation, out);
  for (const auto& remark : scorer_->remarks()) log_.warn(remark);
  if (of_usual_column_ && evaluation.plain_tags && evaluation.labels.accuracy() == 1)
    log_.warn("all predicted tags in the column upos are the gold ones; if another column was predicted, " +
              std::string(opt::tag_column) + " names it");
  if (options_.plot)
    draw_plot(options_.result == Result::curve ? curve_script(evaluation, *options_.curve) : scorer_->plot(),
              *options_.plot);
}

}  // namespace bert::metric
