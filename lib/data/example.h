// What a model is trained on, made of records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/fields.h"
#include "io/record.h"

namespace bert::data {

// Views of an example.
struct TokenSequence {
  std::span<const int32_t> ids, types;
};

// One sequence, or several end to end; each task adds what is to be found out about it.
struct Example {
  virtual ~Example() = default;

  std::vector<int32_t> ids;    // at least one
  std::vector<int32_t> types;  // as many
  std::string where;           // its record, "FILE:LINE"
  bool truncated = false;      // tokens of the record were cut off

  int64_t tokens() const { return static_cast<int64_t>(ids.size()); }
  virtual std::vector<TokenSequence> sequences() const { return {{ids, types}}; }
  template <class T>
  const T& as() const {
    return static_cast<const T&>(*this);
  }
};

using Examples = std::vector<std::unique_ptr<Example>>;

// A task's way from records to examples.
class ExampleReader {
 public:
  virtual ~ExampleReader() = default;

  // Appends the record's examples: one, or one a window, or none. The same record gives as many, of the same
  // lengths, in each epoch. `where` is filled in by the caller. An Error is the record's.
  virtual void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
                    Examples& examples) const = 0;

  // Sees each example in the order of training. An Error is that of the input as a whole, which nothing can
  // skip.
  virtual void check(const Example&) {}
};

}  // namespace bert::data
