// What the training records are like: notes before each training, and the report of a run that only checks
// them.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "examples/labels.h"
#include "examples/record_check.h"
#include "examples/record_source.h"
#include "io/record.h"
#include "metric/report.h"
#include "train/training_task.h"

namespace bert::train {

// The gold labels of a valid record: equal if the labels are. nullopt: the task has none to compare.
std::optional<std::vector<std::string>> gold_labels(const TrainingTaskOptions& task,
                                                    const io::Fields& fields);

// Number of records, or of words, with each label; of the first labels, if there are too many. Any thread may
// add some.
class LabelTally {
 public:
  void add(const std::vector<std::string>& labels);
  const examples::LabelCounts& counts() const { return counts_; }

 private:
  std::mutex mutex_;
  examples::LabelCounts counts_;
};

// Training records or a dev set. All must outlive it.
struct CheckedSet {
  const examples::RecordSource& source;
  const examples::CheckedRecords& checked;
  const examples::LabelCounts& labels;
};

// Warns of records with the same input and different labels. `name`: of the set, "" for training records.
void note_conflicts(const CheckedSet& set, const std::string& name, Log& log);
// The same for a dev set, of its empty texts, and of its records that are also training records.
void note_dev_set(const CheckedSet& train, const CheckedSet& dev, const std::string& name, Log& log);

// Adds tables of the sets, of their labels, and of the first records with the same input. `dev`: may be
// nullptr.
void add_tables(const TrainingTaskOptions& task, const CheckedSet& train, const CheckedSet* dev,
                metric::Report& report);

}  // namespace bert::train
