#include "search/cluster_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "json/json.h"
#include "search/communities.h"
#include "search/index.h"
#include "search/k_means.h"
#include "search/silhouette.h"

namespace bert::search {
namespace {

constexpr size_t kWrittenBytes = 1 << 18;  // at a time
constexpr int kMeanPrecision = 4;
constexpr int64_t kNoRow = -1;

// What precedes the bytes of a record in the temporary file.
struct Stored {
  int64_t line, place;
  uint64_t key_bits;
  uint32_t source;
  bool truncated, again;
};

constexpr const char *kCluster = "cluster", *kDistance = "distance", *kRank = "rank",
                     *kTruncated = "truncated", *kSilhouette = "silhouette", *kTerms = "terms";

// What an earlier run may have added that this one does not.
io::DropList with_stale(io::DropList drop, const Options& options) {
  if (!options.silhouette) drop.add_stale(kSilhouette);
  if (!options.terms) drop.add_stale(kTerms);
  return drop;
}

}  // namespace

void require_columns(std::span<const std::string> keep, std::span<const std::string> columns) {
  std::vector<std::string> names(columns.begin(), columns.end());
  for (const auto* added : {kCluster, kDistance, kRank, kSilhouette, kTerms, kTruncated})
    names.emplace_back(added);
  for (const auto& name : keep)
    if (std::ranges::find(names, name) == names.end())
      throw Error(opt::keep, ": no record has the field ", json::in_quotes(name), did_you_mean(name, names));
}

struct ClusterFilter::Clustered : WithVector {
  std::string words;   // the text, if its terms are wanted
  bool again = false;  // the record has an earlier cluster
};

ClusterFilter::ClusterFilter(const Options& options, Pool& pool, Log& log)
    : options_(options),
      pool_(pool),
      log_(log),
      vectors_(options, pool, log),
      drop_(heads::with_vector_model(options.drop)),
      drop_again_(with_stale(drop_, options)),
      splitters_(options.terms ? pool.size() : 0) {}

void ClusterFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto work = std::make_unique<Clustered>();
  if (options_.terms) work->words = required_text_of(fields, options_.index.stream.text_field);
  work->again = fields.has(kCluster);
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
  std::vector<io::Record*> clustered;  // those with texts
  for (io::Record* record : records)
    if (!record->work_as<WithVector>().is_empty) clustered.push_back(record);
  vectors_.collect(clustered);
  if (options_.terms) add_terms(clustered);
}

void ClusterFilter::add_terms(std::span<io::Record* const> records) {
  std::vector<std::vector<std::string>> terms(records.size());
  pool_.run_grid(std::ssize(records), [&](int64_t i, int thread) {
    terms[i] = splitters_[thread].split(records[i]->work_as<Clustered>().words);
  });
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i]->work_as<WithVector>().failure.empty()) terms_.add(terms[i]);
}

// Throws Error if the record cannot have the added fields.
void ClusterFilter::store(const io::Record& record) {
  const auto& work = record.work_as<Clustered>();
  const bool again = work.again;
  tried_.clear();
  write(record, {}, again ? Run::again : Run::first, tried_);
  if (sources_.empty() || sources_.back().name != record.file()) sources_.push_back(record.source());
  const Stored stored = {.line = record.line(),
                         .place = std::ssize(lines_),
                         .key_bits = record.key_bits(),
                         .source = static_cast<uint32_t>(sources_.size() - 1),
                         .truncated = record.truncated,
                         .again = again};
  bytes_.assign(reinterpret_cast<const char*>(&stored), sizeof stored);
  bytes_ += record.raw();
  lines_.push_back({.offset = spool_.append(bytes_),
                    .row = work.is_empty ? kNoRow : std::ssize(lines_) - empty_,
                    .size = bytes_.size()});
  empty_ += work.is_empty ? 1 : 0;
}

void ClusterFilter::write(const io::Record& record, const Place& place, Run run, io::Output& out) const {
  io::Added added;
  if (place.cluster == kNoCluster) {
    for (const auto* name : {kCluster, kDistance, kRank}) added.field(name) += "null";
  } else {
    added.integer(kCluster, place.cluster);
    added.number(kDistance, place.distance, options_.precision);
    added.integer(kRank, place.rank);
  }
  if (options_.silhouette && !std::isfinite(place.silhouette))
    added.field(kSilhouette) += "null";
  else if (options_.silhouette)
    added.number(kSilhouette, rounded(place.silhouette), options_.precision);
  if (options_.terms)
    added.field(kTerms) +=
        place.cluster == kNoCluster || cluster_terms_.empty() ? "null" : cluster_terms_[place.cluster];
  if (record.truncated) added.boolean(kTruncated, true);
  out.record(record, added, run == Run::again ? drop_again_ : drop_);
}

void ClusterFilter::finish(io::Record& record, io::Output&) const {
  const auto& work = record.work_as<WithVector>();
  if (!work.failure.empty()) throw Error(work.failure);
  record.work.reset();
}

// False if there are no records.
bool ClusterFilter::cluster() {
  const Vectors* const all = vectors_.all();
  if (lines_.empty()) return false;
  if (empty_ > 0)
    log_.warn(counted(empty_, "record with an empty text is", "records with empty texts are") +
              " in no cluster");
  if (all == nullptr || all->rows() == 0) {
    clustering_.emplace();
    if (options_.central) lines_.clear();
    return true;
  }
  clustering_ = options_.clusters ? by_k_means(*all) : by_threshold(*all);
  vectors_.require_unchanged();
  describe(*all);
  if (options_.central) select_central();
  return true;
}

Clustering ClusterFilter::by_k_means(const Vectors& vectors) {
  if (*options_.clusters > vectors.rows())
    throw Error(opt::cluster, " ", *options_.clusters, " is more than the ",
                counted(vectors.rows(), "record", "records"));
  auto found = k_means(
      vectors, {.metric = options_.metric, .clusters = *options_.clusters, .seed = options_.seed}, pool_);
  log_.info(std::to_string(found.iterations) + " iterations");
  return found;
}

Clustering ClusterFilter::by_threshold(const Vectors& vectors) {
  auto found = communities(vectors,
                           {.metric = options_.metric,
                            .limit = value_at(options_.metric, *options_.communities),
                            .least = options_.least},
                           pool_);
  const auto left = std::ranges::count(found.cluster, kNoCluster);
  log_.warn(counted(std::ssize(found.sizes), "cluster", "clusters") + " of at least " +
            counted(options_.least, "record", "records") +
            (found.sizes.empty() ? " (" + opt::min_size + ")" : "") + "; " +
            counted(left, "record is", "records are") + " in none");
  return found;
}

// Computes what is said of clusters.
void ClusterFilter::describe(const Vectors& vectors) {
  if (options_.terms) {
    for (const auto& terms : terms_.best(*clustering_, *options_.terms)) {
      auto& list = cluster_terms_.emplace_back();
      json::append_array(list, terms,
                         [](std::string& out, const std::string& term) { json::append_string(out, term); });
    }
  }
  if (!options_.silhouette) return;
  silhouettes_ = silhouettes(vectors, *clustering_, pool_);
  if (silhouettes_.empty()) return log_.warn("there are no two clusters, which a silhouette compares");
  double sum = 0;
  int64_t count = 0;
  for (const double value : silhouettes_) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  std::string mean = "mean silhouette: ";
  json::append_number(mean, rounded(sum / count), kMeanPrecision);
  log_.warn(mean);
}

ClusterFilter::Place ClusterFilter::place_of(const Line& line) const {
  const auto row = line.row;
  if (row == kNoRow) return {.cluster = kNoCluster, .silhouette = NAN};
  return {.cluster = clustering_->cluster[row],
          .distance = rounded(clustering_->distance[row]),
          .rank = clustering_->rank[row],
          .silhouette = silhouettes_.empty() ? NAN : silhouettes_[row]};
}

// Leaves only the lines of the most central records, in the order of clusters and ranks.
void ClusterFilter::select_central() {
  std::erase_if(lines_, [&](const Line& line) {
    const auto place = place_of(line);
    return place.cluster == kNoCluster || place.rank > *options_.central;
  });
  std::ranges::sort(lines_, {}, [&](const Line& line) {
    const auto place = place_of(line);
    return std::pair(place.cluster, place.rank);
  });
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
  bytes_.resize(line.size);
  spool_.read(line.offset, bytes_);
  Stored stored;
  std::memcpy(&stored, bytes_.data(), sizeof stored);
  io::Record record(sources_[stored.source], stored.line, stored.place,
                    std::string_view(bytes_).substr(sizeof stored), stored.key_bits);
  record.truncated = stored.truncated;
  const auto place = place_of(line);
  if (std::isfinite(place.distance)) {
    write(record, place, stored.again ? Run::again : Run::first, out);
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
