// Reads training records for any task, and counts what a user may not have meant.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "examples/example.h"
#include "examples/record_check.h"
#include "train/data_report.h"
#include "train/training_plan.h"

namespace bert::train {

// Reports sequences the network cannot read as errors of their record. Counts the records that are drawn in
// the first epoch.
class ReadableReader final : public examples::ExampleReader {
 public:
  // `initial`, `config` and `task` must outlive it, and so must `tally`, to which the gold labels of records
  // are added unless it is nullptr.
  ReadableReader(std::unique_ptr<examples::ExampleReader> reader, const InitialModel& initial,
                 const model::Config& config, const TrainingTaskOptions& task, LabelTally* tally = nullptr)
      : reader_(std::move(reader)),
        tokenizer_(initial.tokenizer),
        config_(config),
        task_(task),
        tally_(tally),
        text_field_(task.features.text_field),
        pair_field_(task.features.pair_field) {}

  void begin(const io::Fields& fields) override { reader_->begin(fields); }
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            examples::Examples& examples) const override;
  void check(const examples::Outline& example) override;

  const examples::CheckedRecords& drawn() const { return drawn_; }

 private:
  const std::unique_ptr<examples::ExampleReader> reader_;
  const text::Tokenizer& tokenizer_;
  const model::Config& config_;
  const TrainingTaskOptions& task_;
  LabelTally* const tally_;
  const std::string text_field_, pair_field_;
  examples::CheckedRecords drawn_;
};

// Warns of what is probably not meant.
void report(const examples::CheckedRecords& found, const TrainingOptions& options,
            const text::Tokenizer& tokenizer, Log& log);

// That all records have Trait::idle.
std::string idle_text(task::Task task);

// Whether all records are pairs, or none is.
std::optional<bool> pairs_of(const examples::CheckedRecords& found);

}  // namespace bert::train
