// One task's way from records to figures: what is true and what was predicted are read from fields, compared
// one by one, and added up in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fields.h"
#include "io/json.h"
#include "io/record.h"
#include "metric/benchmark.h"
#include "metric/gold.h"
#include "metric/report.h"

namespace bert::metric {

struct ScoreOptions {
  Task task = Task::classify;
  std::vector<std::string> metrics;              // names of the output; empty: all
  std::string text_field = "text";               // of rank: the query
  std::optional<std::string> label_field;        // without it the task's own
  std::optional<std::string> positive;           // label of F1
  std::vector<std::string_view> usual_positive;  // where it is not given, the first of these that came
  std::optional<int64_t> top_k;                  // of fill
  std::optional<int64_t> mask_id;                // of fill: only tokens that became this one are answered
  std::optional<double> no_answer_threshold;     // of answer
  SquadScore::Version version = SquadScore::Version::automatic;
};

class Scorer {
 public:
  virtual ~Scorer() = default;

  // What is true by this record, in bytes that compare() reads.
  virtual std::string gold(const io::Fields& fields) const = 0;

  // Reads the prediction and compares it; any thread may.
  virtual std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const = 0;

  // Of a CoNLL sentence, a line a word with the true and the predicted tag at its end.
  virtual std::unique_ptr<io::Work> compare_conll(std::string_view sentence) const;
  // A prediction that is a text, of the object {id: answer}.
  virtual std::unique_ptr<io::Work> compare_text(std::string_view gold, std::string_view predicted) const;

  // Takes note of what compare() gave. `place` is the truth's, from 0; each comes once, in the order of
  // predictions.
  virtual void add(size_t place, const io::Work& compared) = 0;
  // There is no prediction for this truth. False: the task cannot do without.
  virtual bool add_missing(size_t /*place*/, std::string_view /*gold*/) { return false; }

  // Null scores by id, an object that names every truth; they go before those of records.
  virtual void read_null_scores(const io::JsonFile& file, const GoldTable& gold);

  virtual void report(Report& report) const = 0;

  // What the user should know of the whole, a sentence; empty: nothing.
  virtual std::string remark() const { return {}; }
};

std::unique_ptr<Scorer> make_scorer(const ScoreOptions& options);

// Of the files scorer_*.cpp.
std::unique_ptr<Scorer> make_label_scorer(const ScoreOptions& options);  // next, classify, choose
std::unique_ptr<Scorer> make_multilabel_scorer(const ScoreOptions& options);
std::unique_ptr<Scorer> make_number_scorer(const ScoreOptions& options);
std::unique_ptr<Scorer> make_rank_scorer(const ScoreOptions& options);
std::unique_ptr<Scorer> make_fill_scorer(const ScoreOptions& options);
std::unique_ptr<Scorer> make_tag_scorer(const ScoreOptions& options);
std::unique_ptr<Scorer> make_answer_scorer(const ScoreOptions& options);

// Fields as scorers read them. Errors name the field.
std::string label_text(const io::Fields& fields,
                       std::string_view name);                   // a string, or an integer as it is written
double number(const io::Fields& fields, std::string_view name);  // or a text that is one
std::vector<std::string_view> texts(const io::Fields& fields, std::string_view name);  // an array of strings
io::Json required(const io::Fields& fields, std::string_view name);

}  // namespace bert::metric
