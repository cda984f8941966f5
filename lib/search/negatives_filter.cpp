#include "search/negatives_filter.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "base/random.h"
#include "json/json.h"
#include "search/results.h"
#include "search/search_filter.h"

namespace bert::search {
namespace {

constexpr auto kNegatives = "negatives", kPositives = "positives";

const IndexedRecords& records_of(const Index& index, const std::string& path) {
  if (index.records() == nullptr)
    throw Error(path, ": has no texts; ", opt::records, " names the FILE of its records");
  return *index.records();
}

}  // namespace

struct NegativesFilter::Pair : WithVector {
  uint64_t place = 0;
  std::vector<int64_t> positives;  // rows
  int64_t anchor = -1;             // row of the text itself
  std::vector<Neighbor> nearest;   // one for each text
  std::string text;                // to rerank
  double positive = 0;             // the lowest score of a positive
  std::string negatives;           // in JSON
  int64_t count = 0;
};

NegativesFilter::NegativesFilter(Options options, Pool& pool, Log& log)
    : options_(std::move(options)),
      pool_(pool),
      queries_(options_.texts, options_.metric, pool, log),
      index_(options_.index, options_.metric, pool),
      texts_(records_of(index_, options_.index.path), options_.index.with.front(), pool),
      search_(make_search(index_, options_, pool, log)),
      drop_(heads::with_vector_model(options_.drop)) {
  if (options_.rerank)
    reranker_ = std::make_unique<Reranker>(*options_.rerank, index_, options_.index.with.front(), pool, log);
  queries_.require_width(index_.vectors().width(), options_.index.path + " has");
  queries_.require_model(index_.model(), options_.index.path + " has", options_.index.remedy);
}

void NegativesFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto pair = std::make_unique<Pair>();
  pair->place = record.place();
  const auto& field = options_.negatives->positive_field;
  std::vector<std::string_view> positives = {fields.required_text(field)};
  if (const auto more = fields.json(kPositives); more && !more->is_null())
    for (const auto text : fields.strings(kPositives)) positives.push_back(text);
  for (const auto text : positives) {
    pair->positives.push_back(texts_.row_of(text));
    if (pair->positives.back() < 0)
      throw Error("field \"", text.data() == positives.front().data() ? field : kPositives,
                  "\" has the text ", json::in_quotes(text), ", which no record of ", options_.index.path,
                  " has in ", json::in_quotes(options_.index.with.front()), "; ", opt::with,
                  " names another field");
  }
  const auto& text_field = options_.texts.embed.features.text_field;
  if (const auto text = fields.text(text_field)) pair->anchor = texts_.row_of(*text);
  if (reranker_) pair->text = required_text_of(fields, text_field);
  queries_.prepare(fields, record, *pair);
  record.work = std::move(pair);
}

void NegativesFilter::compute(std::span<io::Record* const> records) {
  queries_.compute(records);
  std::vector<Pair*> pairs;
  for (io::Record* record : records) {
    auto& pair = record->work_as<Pair>();
    if (pair.failure.empty()) pairs.push_back(&pair);
  }
  find_nearest(pairs);
  if (reranker_)
    for (Pair* const pair : pairs) rerank(*pair);
  pool_.run_grid(std::ssize(pairs), [&](int64_t i, int) { choose(*pairs[i]); });
  index_.vectors().require_unchanged();
}

// The nearest texts, among which there may be the positives. Where a text has several rows, more rows are
// needed.
void NegativesFilter::find_nearest(std::span<Pair* const> pairs) {
  std::vector<Pair*> open(pairs.begin(), pairs.end());
  const int64_t rows = index_.vectors().rows();
  const auto wanted_by = [&](const Pair& pair) {
    return options_.negatives->last + std::ssize(pair.positives);
  };
  int64_t count = 0;
  for (const auto* pair : open) count = std::max(count, wanted_by(*pair));
  for (; !open.empty(); count *= 2) {
    std::vector<const float*> queries;
    for (const auto* pair : open) queries.push_back(pair->vector.data());
    const auto found = search_->nearest(queries, std::min(count, rows));
    std::vector<Pair*> still;
    for (size_t i = 0; i < open.size(); ++i)
      if (!keep_different(*open[i], found[i], wanted_by(*open[i])) && count < rows) still.push_back(open[i]);
    open = std::move(still);
  }
}

// Returns whether there are as many texts as wanted.
bool NegativesFilter::keep_different(Pair& pair, std::span<const Neighbor> found, int64_t wanted) const {
  std::unordered_set<int64_t> seen = {texts_.row_of("")};  // no text is a negative
  pair.nearest.clear();
  for (const auto& [row, value] : found) {
    if (std::ssize(pair.nearest) == wanted) return true;
    const int64_t first = texts_.first_of(row);
    if (seen.insert(first).second) pair.nearest.push_back({.row = first, .value = value});
  }
  return std::ssize(pair.nearest) == wanted;
}

// Scores all texts again, before any is left out.
void NegativesFilter::rerank(Pair& pair) {
  auto rows = pair.positives;
  for (const auto& neighbor : pair.nearest) rows.push_back(neighbor.row);
  const auto scores = reranker_->scores(pair.text, rows);
  const auto bound = scores.begin() + std::ssize(pair.positives);
  pair.positive = *std::min_element(scores.begin(), bound);
  for (size_t i = 0; i < pair.nearest.size(); ++i) pair.nearest[i].value = bound[i];
  std::ranges::sort(pair.nearest, [](const Neighbor& a, const Neighbor& b) { return a.before(b); });
}

// The score of the positive that is farthest from the text.
float NegativesFilter::score_of_positive(const Pair& pair) const {
  nn::Memory scratch;
  float least = INFINITY;
  for (const int64_t row : pair.positives)
    least = std::min(least, score_of(options_.metric, value_of(options_.metric, pair.vector,
                                                               index_.vectors().row(row, scratch))));
  return least;
}

void NegativesFilter::choose(Pair& pair) const {
  const auto& asked = *options_.negatives;
  const auto metric = reranker_ ? Metric::dot : options_.metric;
  const double positive = reranker_ ? pair.positive : score_of_positive(pair);
  double most = asked.max_score.value_or(INFINITY);
  if (asked.margin) most = std::min(most, positive - *asked.margin);
  if (asked.relative_margin) most = std::min(most, positive - std::abs(positive) * *asked.relative_margin);
  std::vector<Neighbor> candidates;
  for (const auto& neighbor : pair.nearest) {
    const bool same = neighbor.row == pair.anchor || std::ranges::count(pair.positives, neighbor.row) > 0;
    if (!same && score_of(metric, neighbor.value) <= most) candidates.push_back(neighbor);
  }
  candidates.resize(std::min(std::ssize(candidates), asked.last));
  candidates.erase(candidates.begin(),
                   candidates.begin() + std::min(std::ssize(candidates), asked.first - 1));
  if (asked.random) Random(options_.seed, {pair.place}).shuffle(candidates);
  candidates.resize(std::min(std::ssize(candidates), asked.count));
  std::ranges::sort(candidates, [](const Neighbor& a, const Neighbor& b) { return a.before(b); });
  pair.count = std::ssize(candidates);
  try {
    json::append_array(pair.negatives, candidates, [this](std::string& out, const Neighbor& neighbor) {
      json::append_string(out, texts_.text(neighbor.row));
    });
  } catch (const Error& error) {
    pair.failure = error.what();
  }
}

void NegativesFilter::finish(io::Record& record, io::Output& out) const {
  const auto& pair = record.work_as<Pair>();
  if (!pair.failure.empty()) throw Error(pair.failure);
  if (pair.count < options_.negatives->count) few_.fetch_add(1, std::memory_order_relaxed);
  io::Added added;
  added.field(kNegatives) += pair.negatives;
  if (record.truncated) added.boolean("truncated", true);
  out.record(record, added, drop_);
  record.work.reset();
}

void NegativesFilter::report(Log& log) const {
  queries_.report(log);
  if (reranker_) reranker_->report(log);
  for (const auto& message : index_.records()->unknown_names()) log.warn(message);
  if (few_ > 0)
    log.warn(counted(few_, "record has", "records have") + " fewer than " +
             counted(options_.negatives->count, "negative", "negatives"));
}

}  // namespace bert::search
