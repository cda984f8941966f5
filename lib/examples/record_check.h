// Reads records as examples before training, so that bad ones are known before the first step: all in FILEs,
// but of a pipe only those in the shuffle buffer, so that it starts at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "comm/communicator.h"
#include "examples/example.h"
#include "examples/record_digest.h"
#include "examples/record_source.h"

namespace bert::examples {

struct CheckTools {
  Pool& pool;
  comm::Communicator& ranks;  // all check the records together
  Log& log;
  bool shows_progress;
  size_t listed = 20;  // bad records
  // The records of which those checked are a part: bad ones are refused together with those of other parts.
  std::function<std::unique_ptr<RecordSource>()> whole = nullptr;
};

// Numbers of records and of those with each trait, without bad ones and those that give no example.
struct CheckedRecords {
  int64_t records = 0, examples = 0;
  std::array<int64_t, static_cast<size_t>(Trait::count)> counts = {};
  std::array<std::string, static_cast<size_t>(Trait::count)> first = {};  // where
  std::vector<RecordDigest> digests;  // of all records, also of those without an example

  int64_t with(Trait trait) const { return counts[static_cast<size_t>(trait)]; }
  const std::string& first_with(Trait trait) const { return first[static_cast<size_t>(trait)]; }
  void add(const Traits& traits, const std::string& where);  // of a record
  void add(const CheckedRecords& others);
};

// Lists the first bad records in order of their lines, and counts the others. Leaves them out of FILEs, or
// throws Error if the source does not skip them; those that a pipe skips are reported when they are drawn.
// Also throws what `reader` says of the whole input. Draws nothing. Returns nullopt if a signal came.
std::optional<CheckedRecords> check_records(RecordSource& source, ExampleReader& reader,
                                            const CheckTools& tools);

}  // namespace bert::examples
