#include "metric/run_filter.h"

#include "base/error.h"

namespace bert::metric {
namespace {

struct Run : io::Work {
  std::vector<Ranked> ranked;
};

}  // namespace

RunFilter::RunFilter(ScoreFilterOptions options, const io::StreamOptions& stream, Log& log)
    : options_(std::move(options)), log_(log), judgments_(read_judgments(options_.gold, stream)) {}

void RunFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto run = std::make_unique<Run>();
  run->ranked = ranked_of(fields, record, options_.id_field, options_.score.text_field);
  record.work = std::move(run);
}

void RunFilter::compute(std::span<io::Record* const> records) {
  for (const auto* record : records) {
    for (const auto& [query, document, score] : record->work_as<Run>().ranked) {
      if (!judgments_.has_query(query)) {
        unknown_.add(query);
        continue;
      }
      rankings_.add(query, judgments_.take(query, document), score,
                    {.name = document, .file = record->source().name, .line = record->line()});
    }
  }
}

void RunFilter::end(io::Output& out) {
  const auto found = rankings_.queries();
  if (found == 0) {
    if (unknown_.size() > 0) throw Error(options_.gold, " has no judgments of these queries");
    return log_.warn("no records: nothing was scored");
  }
  if (unknown_.size() > 0)
    log_.warn(counted(unknown_.size(), "query was", "queries were") + " skipped, without judgments in " +
              options_.gold);
  if (!judgments_.has_taken())
    log_.warn("no result has a judgment in " + options_.gold + ": do both have the same ids of documents?");
  judgments_.each_left([&](std::string_view query, double gain) { rankings_.add_missing(query, gain); });
  if (const auto missing = rankings_.queries() - found; missing > 0)
    log_.warn(counted(missing, "query", "queries") + " of " + options_.gold +
              " without results: counted as 0");
  Evaluation evaluation;
  evaluation.top_k = options_.score.top_k.value_or(kRankTopK);
  evaluation.ranking = rankings_.means(evaluation.top_k);
  Report report = make_report(options_, log_);
  report.count("records", rankings_.count());
  report.count("queries", rankings_.queries());
  append_metrics(report, evaluation, task::Task::rank);
  write_report(report, options_, out);
}

}  // namespace bert::metric
