#include "search/cluster_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "json/json.h"

namespace bert::search {
namespace {

constexpr size_t kWrittenBytes = 1 << 18;  // at a time

// What precedes the bytes of a record in the temporary file.
struct Stored {
  int64_t line;
  uint64_t key_bits;
  uint32_t source;
  bool truncated;
};

constexpr const char *kCluster = "cluster", *kDistance = "distance", *kRank = "rank",
                     *kTruncated = "truncated";

}  // namespace

void require_columns(std::span<const std::string> keep, std::span<const std::string> columns) {
  std::vector<std::string> names(columns.begin(), columns.end());
  for (const auto* added : {kCluster, kDistance, kRank, kTruncated}) names.emplace_back(added);
  for (const auto& name : keep)
    if (std::ranges::find(names, name) == names.end())
      throw Error(opt::keep, ": no record has the field ", json::in_quotes(name), did_you_mean(name, names));
}

ClusterFilter::ClusterFilter(const Options& options, Pool& pool, Log& log)
    : options_(options),
      pool_(pool),
      log_(log),
      vectors_(options, pool, log),
      drop_(predict::with_vector_model(options.drop)) {}

void ClusterFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto work = std::make_unique<WithVector>();
  vectors_.prepare(fields, record, *work);
  record.work = std::move(work);
}

void ClusterFilter::compute(std::span<io::Record* const> records) {
  vectors_.compute(records);
  for (const io::Record* record : records) {
    auto& work = record->work_as<WithVector>();
    if (!work.failure.empty()) continue;
    try {
      store(*record);
    } catch (const Error& error) {
      work.failure = error.what();
    }
  }
  vectors_.collect(records);
}

// Throws Error if the record cannot have the added fields.
void ClusterFilter::store(const io::Record& record) {
  const Place place = {.cluster = 0, .distance = 0, .rank = 0};
  tried_.clear();
  write(record, place, tried_);
  if (sources_.empty() || sources_.back().name != record.file()) sources_.push_back(record.source());
  const Stored stored = {.line = record.line(),
                         .key_bits = record.key_bits(),
                         .source = static_cast<uint32_t>(sources_.size() - 1),
                         .truncated = record.truncated};
  bytes_.assign(reinterpret_cast<const char*>(&stored), sizeof stored);
  bytes_ += record.raw();
  lines_.push_back(
      {.offset = spool_.append(bytes_), .row = static_cast<int64_t>(lines_.size()), .size = bytes_.size()});
}

void ClusterFilter::write(const io::Record& record, const Place& place, io::Output& out) const {
  io::Added added;
  added.integer(kCluster, place.cluster);
  added.number(kDistance, place.distance, options_.precision);
  added.integer(kRank, place.rank);
  if (record.truncated) added.boolean(kTruncated, true);
  out.record(record, added, drop_);
}

void ClusterFilter::finish(io::Record& record, io::Output&) const {
  const auto& work = record.work_as<WithVector>();
  if (!work.failure.empty()) throw Error(work.failure);
  record.work.reset();
}

// False if there are no records.
bool ClusterFilter::cluster() {
  const Vectors* const all = vectors_.all();
  if (all == nullptr || lines_.empty()) return false;
  if (*options_.clusters > all->rows())
    throw Error(opt::cluster, " ", *options_.clusters, " is more than the ",
                counted(all->rows(), "record", "records"));
  clustering_ = k_means(
      *all, {.metric = options_.metric, .clusters = *options_.clusters, .seed = options_.seed}, pool_);
  vectors_.require_unchanged();
  log_.info(std::to_string(clustering_->iterations) + " iterations");
  if (options_.central) select_central();
  return true;
}

// Leaves only the lines of the most central records, in the order of clusters and ranks.
void ClusterFilter::select_central() {
  const auto place = [&](const Line& line) {
    const auto row = static_cast<size_t>(line.row);
    return std::pair(clustering_->cluster[row], clustering_->rank[row]);
  };
  std::erase_if(lines_, [&](const Line& line) { return place(line).second > *options_.central; });
  std::ranges::sort(lines_, {}, place);
}

bool ClusterFilter::release(Ending ending, io::Output& out) {
  if (ending == Ending::stopped || (!clustering_ && !cluster())) return false;
  if (!failure_.empty()) throw Error(failure_);
  for (size_t written = 0; next_ < lines_.size() && written < kWrittenBytes && failure_.empty(); ++next_)
    written += append(lines_[next_], out) ? lines_[next_].size : 0;
  return !out.empty() || !failure_.empty();
}

// False if the record is left out.
bool ClusterFilter::append(const Line& line, io::Output& out) {
  const auto row = static_cast<size_t>(line.row);
  bytes_.resize(line.size);
  spool_.read(line.offset, bytes_);
  Stored stored;
  std::memcpy(&stored, bytes_.data(), sizeof stored);
  io::Record record(sources_[stored.source], stored.line, 0, std::string_view(bytes_).substr(sizeof stored),
                    stored.key_bits);
  record.truncated = stored.truncated;
  const Place place = {.cluster = clustering_->cluster[row],
                       .distance = rounded(clustering_->distance[row]),
                       .rank = clustering_->rank[row]};
  if (std::isfinite(place.distance)) {
    write(record, place, out);
    return true;
  }
  const auto message = Error(record.where(), ": its distance from the center of its cluster", kTooLarge);
  if (options_.on_error == io::OnError::skip) {
    log_.error(message.what());
  } else {
    failure_ = message.what();
  }
  return false;
}

}  // namespace bert::search
