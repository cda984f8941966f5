// Training examples, read from records.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "features/features.h"
#include "io/record.h"

namespace bert::examples {

// Views into an example.
struct TokenSequence {
  std::span<const int32_t> ids, types;
};

// What is worth saying of records, if it is true of some.
enum class Trait {
  truncated,  // tokens were truncated
  paired,     // there is a second text
  empty,      // one of the texts is empty
  unframed,   // see features::lacks_frame
  unknown,    // see features::is_mostly_unknown
  missing,    // the text is one that other programs write for nothing, see is_missing_value
  contrary,   // the ids are not those of the text, see features::contradicts_text
  idle,       // nothing can be learned from it: a single choice, no token to predict
  split,      // it is cut into windows
  count
};

class Traits {
 public:
  void set(Trait trait, bool value = true) { bits_.set(static_cast<size_t>(trait), value); }
  bool has(Trait trait) const { return bits_.test(static_cast<size_t>(trait)); }
  int64_t bits() const { return static_cast<int64_t>(bits_.to_ullong()); }
  static Traits of(int64_t bits) {
    Traits traits;
    traits.bits_ = static_cast<unsigned long long>(bits);
    return traits;
  }

 private:
  std::bitset<static_cast<size_t>(Trait::count)> bits_;
};

// One sequence, or several concatenated. Each task adds its labels.
struct Example {
  virtual ~Example() = default;

  std::vector<int32_t> ids;    // at least one
  std::vector<int32_t> types;  // one for each id
  size_t looked_up = 0;        // number of sequences, the first ones, that the network does not read
  std::string where;           // its record, "FILE:LINE"
  Traits traits;
  uint32_t label_hash = 0;  // of the record's gold label; 0: unknown

  int64_t tokens() const { return ids.size(); }
  virtual std::vector<TokenSequence> sequences() const { return {{ids, types}}; }
  virtual bool has_next_sentence_label() const { return false; }
  // The tokens, as the record has them: with those that are masked at random.
  virtual void add_input(Checksum& checksum) const;
  template <class T>
  const T& as() const {
    return static_cast<const T&>(*this);
  }
};

// Several sequences of their own.
struct SequencesExample : Example {
  std::vector<size_t> lengths;  // of the sequences

  std::vector<TokenSequence> sequences() const override;
  void add(const features::Features& features);
};

// What all ranks know of an example that one of them has read.
struct Outline {
  std::string where;              // its record, "FILE:LINE"
  int64_t epoch = 0, number = 0;  // of the record's examples, from 0
  int64_t tokens = 0, sequences = 0;
  Traits traits;
  bool has_next_sentence_label = false;
};

using Examples = std::vector<std::unique_ptr<Example>>;

// Reads the examples of a task from records.
class ExampleReader {
 public:
  virtual ~ExampleReader() = default;

  // Called with the first record that can be parsed, before records are read on several threads.
  virtual void begin(const io::Fields& /*fields*/) {}

  // Appends the examples of a record: one, one for each window, or none. Their number and lengths are the
  // same in each epoch. The caller sets `where`. An Error refers to the record.
  virtual void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
                    Examples& examples) const = 0;

  // Called for each example in training order, on all ranks. An Error refers to the whole input and cannot be
  // skipped.
  virtual void check(const Outline&) {}
};

}  // namespace bert::examples
