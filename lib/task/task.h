// The things BERT is used for, in one table: what bert-predict, bert-train and bert-score know of a task
// before they see a model or a record. A task's code is in predict/, train/ and metric/, in a file of its
// name.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace bert::task {

enum class Task {
  automatic,  // of --task auto: the task of the model
  pretrain,
  fill,
  next,
  replaced,
  classify,
  regress,
  multilabel,
  tag,
  answer,
  choose,
  embed,
  rank,
  distill,
  perplexity
};

struct Entry {
  Task task;
  std::string_view name;                                    // as in --task
  bool predicted = false, trained = false, scored = false;  // by bert-predict, bert-train, bert-score
  std::string_view gold_field = "label";  // of the gold label in training records and for bert-score
  // Of bert-score: whether it plots them, has a report of each label, a confusion matrix, curves, and a loss
  // of each record.
  bool plotted = false, reported = false, confused = false, curved = false, has_loss = false;
  std::string_view pipeline = "";             // what the Hugging Face Hub calls the task of a trained model
  bool sentence_model = false;                // a trained model is one of sentence-transformers
  bool reads_text = true, reads_pair = true;  // the fields of --text-field and --pair-field
  // Defaults of training. Pre-training: Devlin et al. 2018, appendix A.2. Fine-tuning BERT-base and -large:
  // appendix A.3 recommends 2e-5 to 5e-5, section 4.4 uses 2e-5 for multiple choice.
  double base_rate = 5e-5;  // peak learning rate for a hidden size of 768 or more
  int64_t batch_size = 32, epochs = 3;
  double warmup_share = 0.1;
  int64_t max_length = std::numeric_limits<int64_t>::max();  // in tokens, if the model allows it
};

const Entry& entry(Task task);
std::string_view name_of(Task task);

// Whether the task trains a whole model on records of ids with masked tokens, usually from scratch.
inline bool reads_masks(Task task) { return task == Task::pretrain || task == Task::replaced; }

// The tasks of a tool, in the order of its help: tasks_with(&Entry::trained).
std::vector<Task> tasks_with(bool Entry::*use);

// Default peak learning rate for a model of this hidden size. Smaller models need higher rates: Turc et al.
// 2019 chose among 3e-5 to 3e-4; on GLUE's tasks, 3e-4 was best for a model of hidden size 256.
double default_rate(Task task, int64_t hidden);

}  // namespace bert::task
