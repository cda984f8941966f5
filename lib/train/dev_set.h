// A dev set: records for repeated evaluation that are not trained on.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/log.h"
#include "comm/communicator.h"
#include "examples/example.h"
#include "examples/record_check.h"
#include "examples/record_source.h"
#include "examples/steps.h"
#include "io/stream.h"
#include "train/learner.h"

namespace bert::train {

class DevSet {
 public:
  // Checks the records of the stream's FILEs, or of a part, before training begins. All ranks evaluate
  // together.
  DevSet(const io::StreamOptions& stream, examples::SourceOptions::Part part,
         std::unique_ptr<examples::ExampleReader> reader, const examples::CheckTools& tools);

  // What the check found; all 0 if a signal came.
  const examples::CheckedRecords& checked() const { return checked_; }

  const examples::RecordSource& source() const { return *source_; }

  // The valid records as JSON. This process must have them all.
  void write_records(const std::string& file) const;

  // The end of a message: how many of the records were training records, by their list entries
  // (RecordSource::list_entry); "" if none was.
  std::string overlap_text(std::span<const uint64_t> listed) const;

  // Evaluates the learner on all records; nullopt if a signal interrupted it. Shows progress in `progress`
  // unless it is nullptr.
  std::optional<metric::Values> evaluate(Learner& learner, Log* progress);

 private:
  examples::Steps parts();  // of the records, from the first

  comm::Communicator& ranks_;
  std::unique_ptr<examples::ExampleReader> reader_;
  std::unique_ptr<examples::RecordSource> source_;
  examples::CheckedRecords checked_;
};

}  // namespace bert::train
