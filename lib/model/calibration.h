// Scales the logits of a classifier, so that its probabilities match how often it is right.
#pragma once

#include <string>

#include "model/cut.h"
#include "model/directory.h"

namespace bert::model {

// Reads FILE as bert-score --calibrate writes it: JSONL with `label`, `scale` and `offset`, a record for each
// label of a multilabel model, or one whose label is null. Row k of the classifier's weight becomes
// scale · row, and its bias scale · bias + offset, so that all software computes the calibrated scores.
// Throws Error if the model has no classifier or other labels.
void calibrate(const std::string& file, const Directory& source, Parts& parts);

}  // namespace bert::model
