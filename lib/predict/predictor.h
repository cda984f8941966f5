// A prediction task: which tokens and which head it uses, and how it turns logits into an answer.
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
#include "features/answer_windows.h"
#include "features/features.h"
#include "features/truncated_fields.h"
#include "heads/batches.h"
#include "heads/scores.h"
#include "heads/spans.h"
#include "io/marked_text.h"
#include "io/output.h"
#include "io/record.h"
#include "model/config.h"
#include "model/network.h"
#include "task/task.h"
#include "text/tokenizer.h"

namespace bert::predict {

// Head output for one token.
struct Row {
  std::vector<float> logits;                 // for sentence heads
  std::vector<heads::Candidate> candidates;  // for fill: the best subword tokens
  double log_probability = 0;                // for perplexity: of the masked token
  std::string failure;                       // error message; empty on success
};

// One sequence of a record and its results.
struct Window {
  features::Features features;
  int32_t choice = 0;  // for choose: index of the choice
  // For perplexity: positions of the tokens to predict, ascending. If the task masks tokens, the sequence is
  // computed once for each of them, with only that token masked, and the head reads that position.
  std::vector<int64_t> predicted;
  std::vector<Row> rows;      // one for each position the head reads
  std::vector<float> vector;  // the mean of what the head reads, if PredictOptions::keeps_vectors
};

// A record as read by a task, from prepare to finish.
struct Reading : heads::Windows<Window> {
  bool truncated = false;                     // tokens were removed
  bool of_ids = false;                        // the windows come from input_ids
  std::vector<std::string_view> stale;        // fields of an earlier prediction
  std::vector<features::TruncatedField> cut;  // truncated values of fields that describe input_ids
  std::string id;                             // id of the record, for Format::squad
  bool repeats_id = false;                    // of an earlier record
  std::vector<std::string> tags;              // gold tags of the record, for Format::conll
  size_t choices = 0;                         // for choose
};

class Predictor {
 public:
  virtual ~Predictor() = default;

  // Reads the sequences of a record; none if there is nothing to compute. Throws Error if the task does not
  // support the record. Default: the windows of its text or pair.
  virtual std::unique_ptr<Reading> read(const io::Fields& fields,
                                        const features::Featurizer& featurizer) const;

  // Whether sequences are only computed with a token masked, see Window::predicted.
  virtual bool masks_tokens() const { return false; }

  // Appends the positions, ascending, that the head reads, or before which it reads.
  virtual void positions(const Window& window, std::vector<int64_t>& positions) const = 0;

  // Whether the head reads the token before each position, as in a causal language model.
  virtual bool reads_before() const { return false; }

  // Default treatment of long texts, and whether the task supports the user's choice.
  virtual features::Overflow overflow() const { return features::Overflow::truncate; }
  virtual bool takes(features::Overflow) const { return true; }
  virtual bool takes_overlap() const { return true; }

  // Overrides features that the task requires. Throws Error if the options do not allow it.
  virtual void adapt(features::FeatureOptions&) const {}

  // Reports how many output records were truncated.
  virtual void report_truncated(Log& log, int64_t records, int64_t max_length) const;

  // Notes about the records that were read.
  virtual void report(Log&) const {}

  // Runs the head on `hidden` [R,H], the vectors at the positions of many sequences. `subwords` [R] are the
  // original ids of positions(), before masking. Errors of a single row go into Row::failure. Default: the
  // logits of each row.
  virtual std::vector<Row> compute(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                                   std::span<const int32_t> subwords) const;

  // Formats of the task's own besides those of records and rows.
  virtual std::vector<io::Format> own_formats() const { return {}; }
  // A record's prediction in the form in which the official script of the task reads predictions:
  // squad, one object of answers by id; conll, lines of word, gold tag and predicted tag, or those of the
  // record with predicted tags.
  virtual std::string official(const Reading&, const io::Record&) const { return {}; }

  // For Format::html and text: the text with the prediction marked in it.
  virtual io::MarkedText marked(const Reading&) const { return {}; }

  // The prediction as numbers, for output as rows: how many each record has, 0 if records differ, nullopt if
  // the task has none.
  virtual std::optional<size_t> row_width() const { return {}; }
  virtual std::vector<float> numbers(const Reading&) const { return {}; }

  // How little the prediction is worth, from 0 to 1: see heads::entropy. nullopt if the task cannot tell.
  virtual std::optional<double> uncertainty(const Reading&) const { return {}; }

  // Adds `prediction` and related fields. Throws Error if a number is not finite.
  virtual void answer(const Reading& reading, io::Added& added) const = 0;
};

// How the tokens of a word determine its tag: the first token (Devlin et al. 2018, section 5.3), the mean of
// the probabilities, or the token with the highest probability.
enum class Aggregate { first, mean, max };

struct TaskOptions {
  task::Task task = task::Task::automatic;
  int64_t top_k = 5;                       // candidates of fill
  double threshold = 0.5;                  // minimum probability of a multilabel label or a replaced token
  Aggregate aggregate = Aggregate::first;  // for tag
  bool word_scores = false;                // for tag: also the probabilities of all labels
  heads::AnswerOptions answer = {};
  int precision = -1;  // see json::append_number
};

// `options.task` must be a result of task_for. `config` and `tokenizer` must outlive the task. Throws Error
// if the model's labels do not fit the task.
std::unique_ptr<Predictor> make_predictor(const TaskOptions& options, const model::Config& config,
                                          const text::Tokenizer& tokenizer);

// Logits of a record: those of its window, or the mean over its windows weighted by tokens, in double. Throws
// Error if one is not finite.
std::vector<float> mean_logits(std::span<const Window> windows);

// Throws Error unless there are at least `least` distinct labels; they become keys of `scores`.
void require_labels(const model::Config& config, task::Task kind, size_t least);

// Throws Error unless the model has exactly one label.
void require_one_label(const model::Config& config, task::Task kind);

}  // namespace bert::predict
