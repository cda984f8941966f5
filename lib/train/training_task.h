// What a run learns: which heads its model gets, how its records become examples, and what goes down.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/example.h"
#include "data/features.h"
#include "data/masking.h"
#include "data/record_source.h"
#include "model/config.h"
#include "model/training_network.h"
#include "task/task.h"
#include "text/tokenizer.h"
#include "train/learner.h"
#include "train/settings.h"

namespace bert::train {

enum class TaskKind { pretrain, classify, regress, multilabel, tag, answer, choose };

std::string_view name_of(TaskKind kind);  // as --task spells it

// How much each label's examples count, beside 1 for all.
struct ClassWeights {
  bool balanced = false;  // examples / (labels · examples of the label), so that all labels count alike
  std::vector<std::pair<std::string, float>> given;  // label, weight
};

// What the options say of the task. Each kind takes what it needs.
struct TrainingTaskOptions {
  TaskKind kind = TaskKind::pretrain;
  data::MaskRule mask;                     // pretrain
  uint64_t seed = 0;                       // of its random numbers
  data::FeatureOptions features;           // fields; max_length: the most tokens of a sequence, settled
  std::optional<std::string> label_field;  // without it the task's own
  std::vector<std::string> labels;         // in the order of their ids; empty: those of the records
  ClassWeights class_weights;
  double threshold = 0.5;           // of multilabel's dev figures
  task::AnswerOptions answer = {};  // windows, and dev figures
};

// The records a run is to learn from, to look at before anything is made.
struct Preview {
  using Look = std::function<void(const data::RecordSource::Use&)>;
  Look first;  // shows a good one near the beginning, if there is one
  Look all;    // shows each good one; empty when they come from a pipe
};

// Made for the command line's options, then told of the records by prepare(), which comes before all else.
// The tokenizer and the configuration it is made with outlive it; it outlives its readers and learners.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  // What it must know of the records: their labels, or whether they have any. Error when it cannot be known.
  virtual void prepare(const Preview& preview) = 0;

  // Options of its own that decide about the bits of a run.
  virtual void add_settings(Settings& settings) const = 0;

  // Names of the figures its learner measures on a dev set, for --best.
  virtual std::vector<std::string> metrics() const = 0;

  virtual model::TrainingNetwork::Heads heads() const = 0;
  // Writes down what the model is for: architectures, labels, problem_type.
  virtual void settle(model::Config& config) const = 0;
  // Whether the head of the model that training begins with is for the same, and goes on learning.
  virtual bool keeps_head() const { return false; }
  // Whether a record may become more or fewer examples than one.
  virtual bool makes_windows() const { return false; }

  virtual std::unique_ptr<data::ExampleReader> make_reader() const = 0;
  // Of the dev set in `path`: may keep in its examples what only evaluation needs.
  virtual std::unique_ptr<data::ExampleReader> make_dev_reader(const std::string& path) const = 0;
  virtual std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network,
                                                model::TrainingNetwork::Keep keep) const = 0;
};

// `tokenizer` and `config` outlive the task. Error when the model cannot be trained for it.
std::unique_ptr<TrainingTask> make_training_task(const TrainingTaskOptions& options,
                                                 const text::Tokenizer& tokenizer,
                                                 const model::Config& config);

// One a kind, each in its own file.
std::unique_ptr<TrainingTask> make_pretrain_task(const TrainingTaskOptions& options,
                                                 const text::Tokenizer& tokenizer,
                                                 const model::Config& config);
std::unique_ptr<TrainingTask> make_sentence_task(const TrainingTaskOptions& options,
                                                 const text::Tokenizer& tokenizer,
                                                 const model::Config& config);
std::unique_ptr<TrainingTask> make_tag_task(const TrainingTaskOptions& options,
                                            const text::Tokenizer& tokenizer, const model::Config& config);
std::unique_ptr<TrainingTask> make_answer_task(const TrainingTaskOptions& options,
                                               const text::Tokenizer& tokenizer, const model::Config& config);
std::unique_ptr<TrainingTask> make_choose_task(const TrainingTaskOptions& options,
                                               const text::Tokenizer& tokenizer, const model::Config& config);

}  // namespace bert::train
