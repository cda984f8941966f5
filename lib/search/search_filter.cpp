#include "search/search_filter.h"

#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::search {

namespace {

std::unique_ptr<Search> make_search(const Vectors& vectors, const Options& options, Pool& pool, Log& log) {
  if (options.graph.path.empty()) return std::make_unique<ExactSearch>(vectors, options.metric, pool);
  return std::make_unique<GraphSearch>(vectors, options.metric, options.graph, pool, log);
}

}  // namespace

struct SearchFilter::Found : WithVector {
  std::vector<Neighbor> neighbors;
};

SearchFilter::SearchFilter(Options options, Pool& pool, Log& log)
    : options_(std::move(options)),
      queries_(options_.texts, pool, log),
      index_(options_.index, pool),
      search_(make_search(index_.vectors(), options_, pool, log)),
      writers_(options_.drop) {
  queries_.require_width(index_.vectors().width(), options_.index.path);
}

void SearchFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto found = std::make_unique<Found>();
  queries_.prepare(fields, record, *found);
  record.work = std::move(found);
}

void SearchFilter::compute(std::span<io::Record* const> records) {
  queries_.compute(records);
  std::vector<Found*> queries;
  std::vector<const float*> rows;
  for (io::Record* record : records) {
    auto& found = record->work_as<Found>();
    if (!found.failure.empty()) continue;
    queries.push_back(&found);
    rows.push_back(found.vector.data());
  }
  auto results = search_->nearest(rows, options_.neighbors);
  for (size_t i = 0; i < queries.size(); ++i) queries[i]->neighbors = std::move(results[i]);
}

void SearchFilter::append_neighbor(std::string& out, const Neighbor& neighbor) const {
  const auto* const records = index_.records();
  const auto values = records != nullptr ? records->values(neighbor.row) : std::vector<std::string>(1);
  json::Object entry(out);
  if (values.front().empty()) {
    entry.integer("id", neighbor.row);
  } else {
    entry.key("id") += values.front();
  }
  append_score(entry.key("score"), options_.metric, neighbor.value, options_.precision);
  for (size_t i = 1; i < values.size(); ++i) {
    if (!values[i].empty()) entry.key(options_.index.with[i - 1]) += values[i];
  }
  entry.end();
}

void SearchFilter::finish(io::Record& record, std::string& out) const {
  const auto& found = record.work_as<Found>();
  if (!found.failure.empty()) throw Error(found.failure);
  io::Added added;
  json::append_array(
      added.field("neighbors"), found.neighbors,
      [this](std::string& text, const Neighbor& neighbor) { append_neighbor(text, neighbor); });
  if (record.truncated) added.field("truncated") += "true";
  writers_.write(record, added, out);
  record.work.reset();
}

}  // namespace bert::search
