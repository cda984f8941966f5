// Training examples, read from records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/record.h"

namespace bert::examples {

// Views into an example.
struct TokenSequence {
  std::span<const int32_t> ids, types;
};

// One sequence, or several concatenated. Each task adds its labels.
struct Example {
  virtual ~Example() = default;

  std::vector<int32_t> ids;    // at least one
  std::vector<int32_t> types;  // one for each id
  std::string where;           // its record, "FILE:LINE"
  bool truncated = false;      // tokens were truncated

  int64_t tokens() const { return static_cast<int64_t>(ids.size()); }
  virtual std::vector<TokenSequence> sequences() const { return {{ids, types}}; }
  template <class T>
  const T& as() const {
    return static_cast<const T&>(*this);
  }
};

using Examples = std::vector<std::unique_ptr<Example>>;

// Reads the examples of a task from records.
class ExampleReader {
 public:
  virtual ~ExampleReader() = default;

  // Appends the examples of a record: one, one for each window, or none. Their number and lengths are the
  // same in each epoch. The caller sets `where`. An Error refers to the record.
  virtual void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
                    Examples& examples) const = 0;

  // Called for each example in training order. An Error refers to the whole input and cannot be skipped.
  virtual void check(const Example&) {}
};

}  // namespace bert::examples
