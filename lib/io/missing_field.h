// What to say if a record lacks a field that is needed: what it has instead, and which option names another.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace bert::io {

// An option that names a field: {"text", "--text-field"}.
struct FieldOption {
  std::string field, option;
};

// Another name of a field, which is used where a record has it: {"text", "message"}.
struct FieldAlias {
  std::string field, name;
  std::string origin = ", as in training";  // for messages
};

// "; bert-tokenize adds it", for fields that few people write themselves; else "".
std::string origin_of(std::string_view name);

// What to type if the record is a whole table as pandas writes it, whose fields are objects
// {"0": ..., "1": ...}.
std::string advice_for_columns();

// All rows of a table lack the column, so that the error is one of its header.
class MissingColumn : public Error {
 public:
  MissingColumn(std::string_view name, std::span<const std::string> columns,
                std::span<const FieldOption> options, std::span<const FieldAlias> aliases = {});
};

// `of_rows`: the record may be a table, since some of its fields are objects.
class MissingField : public Error {
 public:
  MissingField(std::string_view name, std::span<const std::string> fields,
               std::span<const FieldOption> options, bool of_rows, std::span<const FieldAlias> aliases = {});
};

// Whether records have a field that they need not have, for a warning about a misspelt name. Threads may
// share it.
class FieldUse {
 public:
  FieldUse(std::string name, std::string option) : name_(std::move(name)), option_(std::move(option)) {}

  const std::string& name() const { return name_; }

  // Called for each record; `names` of its fields only for the first one without the field.
  void found() {
    if (!found_.load(std::memory_order_relaxed)) found_.store(true, std::memory_order_relaxed);
  }
  template <class Names>
  void absent(Names names) {
    if (absent_.load(std::memory_order_relaxed) || absent_.exchange(true, std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    names_ = names();
  }

  // If no record had the field, and one was read: which name may be meant.
  std::optional<std::string> warning() const;
  // If only some records had it, which others are known by their number instead.
  std::optional<std::string> warning_of_some() const;
  // The same as warning(), only if the names differ in case alone: for a field that records need not have.
  std::optional<std::string> warning_of_case() const;

 private:
  const std::string name_, option_;
  std::atomic<bool> found_ = false, absent_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> names_;  // of the fields of a record without it
};

}  // namespace bert::io
