#include "search/index_filter.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.h"
#include "heads/vector_model.h"
#include "io/array_rows.h"
#include "search/index.h"

namespace bert::search {

struct IndexFilter::Indexed : io::Work {
  std::unique_ptr<io::Work> vector, weights;  // of the models, if there are such
  bool is_empty = false;                      // has no text
  bool takes_place = false;                   // instead of fields of its own
  std::string failure;
};

namespace {

// Whether the record has fields of these names that are not a place, such as a column "file" in a table.
// Lines are those of files, so the place is added instead.
bool lacks_place(const io::Fields& fields) {
  if (std::ranges::none_of(io::kPlaceFields, [&](std::string_view name) { return fields.has(name); }))
    return false;
  try {
    const auto file = fields.text_unless_null(io::kFileField);
    return !file || file->empty() || !fields.has(io::kStartLine) || fields.number(io::kStartLine) < 1;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

void IndexFilter::write(const io::Record& record, io::Output& out) const {
  static const io::DropList kDropped = heads::with_vector_model(io::DropList({"embedding"}));
  const auto& indexed = record.work_as<Indexed>();
  io::Added added;
  if (indexed.weights) models_.weights()->append(*indexed.weights, added);
  if (indexed.takes_place) {
    added.string(io::kFileField, record.file());
    added.integer(io::kStartLine, record.line());
    added.integer(io::kEndLine, record.location().end_line);
  }
  if (record.truncated) added.boolean("truncated", true);
  out.record(record, added, kDropped);
}

IndexFilter::IndexFilter(const IndexModels& models, const std::string& array, const AskedFields& fields,
                         io::FieldUse& text_field)
    : models_(models), fields_(fields), text_field_(text_field), array_(array) {
  array_.write(std::string(io::kNpyHeaderBytes, '\0'));
}

int64_t IndexFilter::records_of(const std::string& file) const {
  const auto found = records_.find(file);
  return found == records_.end() ? 0 : found->second;
}

void IndexFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto indexed = std::make_unique<Indexed>();
  indexed->is_empty = has_empty_text(fields, {.pair = fields_.pair});
  if (!indexed->is_empty && models_.vectors()) indexed->vector = models_.vectors()->read(fields);
  if (!indexed->is_empty && models_.weights()) indexed->weights = models_.weights()->read(fields);
  const auto format = record.source().format;
  if (fields.own_name(io::kTextField) == text_field_.name()) {
    text_field_.found();
  } else if (format == io::InputFormat::jsonl || io::is_table(format)) {
    text_field_.absent([&] { return fields.names(); });
  }
  indexed->takes_place = lacks_place(fields);
  record.work = std::move(indexed);
}

int64_t IndexFilter::cost(const io::Record& record) const {
  const auto& indexed = record.work_as<Indexed>();
  return std::max<int64_t>({1, indexed.vector ? models_.vectors()->tokens(*indexed.vector) : 0,
                            indexed.weights ? models_.weights()->cost_of(*indexed.weights) : 0});
}

// Called in the order of the records, so that rows and records have the same.
void IndexFilter::compute(std::span<io::Record* const> records) {
  const auto works_of = [&](std::unique_ptr<io::Work> Indexed::*work) {
    std::vector<io::Work*> works;
    for (const io::Record* record : records)
      if (auto* const text = (record->work_as<Indexed>().*work).get()) works.push_back(text);
    return works;
  };
  if (models_.vectors()) models_.vectors()->compute(works_of(&Indexed::vector));
  if (models_.weights()) models_.weights()->compute(works_of(&Indexed::weights));
  for (io::Record* record : records) {
    auto& indexed = record->work_as<Indexed>();
    empty_ += indexed.is_empty ? 1 : 0;
    if (indexed.is_empty) continue;
    row_.clear();
    try {
      append_row(*record);
    } catch (const Error& error) {
      indexed.failure = error.what();
    }
    indexed.vector.reset();
    if (!indexed.failure.empty()) continue;
    array_.write(row_);
    ++rows_;
    ++records_[record->file()];
  }
}

// Throws Error if the record cannot have a vector or cannot be written.
void IndexFilter::append_row(io::Record& record) {
  const auto& indexed = record.work_as<Indexed>();
  record.truncated = (indexed.vector && models_.vectors()->truncated(*indexed.vector)) ||
                     (indexed.weights && models_.weights()->truncated(*indexed.weights));
  if (indexed.vector) io::append_f32_row(row_, models_.vectors()->vector(*indexed.vector), -1);
  tried_.clear();
  write(record, tried_);
}

void IndexFilter::finish(io::Record& record, io::Output& out) const {
  const auto& indexed = record.work_as<Indexed>();
  if (!indexed.failure.empty()) throw Error(indexed.failure);
  if (!indexed.is_empty) write(record, out);
  record.work.reset();
}

void IndexFilter::before_commit(const OutputFile&) {
  array_.rewrite(0,
                 io::npy_header({.rows = rows_, .columns = models_.width(), .number_bytes = sizeof(float)}));
  array_.commit();
}

}  // namespace bert::search
