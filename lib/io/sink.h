// The output of a stream: renders what filters write in its format, with what is before, between and after.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "io/output_fields.h"
#include "io/stream.h"

namespace bert::io {

// One thread at a time.
class Sink {
 public:
  // References must outlive it. Throws Error if the format has a header that is completed at the end and the
  // output is not a regular file.
  Sink(const StreamOptions& options, OutputFile& file);

  // Prepares an Output whose contents will be passed to write().
  void start(Output& output) const { output.start(options_.format, fields_.wanted()); }
  // `source`: that of its records; nullptr: they are from several. Returns what OutputFields::write() does.
  std::vector<UnfitRecord> write(const Output& output, const Source* source = nullptr);
  // What the filter has withheld. Counts skipped records; returns the error of one that ends the stream.
  std::optional<std::string> write_withheld(Filter& filter, Filter::Ending ending, Log& log,
                                            RunResult& result);
  // After all records, also if the stream stopped at a bad one.
  void end(Filter::Ending ending);
  // After the end. `columns`: numbers in a row.
  void complete_header(int64_t columns);

  bool is_terminal() const { return file_.is_terminal(); }
  // About names that no record had, and about fields of records that gave way to those of the tool.
  std::vector<std::string> notes() const;

 private:
  std::optional<std::string> write_withheld(const Output& output, Log& log, int64_t& skipped);

  const StreamOptions& options_;
  const FormatEntry& format_;
  OutputFile& file_;
  OutputFields fields_;
  bool wrote_ = false;           // any record
  std::vector<LostField> lost_;  // of the first records that lost any
  std::string text_;
};

}  // namespace bert::io
