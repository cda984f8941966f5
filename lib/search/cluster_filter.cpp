#include "search/cluster_filter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::search {
namespace {

// Control characters do not occur in JSON.
constexpr char kCluster = '\1', kDistance = '\2', kRank = '\3', kWhere = '\4';

constexpr size_t kWrittenBytes = 1 << 18;  // at a time

void read_at(int fd, uint64_t offset, std::string& to) {
  for (size_t have = 0; have < to.size();) {
    const ssize_t count = ::pread(fd, to.data() + have, to.size() - have, static_cast<off_t>(offset + have));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw Error("a temporary file: ", count < 0 ? std::strerror(errno) : "has become shorter");
    have += static_cast<size_t>(count);
  }
}

}  // namespace

ClusterFilter::ClusterFilter(const Options& options, Pool& pool, Log& log)
    : options_(options), pool_(pool), log_(log), vectors_(options, pool, log), writers_(options.drop) {}

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

void ClusterFilter::store(const io::Record& record) {
  io::Added added;
  added.field("cluster") += kCluster;
  added.field("distance") += kDistance;
  added.field("rank") += kRank;
  if (record.truncated) added.field("truncated") += "true";
  line_.clear();
  writers_.write(record, added, line_);
  (line_ += kWhere) += record.where();
  lines_.push_back(
      {.offset = spool_.append(line_), .row = static_cast<int64_t>(lines_.size()), .size = line_.size()});
}

void ClusterFilter::finish(io::Record& record, std::string&) const {
  const auto& work = record.work_as<WithVector>();
  if (!work.failure.empty()) throw Error(work.failure);
  record.work.reset();
}

// False if there are no records.
bool ClusterFilter::cluster() {
  const Vectors* const all = vectors_.all();
  if (all == nullptr || lines_.empty()) return false;
  if (*options_.clusters > all->rows())
    throw Error("--cluster ", *options_.clusters, " is more than the ",
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

bool ClusterFilter::release(Ending ending, std::string& out) {
  if (ending == Ending::stopped || (!clustering_ && !cluster())) return false;
  if (!failure_.empty()) throw Error(failure_);
  while (next_ < lines_.size() && out.size() < kWrittenBytes && failure_.empty())
    append(lines_[next_++], out);
  return !out.empty() || !failure_.empty();
}

void ClusterFilter::append(const Line& line, std::string& out) {
  const auto row = static_cast<size_t>(line.row);
  const float distance = rounded(clustering_->distance[row]);
  std::string text(line.size, '\0');
  read_at(spool_.fd(), line.offset, text);
  const size_t end = text.find(kWhere);
  if (!std::isfinite(distance)) {
    const auto message =
        Error(text.substr(end + 1), ": its distance from the center of its cluster", kTooLarge);
    if (options_.on_error == io::OnError::skip) return log_.error(message.what());
    failure_ = message.what();
    return;
  }
  for (const char c : std::string_view(text).substr(0, end)) {
    if (c == kCluster) {
      json::append_integer(out, clustering_->cluster[row]);
    } else if (c == kDistance) {
      json::append_number(out, distance, options_.precision);
    } else if (c == kRank) {
      json::append_integer(out, clustering_->rank[row]);
    } else {
      out += c;
    }
  }
}

}  // namespace bert::search
