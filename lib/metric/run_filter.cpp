#include "metric/run_filter.h"

#include "base/error.h"
#include "io/pull_reader.h"
#include "io/record_reader.h"
#include "metric/resampling.h"

namespace bert::metric {
namespace {

struct Found : io::Work {
  std::vector<Ranked> ranked;
};

}  // namespace

RunFilter::RunFilter(ScoreFilterOptions options, const io::StreamOptions& stream, Log& log)
    : options_(std::move(options)),
      stream_(stream),
      log_(log),
      judgments_(read_judgments(options_.gold, stream)) {}

void RunFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto found = std::make_unique<Found>();
  found->ranked = ranked_of(fields, record, options_.id_field, options_.score.text_field);
  record.work = std::move(found);
}

void RunFilter::compute(std::span<io::Record* const> records) {
  for (const auto* record : records) add(record->work_as<Found>().ranked, *record, run_);
}

void RunFilter::add(std::span<const Ranked> ranked, const io::Record& record, Run& run) {
  for (const auto& [query, document, score] : ranked) {
    if (!judgments_.has_query(query)) {
      run.unknown.add(query);
      continue;
    }
    run.rankings.add(query, judgments_.take(query, document), score,
                     {.name = document, .file = record.source().name, .line = record.line()});
  }
}

bool RunFilter::complete(Run& run, const std::string& name) {
  const auto found = run.rankings.queries();
  if (found == 0) {
    if (run.unknown.size() > 0) throw Error(name, options_.gold, " has no judgments of these queries");
    return false;
  }
  if (run.unknown.size() > 0)
    log_.warn(name + counted(run.unknown.size(), "query was", "queries were") +
              " skipped, without judgments in " + options_.gold);
  if (!judgments_.has_taken())
    log_.warn(name + "no result has a judgment in " + options_.gold +
              ": do both have the same ids of documents?");
  judgments_.each_left([&](std::string_view query, double gain) { run.rankings.add_missing(query, gain); });
  if (const auto missing = run.rankings.queries() - found; missing > 0)
    log_.warn(name + counted(missing, "query", "queries") + " of " + options_.gold +
              " without results: counted as 0");
  return true;
}

// Both runs have all queries with judgments, each in its own order.
std::vector<RankingMeans> RunFilter::values_against(int64_t top_k) {
  const auto side = stream_against(stream_, options_.against);
  Run other;
  judgments_.untake();
  io::PullReader reader(side);
  io::RawRecordReader records(side.invalid_utf8, io::OnError::stop);
  for (io::RawRecord raw; reader.next(raw);) {
    records.read(raw, [&](const io::Fields& fields, const io::Record& record) {
      add(ranked_of(fields, record, options_.id_field, options_.score.text_field), record, other);
    });
  }
  if (!complete(other, options_.against + ": ")) throw Error(options_.against, ": has no records");
  const auto values = other.rankings.values(top_k);
  std::vector<RankingMeans> in_order;
  for (int64_t i = 0; i < run_.rankings.queries(); ++i)
    in_order.push_back(values.at(other.rankings.find(run_.rankings.query(i)).value()));
  return in_order;
}

void RunFilter::end(io::Output& out) {
  if (!complete(run_, "")) return log_.warn("no records: nothing was scored");
  Evaluation evaluation;
  evaluation.top_k = options_.score.top_k.value_or(kRankTopK);
  evaluation.queries = run_.rankings.values(evaluation.top_k);
  evaluation.ranking = mean_of(evaluation.queries);
  Report report = make_report(options_, log_);
  if (options_.result == Result::against) {
    const auto population =
        queries_of(evaluation.queries, evaluation.top_k, values_against(evaluation.top_k));
    return write_comparisons(compare(population, options_.resampling()), evaluation, std::nullopt, report,
                             options_, out);
  }
  report.count("records", run_.rankings.count());
  report.count("queries", run_.rankings.queries());
  std::vector<Interval> intervals;
  if (options_.bootstrap)
    intervals = bootstrap(queries_of(evaluation.queries, evaluation.top_k), options_.resampling());
  append_metrics(report, evaluation, task::Task::rank, intervals);
  write_report(report, options_, out);
}

}  // namespace bert::metric
