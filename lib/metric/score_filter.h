// The filter of bert-score: writes one object or some rows at the end.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/filter.h"
#include "io/stream.h"
#include "metric/curve_rows.h"
#include "metric/gold.h"
#include "metric/kept_works.h"
#include "metric/resampling.h"
#include "metric/scorer.h"
#include "metric/worst.h"

namespace bert::metric {

// What is written: one object of metrics, or rows of something else.
enum class Result { metrics, report, confusion, curve, threshold, calibration, by, worst, against };

struct ScoreFilterOptions {
  Result result = Result::metrics;
  std::optional<CurveKind> curve;
  ThresholdGoal threshold;
  std::string by;                    // field by whose values records are grouped; empty: none
  std::string against;               // FILE with predictions to compare with
  std::optional<int64_t> bootstrap;  // samples for intervals and tests
  uint64_t seed = 0;
  Pool* pool = nullptr;  // for these
  int64_t worst = 0;     // number of records with the highest losses
  ScoreOptions score;
  std::string gold;                 // FILE; empty: gold labels are in the records
  std::string null_scores;          // FILE with an object {id: number}; empty: null scores are in the records
  std::optional<std::string> plot;  // FILE to draw
  std::string id_field;             // empty: kIdField, or the order of records if there is none
  bool as_text = false;             // aligned and rounded, for people
  int precision = -1;
  io::OnError on_error = io::OnError::stop;

  Resampling resampling() const { return {.samples = bootstrap.value_or(1000), .seed = seed, .pool = pool}; }
};

// Names each metric that is undefined in a warning.
Report make_report(const ScoreFilterOptions& options, Log& log);
void write_report(const Report& report, const ScoreFilterOptions& options, io::Output& out);
void write_rows(std::span<const Report> rows, const ScoreFilterOptions& options, io::Output& out);
// To read ScoreFilterOptions::against: as the stream is read, but for a form of its own, which its suffix or
// contents show.
io::StreamOptions stream_against(const io::StreamOptions& stream, const std::string& file);
// Writes a row for each wanted metric. `mcnemar`: the p-value for the accuracy.
void write_comparisons(std::span<const Comparison> comparisons, const Evaluation& evaluation,
                       std::optional<double> mcnemar, const Report& empty, const ScoreFilterOptions& options,
                       io::Output& out);

class ScoreFilter : public io::Filter {
 public:
  // Reads the gold FILE with the settings of `stream`. `log` must outlive the filter.
  ScoreFilter(ScoreFilterOptions options, const io::StreamOptions& stream, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record&) const override { return 1; }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void end(io::Output& out) override;
  bool tells_of_none() const override { return true; }

 private:
  struct Prepared;
  std::string gold_of(const io::Fields& fields) const;
  std::string group_of(const io::Fields& fields, const io::Record& record) const;
  Prepared prepare_joined(const io::Fields& fields, const io::Record& record) const;
  void require_same_text(const io::Fields& fields, size_t place) const;
  std::unique_ptr<io::Work> prepared_of(const io::Fields& fields, const io::Record& record) const;
  void add(io::Work& work, const io::Record& record);
  static void throw_failure(const io::Work& work);
  void add_missing();
  void write_result(const Evaluation& evaluation, io::Output& out);
  void write_curves(const Evaluation& evaluation, const Report& empty, io::Output& out) const;
  void write_groups(const Report& empty, io::Output& out);
  bool keeps_works() const {
    return !options_.by.empty() || options_.bootstrap || options_.result == Result::against;
  }
  std::vector<Interval> intervals_of(const Works& works) const;
  void write_comparison(const Report& empty, io::Output& out);
  KeptWorks read_against(const ScoreOptions& settled) const;
  bool is_complete();
  void require_written(const Report& report) const;
  void require_areas(const Evaluation& evaluation) const;
  void check_counts() const;
  std::string id_hint() const;
  bool by_order() const { return !gold_->has_ids() && gold_->size() > 0; }

  ScoreFilterOptions options_;
  const io::StreamOptions stream_;
  Log& log_;
  std::unique_ptr<Scorer> scorer_;
  std::optional<GoldTable> gold_;
  KeptWorks kept_;
  std::optional<WorstRecords> worst_;
  mutable std::atomic<bool> of_usual_column_ =
      false;                      // some predictions are upos of CoNLL-U, though not named
  std::vector<bool> seen_;        // gold labels that have a prediction
  bool counted_missing_ = false;  // some without one count as wrong
  size_t records_ = 0;            // number of predictions so far
  size_t places_ = 0;             // by order: number of records up to the last one with a prediction
  int64_t unknown_ = 0;           // answers to questions not in gold_, records beyond its end
};

}  // namespace bert::metric
