#include "search/collected_vectors.h"

#include <utility>

#include "base/error.h"
#include "base/option.h"

namespace bert::search {

CollectedVectors::CollectedVectors(const Options& options, Pool& pool, Log& log)
    : computed_(options.texts, options.metric, pool, log), path_(options.index.path) {
  if (path_.empty()) {
    if (options.index.width) computed_.require_width(*options.index.width, opt::dim + " asks for");
    return;
  }
  index_.emplace(options.index, options.metric, pool);
  taken_.resize(index_->vectors().rows());
  computed_.require_width(index_->vectors().width(), path_ + " has");
}

void CollectedVectors::require_like(const Index& other, const std::string& path) {
  const int64_t width = other.vectors().width();
  if (index_ && index_->vectors().width() != width)
    throw Error(path, ": has vectors of ", width, " numbers, ", path_, " of ", index_->vectors().width());
  computed_.require_width(width, path + " has");
  computed_.require_model(other.model(), path + " has");
}

void CollectedVectors::prepare(const io::Fields& fields, io::Record& record, WithVector& work) const {
  if (!index_) return computed_.prepare(fields, record, work);
  work.model = index_->model();
  computed_.prepare_other(fields, work);
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
  }
  require_unchanged();
}

void CollectedVectors::collect(std::span<io::Record* const> records) {
  for (const io::Record* record : records) {
    const auto& work = record->work_as<WithVector>();
    if (!work.failure.empty()) continue;
    if (index_) {
      taken_[record->place()] = true;
    } else {
      if (!stored_) stored_ = std::make_unique<StoredVectors>(*computed_.width());
      stored_->add(work.vector);
    }
  }
}

void CollectedVectors::all_read(int64_t records) {
  all_ = stored_.get();
  if (!index_) return;
  const Vectors& rows = index_->vectors();
  if (records < rows.rows())
    throw Error(path_, ": has ", counted(rows.rows(), "row", "rows"), ", expected ", records,
                ", one for each record: ", opt::dedup, ", ", opt::pairs, " and ", opt::cluster,
                " compare the records with each other, and ", opt::index,
                " names the file with their vectors");
  std::vector<int64_t> taken;
  for (int64_t i = 0; i < rows.rows(); ++i) {
    if (taken_[i]) taken.push_back(i);
  }
  all_ = &rows;
  if (std::ssize(taken) == rows.rows()) return;
  selected_ = std::make_unique<SelectedVectors>(rows, std::move(taken));
  all_ = selected_.get();
}

}  // namespace bert::search
