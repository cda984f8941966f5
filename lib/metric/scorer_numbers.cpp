#include <cstring>

#include "base/error.h"
#include "metric/score_plot.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

std::string bytes_of(double value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

double number_of(std::string_view bytes) {
  double value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

struct ComparedNumbers : io::Work {
  double gold, predicted;
  std::string query;  // for rank
};

class NumberScorer : public Scorer {
 public:
  using Scorer::Scorer;

  std::string gold(const io::Fields& fields) const override { return bytes_of(fields.number(field_)); }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedNumbers>();
    compared->gold = number_of(gold);
    compared->predicted = fields.number("prediction");
    return compared;
  }

  void add(size_t, io::Work& work) override {
    const auto& compared = static_cast<const ComparedNumbers&>(work);
    evaluation_.numbers.add(compared.gold, compared.predicted);
  }

  // The squared error.
  std::optional<Miss> miss(const io::Work& work) const override {
    const auto& compared = static_cast<const ComparedNumbers&>(work);
    const double error = compared.predicted - compared.gold;
    if (error == 0) return std::nullopt;
    Miss miss = {.loss = error * error, .gold = {}};
    json::append_double(miss.gold, compared.gold);
    return miss;
  }

  void append_counts(Report& report) const override { report.count("records", evaluation_.numbers.count()); }

  std::string plot() const override { return scatter_script(evaluation_.numbers); }
};

// Passages of one query have the same query text; the label is the gain.
class RankScorer : public Scorer {
 public:
  explicit RankScorer(const ScoreOptions& options) : Scorer(options), query_field_(options.text_field) {
    evaluation_.top_k = options.top_k.value_or(kRankTopK);
  }

  std::string gold(const io::Fields& fields) const override { return bytes_of(fields.number(field_)); }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedNumbers>();
    compared->gold = number_of(gold);
    compared->predicted = fields.number("prediction");
    compared->query = fields.required_text(query_field_);
    return compared;
  }

  void add(size_t, io::Work& work) override {
    const auto& compared = static_cast<const ComparedNumbers&>(work);
    rankings_.add(compared.query, compared.gold, compared.predicted);
  }

  void append_counts(Report& report) const override {
    report.count("records", rankings_.count());
    report.count("queries", rankings_.queries());
  }

 private:
  void settle() override {
    evaluation_.queries = rankings_.values(evaluation_.top_k);
    evaluation_.ranking = mean_of(evaluation_.queries);
  }

  std::string query_field_;
  Rankings rankings_;
};

}  // namespace

std::unique_ptr<Scorer> make_number_scorer(const ScoreOptions& options) {
  return std::make_unique<NumberScorer>(options);
}

std::unique_ptr<Scorer> make_rank_scorer(const ScoreOptions& options) {
  return std::make_unique<RankScorer>(options);
}

}  // namespace bert::metric
