// Fine-tuning for sentences and pairs (Devlin et al. 2018, section 4.1): a classifier over the pooler's
// output.
//
//   classify    mean cross-entropy over a step's examples, with class weights Σ w·nll / Σ w
//   regress     mean squared error
//   multilabel  mean binary cross-entropy over examples and labels
#pragma once

#include <memory>
#include <vector>

#include "examples/labels.h"
#include "model/training_network.h"
#include "train/learner.h"

namespace bert::train {

struct SentenceOptions {
  std::vector<float> class_weights = {};  // for classify, one for each label; empty: all 1
  float soft_share = 0;                   // of the loss: soft labels, if the examples have them
  float temperature = 1;                  // of soft labels
  double threshold = 0.5;                 // minimum probability of a multilabel label on the dev set
  Learner::Keep keep = Learner::Keep::activations;
};

// `network` must have a classifier over sequences with one output for each label (regress: one). Both must
// outlive the learner.
std::unique_ptr<Learner> make_sentence_learner(task::Task task, model::TrainingNetwork& network,
                                               const examples::Labels& labels,
                                               const SentenceOptions& options);

}  // namespace bert::train
