#include "search/dedup_filter.h"

#include <utility>
#include <vector>

#include "base/error.h"

namespace bert::search {

struct DedupFilter::Checked : WithVector {
  bool kept = false;
};

DedupFilter::DedupFilter(const Options& options, Pool& pool, Log& log)
    : metric_(options.metric),
      limit_(value_at(options.metric, *options.dedup)),
      pool_(pool),
      log_(log),
      vectors_(options, pool, log),
      drop_(heads::with_vector_model(options.drop)) {
  if (options.against.empty()) return;
  auto index = options.index;
  index.path = options.against;
  index.records_path.clear();
  against_.emplace(index, metric_, pool);
  vectors_.require_like(*against_, index.path);
  known_.emplace(against_->vectors(), metric_, pool);
}

void DedupFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto checked = std::make_unique<Checked>();
  vectors_.prepare(fields, record, *checked);
  record.work = std::move(checked);
}

void DedupFilter::compute(std::span<io::Record* const> records) {
  vectors_.compute(records);
  std::vector<Checked*> batch;
  std::vector<const float*> rows;
  for (io::Record* record : records) {
    auto& checked = record->work_as<Checked>();
    if (!checked.failure.empty()) continue;
    if (checked.is_empty) {
      checked.kept = true;
      ++empty_;
      continue;
    }
    batch.push_back(&checked);
    rows.push_back(checked.vector.data());
  }
  compared_ += static_cast<int64_t>(batch.size());
  if (known_) {
    const auto found = known_->nearest(rows, {1, limit_});
    against_->vectors().require_unchanged();
    size_t kept = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i].empty()) continue;
      batch[kept] = batch[i];
      rows[kept++] = rows[i];
    }
    batch.resize(kept);
    rows.resize(kept);
  }
  if (batch.empty()) return;
  if (!dedup_) dedup_.emplace(static_cast<int64_t>(batch.front()->vector.size()), metric_, limit_, pool_);
  const auto kept = dedup_->keep(rows);
  for (size_t i = 0; i < batch.size(); ++i) batch[i]->kept = kept[i] != 0;
}

void DedupFilter::report(Log& log) const {
  vectors_.report(log);
  if (empty_ > 0)
    log.warn(counted(empty_, "record with an empty text was", "records with empty texts were") +
             " not compared");
}

void DedupFilter::end(io::Output&) {
  const int64_t kept = dedup_ ? dedup_->kept() : 0;
  log_.info(counted(compared_ - kept, "record was", "records were") + " left out");
}

void DedupFilter::finish(io::Record& record, io::Output& out) const {
  const auto& checked = record.work_as<Checked>();
  if (!checked.failure.empty()) throw Error(checked.failure);
  if (checked.kept) {
    io::Added added;
    if (record.truncated) added.boolean("truncated", true);
    out.record(record, added, drop_);
  }
  record.work.reset();
}

}  // namespace bert::search
