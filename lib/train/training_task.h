// A training task: the heads of its model, how records become examples, and the loss.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/log.h"
#include "comm/communicator.h"
#include "corpus/masking.h"
#include "examples/example.h"
#include "examples/record_source.h"
#include "features/features.h"
#include "heads/embed_plan.h"
#include "heads/spans.h"
#include "metric/metrics.h"
#include "model/config.h"
#include "model/module_files.h"
#include "model/sentence_transformers.h"
#include "model/training_network.h"
#include "nn/rank_losses.h"
#include "nn/relations.h"
#include "nn/similarity_losses.h"
#include "nn/vector_losses.h"
#include "task/task.h"
#include "text/tokenizer.h"
#include "train/baseline.h"
#include "train/learner.h"
#include "train/settings.h"

namespace bert::train {

// Weight of each label's examples in the loss; 1 if not given.
struct ClassWeights {
  bool balanced = false;  // examples / (labels · examples of the label), so all labels count equally
  std::vector<std::pair<std::string, float>> given;  // label, weight
};

// Options of --task embed.
struct EmbedTaskOptions {
  nn::SimilarityOptions loss;
  bool loss_given = false;  // otherwise the loss depends on the records
  // If the given loss may be that of a teacher's vectors. `cosine` depends on the records.
  std::optional<nn::VectorLoss> teacher_loss;
  std::string teacher_vectors, dev_vectors;    // files; "": the field `embedding`
  std::string guide_vectors;                   // file, for the loss gist
  bool drops_projection = false;               // after training
  heads::Pooling pooling;                      // automatic, a mode or none: late interaction
  bool scale_given = false;                    // of the loss
  std::optional<model::SparsePooling> sparse;  // asked for: weights of words
  // Of their regularizer: for documents, for queries; not set: the default.
  std::optional<std::pair<double, double>> flops;
  std::optional<double> flops_warmup;  // share of the run; not set: a third
  // Queries have weights of a table, which is frozen or trained. Not set: as in the initial model.
  std::optional<bool> freezes_queries;
};

// Options of --task distill.
struct DistillTaskOptions {
  std::string teacher;  // a model directory
  nn::LayerLoss loss = nn::LayerLoss::minilm;
  std::vector<int64_t> layers;            // of the teacher; empty: depends on the loss and on the models
  std::optional<int64_t> relation_heads;  // not set: depends on the models
};

// Options of the tasks. Each task uses those it needs.
struct TrainingTaskOptions {
  task::Task kind = task::Task::pretrain;
  corpus::MaskRule mask;                 // pretrain, replaced
  std::string generator;                 // replaced: a model directory
  std::optional<double> generator_size;  // instead: relative to the model, with which it is trained
  // With generator_size; not set: that of the paper of the model's type.
  std::optional<model::EmbeddingSharing> embedding_sharing;
  uint64_t seed = 0;                       // for masking
  features::FeatureOptions features;       // field names and maximum sequence length
  std::optional<std::string> label_field;  // default depends on the task
  std::vector<std::string> labels;         // in the order of their ids; empty: take them from the records
  ClassWeights class_weights;
  double threshold = 0.5;            // for multilabel's dev metrics
  std::optional<float> soft_labels;  // their share of the loss: classify, regress, multilabel
  float temperature = 1;             // of soft labels, and of the loss kl
  heads::AnswerOptions answer = {};  // for windows and dev metrics
  EmbedTaskOptions embed = {};
  DistillTaskOptions distill = {};
  std::optional<nn::RankLoss> rank_loss = {};  // rank; not set: depends on the records

  std::string gold_field() const { return label_field.value_or(std::string(task::entry(kind).gold_field)); }
};

// What a task is made from. All must outlive it.
struct TaskInputs {
  const TrainingTaskOptions& options;
  const text::Tokenizer& tokenizer;
  const model::Config& config;
  const model::SentenceTransformer& sentence;  // of the initial model
  const std::string& path;                     // of its directory; "": a new model
  Dtype dtype = Dtype::f32;                    // of the network's matrix products
};

// What prepare() needs to look at all records.
struct Preparation {
  examples::RecordSource& source;
  comm::Communicator& ranks;
  Log& log;
  // Reads all records with a reader, see examples/record_check.h. Returns false if a signal came.
  std::function<bool(std::unique_ptr<examples::ExampleReader>)> check;
  int64_t records_in_step = 0;        // at most; 0: they are limited by tokens
  std::set<std::string> labels = {};  // of records that may be held out
};

// Call peek(), and then prepare() or prepare_to_evaluate(), before all other methods. The task must outlive
// its readers and learners.
class TrainingTask {
 public:
  explicit TrainingTask(const TaskInputs& inputs)
      : options_(inputs.options), tokenizer_(inputs.tokenizer), config_(inputs.config) {}
  virtual ~TrainingTask() = default;

  // Looks at the first valid record, without drawing it: it decides on heads or losses.
  virtual void peek(examples::RecordSource& /*source*/) {}
  // Checks the records, and collects what the task must know of all of them, such as their labels. Throws
  // Error if it cannot. The task is not prepared if a signal came.
  virtual void prepare(const Preparation& preparation) { preparation.check(make_reader()); }
  // If the initial model is only evaluated.
  virtual void prepare_to_evaluate() {}

  // Checks the dev set as a whole. Throws Error if it does not fit.
  virtual void check_dev_set(const examples::RecordSource& /*records*/) const {}

  // Fills parameters that the initial model has outside its weight file, or that begin otherwise than at
  // random. Returns those that the file is not expected to have, as a prefix of their names; "": none.
  virtual std::string_view complete(nn::Params& /*parameters*/) const { return {}; }

  // Adds the task's own options that affect the results of a run.
  virtual void add_settings(Settings& /*settings*/) const {}

  // Whether the dev set has metrics that need this.
  virtual bool has(metric::Needs /*needs*/) const { return true; }

  virtual model::Heads heads() const;  // default: that of the task, if there is one
  // Records the model's purpose in the config: architectures, labels, problem_type.
  virtual void describe(model::Config& config) const;
  // Whether the initial model's head fits this task and training continues with it.
  virtual bool keeps_head() const { return config_.has_architecture(architecture()); }
  // Modules after the encoder that the model's directory gets.
  virtual model::ModuleFiles modules() const { return {}; }
  // Whether a record may become several examples or none.
  virtual bool makes_windows() const { return false; }

  virtual std::unique_ptr<examples::ExampleReader> make_reader() const = 0;
  // Reader for the dev set in `path`. Its examples may contain extra data for evaluation.
  virtual std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string& /*path*/) const {
    return make_reader();
  }
  virtual std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network,
                                                Learner::Keep keep) const = 0;

  // Measured on `dev`, after training on `train`, both of FILEs that this process reads alone. None: the
  // task has no baselines.
  virtual std::vector<Baseline> baselines(const examples::RecordSource& /*train*/,
                                          const examples::RecordSource& /*dev*/) const {
    return {};
  }

 protected:
  // If options of masking were given for records that are masked already.
  void warn_of_masks(const Preparation& preparation) const;
  std::string architecture() const { return model::architecture_of(heads(), config_); }

  const TrainingTaskOptions& options_;
  const text::Tokenizer& tokenizer_;
  const model::Config& config_;
};

// Throws Error if the model cannot be trained for the task.
std::unique_ptr<TrainingTask> make_training_task(const TaskInputs& inputs);

}  // namespace bert::train
