// Results of labels as rows: scikit-learn's and seqeval's classification_report, and the confusion matrix.
#pragma once

#include <string>
#include <vector>

#include "metric/metrics.h"

namespace bert::metric {

// A row for each label, tag or entity type, then the averages. `empty`: a report that rows start from.
std::vector<Report> label_report(const Evaluation& evaluation, task::Task task, const Report& empty);
// Messages about values in it that are 0 because they are undefined.
std::vector<std::string> undefined_notes(const Evaluation& evaluation, task::Task task);

// A row for each gold label, with a column for each predicted one. Throws Error if there are too many labels.
std::vector<Report> confusion_rows(const Classification& score, const Report& empty);

}  // namespace bert::metric
