// Predictions compared with gold labels: what metrics are computed from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "metric/classification.h"
#include "metric/correlation.h"
#include "metric/entities.h"
#include "metric/ranking.h"
#include "metric/squad.h"

namespace bert::metric {

// A task fills its part.
struct Evaluation {
  double loss = 0;                           // of training, or of the dev set
  std::optional<double> step_accuracy = {};  // of the predictions in a training step
  std::optional<double> mlm_loss = {}, mlm_accuracy = {}, nsp_loss = {}, nsp_accuracy = {};

  Classification labels;    // next, classify, choose, and tags without prefixes
  std::string positive;     // the label whose precision, recall and F1 are computed; empty: none
  Calibration calibration;  // of the predicted labels that have a probability
  Multilabel label_sets;
  Correlation numbers;
  EntityScore entities;
  bool plain_tags = false;  // tags without prefixes, which form no entities
  SquadScore answers{};
  TopHits places;     // of the gold tokens among the candidates, or of the positives among all texts
  int64_t top_k = 1;  // candidates of fill that count
  ReciprocalRank passages;

  bool is_calibrated() const { return calibration.count() > 0 && calibration.count() == labels.count(); }
};

}  // namespace bert::metric
