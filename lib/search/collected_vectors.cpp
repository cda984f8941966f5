#include "search/collected_vectors.h"

#include <algorithm>

#include "base/error.h"

namespace bert::search {

CollectedVectors::CollectedVectors(const Options& options, Pool& pool, Log& log)
    : computed_(options.texts, pool, log), path_(options.index.path) {
  if (path_.empty()) return;
  index_.emplace(options.index, pool);
  computed_.require_width(index_->vectors().width(), path_);
}

void CollectedVectors::prepare(const io::Fields& fields, io::Record& record, WithVector& work) const {
  if (!index_) return computed_.prepare(fields, record, work);
  work.cost = 1;
  if (record.place() >= index_->vectors().rows())
    throw Error("has no row in ", path_, ", which has ", counted(index_->vectors().rows(), "row", "rows"));
}

void CollectedVectors::compute(std::span<io::Record* const> records) {
  if (!index_) return computed_.compute(records);
  nn::Memory scratch;
  for (io::Record* record : records) {
    const float* const row = index_->vectors().row(record->place(), scratch);
    record->work_as<WithVector>().vector.assign(row, row + index_->vectors().width());
    records_ = std::max(records_, record->place() + 1);
  }
}

void CollectedVectors::collect(std::span<io::Record* const> records) {
  if (index_) return;
  for (const io::Record* record : records) {
    const auto& work = record->work_as<WithVector>();
    if (!work.failure.empty()) continue;
    if (!stored_) stored_ = std::make_unique<StoredVectors>(*computed_.width());
    stored_->add(work.vector);
  }
}

const Vectors* CollectedVectors::all() const {
  if (!index_) return stored_.get();
  check_count();
  return &index_->vectors();
}

void CollectedVectors::check_count() const {
  if (index_ && records_ < index_->vectors().rows())
    throw Error(path_, ": has ", counted(index_->vectors().rows(), "row", "rows"), ", expected ", records_,
                ", one for each record");
}

}  // namespace bert::search
