// One thing BERT is used for: which tokens it reads, which head runs on them, and what it answers.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "data/answer_windows.h"
#include "data/cut_fields.h"
#include "data/features.h"
#include "io/record_writer.h"
#include "model/config.h"
#include "model/network.h"
#include "task/scores.h"
#include "task/spans.h"
#include "task/windows.h"
#include "text/tokenizer.h"

namespace bert::task {

// What a head gave for one token that was read.
struct Row {
  std::vector<float> logits;          // of the sentence heads
  std::vector<Candidate> candidates;  // of fill: the best pieces
  double log_probability = 0;         // of perplexity: of the piece behind [MASK]
  std::string failure;                // why neither is there; empty when all is well
};

// One sequence of a record and what was computed of it.
struct Window {
  data::Features features;
  int32_t choice = 0;  // of choose: the choice it reads
  // Of perplexity: the tokens that are hidden, ascending. The sequence is read once for each of them, with
  // [MASK] in its place, and that is then the position the head reads.
  std::vector<int64_t> hidden;
  std::vector<Row> rows;  // one for each position that was read
};

// A record as a task reads it, from prepare to finish.
struct Reading : Windows<Window> {
  bool truncated = false;           // tokens were cut off
  bool of_ids = false;              // the windows are those of input_ids
  std::vector<data::CutField> cut;  // what the cut left of fields that describe these
  std::string id;                   // of the record, for the official form of answers
};

class Task {
 public:
  virtual ~Task() = default;

  virtual model::Needs needs() const = 0;

  // The sequences of a record, at least one; Error when the task cannot answer such a record. By default the
  // windows of its text, or of its pair.
  virtual std::unique_ptr<Reading> read(const io::Fields& fields, const data::Featurizer& featurizer) const;

  // Whether sequences are read only with a token hidden, see Window::hidden.
  virtual bool hides_tokens() const { return false; }

  // Appends the positions, ascending, of the tokens whose last hidden vectors the head reads.
  virtual void positions(const data::Features& /*features*/, std::vector<int64_t>& positions) const {
    positions.push_back(0);  // [CLS]
  }

  // What happens to long texts when the user does not say, and whether the task knows what the user says.
  virtual data::Overflow overflow() const { return data::Overflow::truncate; }
  virtual bool takes(data::Overflow) const { return true; }
  virtual bool takes_overlap() const { return true; }
  // The most tokens of a sequence when the user does not say, as far as the model reads so many.
  virtual int64_t usual_length() const { return std::numeric_limits<int64_t>::max(); }

  // What the task wants to be told of the tokens, whatever the user. Error when it cannot work so.
  virtual void adapt(data::FeatureOptions&) const {}

  // Says how many of the records that came out were cut.
  virtual void report_cut(Log& log, int64_t records, int64_t max_length) const;

  // Runs the head on `hidden` [R,H], the vectors of positions of many sequences; `pieces` are the ids that
  // stood there before any was hidden, [R]. Never throws for the sake of one row.
  virtual std::vector<Row> compute(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                                   std::span<const int32_t> pieces) const = 0;

  // The prediction alone, for the official form of answers; nullopt: the task has none.
  virtual std::optional<std::string> official(const Reading&) const { return {}; }
  virtual bool has_official() const { return false; }

  // Adds `prediction` and what goes with it. Error when a number is not finite.
  virtual void answer(const Reading& reading, io::Added& added) const = 0;
};

// Which of a word's pieces decides its tag: the first (Devlin et al. 2018, section 5.3), all by their mean
// probabilities, or the one that is surest.
enum class Aggregate { first, mean, max };

enum class TaskKind {
  automatic,
  fill,
  next,
  classify,
  regress,
  multilabel,
  tag,
  answer,
  choose,
  rank,
  perplexity
};

std::string_view name_of(TaskKind kind);  // as --task spells it: "auto"

// Of answer, with run_squad.py's defaults.
struct AnswerOptions {
  int64_t stride = 128;                        // from one window to the next, in tokens
  std::optional<int64_t> max_question_length;  // in tokens; without it 64, or half of what the model reads
  int64_t max_answer_length = 30;              // in tokens
  std::optional<int64_t> n_best;               // answers listed; 20, or so many, are kept in any case
  std::optional<double> no_answer_threshold;   // without it there is always an answer, as in SQuAD 1.1
};

data::AnswerRule window_rule(const AnswerOptions& options, int64_t max_length);
SpanRule span_rule(const AnswerOptions& options);

struct TaskOptions {
  TaskKind task = TaskKind::automatic;
  int64_t top_k = 5;                       // candidates of fill
  double threshold = 0.5;                  // probability from which multilabel takes a label
  Aggregate aggregate = Aggregate::first;  // of tag
  AnswerOptions answer = {};
  int precision = -1;  // as io::append_number
};

// `options.task` is one that task_for gives for the model. `config` and `tokenizer` outlive the task. Error
// when the model's labels are not what the task needs.
std::unique_ptr<Task> make_task(const TaskOptions& options, const model::Config& config,
                                const text::Tokenizer& tokenizer);

// One a task, each in its own file.
std::unique_ptr<Task> make_fill(const TaskOptions& options, const text::Tokenizer& tokenizer);
std::unique_ptr<Task> make_next(const TaskOptions& options);
std::unique_ptr<Task> make_classify(const TaskOptions& options, const model::Config& config);
std::unique_ptr<Task> make_regress(const TaskOptions& options, const model::Config& config);
std::unique_ptr<Task> make_multilabel(const TaskOptions& options, const model::Config& config);
std::unique_ptr<Task> make_rank(const TaskOptions& options, const model::Config& config);
std::unique_ptr<Task> make_choose(const TaskOptions& options);
std::unique_ptr<Task> make_tag(const TaskOptions& options, const model::Config& config);
std::unique_ptr<Task> make_answer(const TaskOptions& options, const text::Tokenizer& tokenizer);
std::unique_ptr<Task> make_perplexity(const TaskOptions& options, const text::Tokenizer& tokenizer);

}  // namespace bert::task
