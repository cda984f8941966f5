#include "search/search_filter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"

namespace bert::search {

std::unique_ptr<Search> make_search(const Index& index, const Options& options, Pool& pool, Log& log) {
  if (!options.graph.path.empty())
    return std::make_unique<GraphSearch>(index.searched(), options.metric, options.graph, pool, log);
  if (!options.codes.path.empty()) {
    auto codes = options.codes;
    codes.model = index.model();
    return std::make_unique<CodeSearch>(index.vectors(), index.selected(), options.metric, codes, pool, log);
  }
  return std::make_unique<ExactSearch>(index.searched(), options.metric, pool);
}

namespace {

Wanted wanted(const Options& options) {
  const auto metric = options.words || options.rerank ? Metric::dot : options.metric;
  return {options.neighbors > 0 ? options.neighbors : std::numeric_limits<int64_t>::max(),
          options.min_score ? value_at(metric, *options.min_score) : -INFINITY};
}

Wanted first_wanted(const Options& options) {
  return options.rerank ? Wanted(std::max(options.rerank->candidates, options.neighbors)) : wanted(options);
}

}  // namespace

struct SearchFilter::Found : WithVector {
  WordQuery query;  // for a search by words, and to rerank
  WithWeights weighed;
  std::vector<Hit> hits;
  std::vector<Passage> passages;  // of the hits, for lines
  std::string neighbors;          // in JSON, or their lines
  bool is_empty = false;          // the query
  bool lacks_some = false;        // hits with empty texts were left out, and there may be others
};

namespace {

// So that `more` of them may be left out.
Wanted with(Wanted wanted, int64_t more) {
  wanted.count += std::min(more, std::numeric_limits<int64_t>::max() - wanted.count);
  return wanted;
}

}  // namespace

SearchFilter::SearchFilter(Options options, Pool& pool, Log& log)
    : options_(std::move(options)),
      pool_(pool),
      queries_(options_.texts, options_.metric, pool, log),
      index_(options_.index, options_.metric, pool),
      late_(index_.tokens() != nullptr
                ? std::make_unique<LateSearch>(*index_.tokens(), index_.selected(), pool)
                : nullptr),
      search_(has_vectors() && !late_ ? make_search(index_, options_, pool, log) : nullptr),
      wanted_(wanted(options_)),
      first_(first_wanted(options_)),
      drop_(heads::with_vector_model(options_.drop)) {
  if (options_.words)
    words_ = std::make_unique<WordSearch>(index_, options_.index.stream.text_field, options_.metric,
                                          *options_.words, pool);
  if (is_sparse()) open_weights(log);
  if (options_.rerank)
    reranker_ =
        std::make_unique<Reranker>(*options_.rerank, index_, options_.index.stream.text_field, pool, log);
  note_pairs(log);
  if (options_.lines) {
    if (index_.records() == nullptr)
      throw Error(options_.index.path, ": its rows have no file and line; ", opt::records,
                  " names their records");
    lines_.emplace(*options_.lines, options_.index.stream);
  }
  if (!index_.repeated_id().empty() && !lines_) log.warn(index_.repeated_id());
  if (!has_vectors()) return;
  if (late_) require_late();
  if (options_.recall > 0)
    recall_.emplace(index_.searched(), options_.metric, pool, options_.recall,
                    Wanted(options_.neighbors, first_.least));
  if (late_) {
    queries_.require_tokens(index_.tokens()->width(), options_.index.path + " has");
  } else {
    queries_.require_width(index_.vectors().width(), options_.index.path + " has");
  }
  queries_.require_model(index_.model(), options_.index.path + " has", options_.index.remedy);
  if (index_.model().empty())
    log.info(options_.index.path + ": does not say which model its vectors are from, so it is not checked");
}

void SearchFilter::open_weights(Log& log) {
  auto texts = to_weigh(options_.texts, options_.words->open_model);
  if (has_vectors()) texts.embed.vectors.prompt.reset();  // it is that of the vectors
  weights_ = std::make_unique<RecordWeights>(texts, pool_, log);
  const auto& again = options_.index.remedy;
  weights_->require_model(words_->weights_model(), options_.index.path + " has",
                          (again.empty() ? "" : again + ", or ") + "give the model of these weights with " +
                              (has_vectors() ? opt::sparse_model : Option("-m")));
}

void SearchFilter::require_late() const {
  const auto refuse = [&](const std::string& option) {
    throw Error(option, " cannot be used with ", options_.index.path, ", which has a vector for each token");
  };
  if (!options_.graph.path.empty()) refuse(opt::graph);
  if (!options_.codes.path.empty()) refuse(opt::codes);
  if (options_.words) refuse(opt::hybrid);
  if (options_.metric == Metric::l2) refuse(opt::metric + " l2");
}

// The vectors may be those of other texts, but which is not known.
void SearchFilter::note_pairs(Log& log) const {
  const auto& [text_field, pair_field] =
      std::tie(options_.index.stream.text_field, options_.index.stream.pair_field);
  if (!reads_texts() || index_.records() == nullptr || index_.rows() == 0) return;
  const auto text_in = [&](const std::string& field) {
    return index_.records()->text(index_.row_of(0), field);
  };
  const bool is_asked = options_.texts.embed.features.text_field != io::kTextField;
  const auto pair = is_asked ? std::nullopt : text_in(pair_field);
  if (!pair || pair == text_in(text_field)) return;
  log.warn("words and texts are those of " + json::in_quotes(text_field) + ", not of " +
           json::in_quotes(pair_field) + ", which records have, too; " + opt::text_field + " " + pair_field +
           " " + opt::pair_field + " '' reads these");
}

void SearchFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto found = std::make_unique<Found>();
  if (weights_) weights_->prepare(fields, found->weighed);
  if (reads_texts()) {
    found->query.text = required_text_of(fields, options_.texts.embed.features.text_field);
  } else if (words_) {
    found->query.text = text_of(fields, options_.texts.embed.features.text_field).value_or("");
  }
  const auto& features = options_.texts.embed.features;
  found->is_empty = has_empty_text(fields, {features.text_field, features.pair_field});
  if (has_vectors()) {
    queries_.prepare(fields, record, *found);
  } else {
    found->cost = found->weighed.cost;
  }
  record.work = std::move(found);
}

void SearchFilter::compute(std::span<io::Record* const> records) {
  if (has_vectors()) queries_.compute(records);
  if (weights_) weigh(records);
  std::vector<Found*> queries;
  for (io::Record* record : records)
    if (auto& found = record->work_as<Found>(); found.failure.empty()) queries.push_back(&found);
  empty_ += std::ranges::count_if(queries, &Found::is_empty);
  auto open = queries;
  for (int64_t more = 0; !open.empty(); more = more * 4 + 16) {
    search(open, more);
    std::erase_if(open, [](const Found* query) { return !query->lacks_some; });
  }
  if (lines_)
    for (Found* const found : queries)
      lines_->append_new_files(found->neighbors, std::exchange(found->passages, {}));
}

void SearchFilter::weigh(std::span<io::Record* const> records) {
  std::vector<WithWeights*> queries;
  for (io::Record* record : records) queries.push_back(&record->work_as<Found>().weighed);
  weights_->compute(queries);
  for (io::Record* record : records) {
    auto& found = record->work_as<Found>();
    found.query.weights = std::move(found.weighed.weights);
    record->truncated |= found.weighed.truncated;
  }
}

// `more`: neighbors than are wanted, see lacks_some.
void SearchFilter::search(std::span<Found* const> queries, int64_t more) {
  if (!has_vectors())
    return write_neighbors(queries, std::vector<std::vector<Neighbor>>(queries.size()), more);
  const auto wanted = with(first_, more);
  if (late_) {
    std::vector<std::span<const float>> texts(queries.size());
    for (size_t i = 0; i < queries.size(); ++i) texts[i] = queries[i]->vector;
    return write_neighbors(queries, late_->nearest(texts, wanted), more);
  }
  std::vector<const float*> rows;
  for (const Found* query : queries) rows.push_back(query->vector.data());
  const auto nearest = search_->nearest(rows, words_ ? Wanted(words_->candidates(wanted)) : wanted);
  if (recall_ && more == 0) recall_->add(rows, nearest);
  write_neighbors(queries, nearest, more);
  index_.vectors().require_unchanged();
}

std::vector<Hit> SearchFilter::hits(const Found& query, std::span<const Neighbor> nearest,
                                    Wanted wanted) const {
  if (words_) return words_->search(query.query, query.vector, nearest, wanted);
  std::vector<Hit> hits;
  for (const auto& [row, value] : nearest)
    hits.push_back({.row = index_.row_of(row), .score = value, .vector = value});
  return hits;
}

void SearchFilter::committed() {
  const auto failure = search_ ? search_->failure() : "";
  if (!failure.empty()) throw Error(failure);
}

// Not in finish, since an error of the index ends the stream, whatever happens to bad queries. Throws that of
// the first query.
void SearchFilter::write_neighbors(std::span<Found* const> queries,
                                   std::span<const std::vector<Neighbor>> nearest, int64_t more) {
  for_each(queries, [&](Found& found, int64_t i) {
    found.hits = hits(found, nearest[i], with(first_, more));
    found.failure = mismatch(found.hits);
  });
  if (reranker_)
    for (Found* const found : queries) rerank(*found, more);
  for_each(queries, [&](Found& found, int64_t) {
    found.lacks_some = false;
    if (found.failure.empty()) write(found, more);
    found.hits = {};
  });
}

void SearchFilter::rerank(Found& query, int64_t more) {
  if (!query.failure.empty()) return;
  reranker_->rerank(query.query.text, query.hits);
  std::erase_if(query.hits, [&](const Hit& hit) { return hit.score < wanted_.least; });
  if (const auto count = with(wanted_, more).count; std::ssize(query.hits) > count) query.hits.resize(count);
}

template <class Do>
void SearchFilter::for_each(std::span<Found* const> queries, Do run) {
  std::mutex mutex;
  auto first = static_cast<int64_t>(queries.size());
  std::string message;
  pool_.run_grid(queries.size(), [&](int64_t i, int) {
    try {
      run(*queries[i], i);
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      if (i < first) message = error.what();
      first = std::min(first, i);
    }
  });
  if (!message.empty()) throw Error(message);
}

// A record with an empty text is no neighbor.
void SearchFilter::write(Found& found, int64_t more) const {
  const auto* const records = index_.records();
  auto& out = found.neighbors;
  out.clear();
  found.passages.clear();
  bool has_empty = false;
  int64_t count = 0;
  for (const Hit& hit : found.hits) {
    if (count == wanted_.count) break;
    auto values = records != nullptr ? records->values_unless_empty(hit.row)
                                     : std::optional(std::vector<std::string>(1));
    has_empty |= !values;
    if (!values) continue;
    if (lines_) {
      found.passages.push_back(passage_of(hit, *values));
    } else {
      append_neighbor(out += count > 0 ? ',' : '[', hit, *values);
    }
    ++count;
  }
  found.lacks_some =
      has_empty && count < wanted_.count && std::ssize(found.hits) >= with(wanted_, more).count;
  if (found.lacks_some) return;
  if (lines_) return lines_->append(out, found.passages);
  out += count > 0 ? "]" : "[]";
}

Passage SearchFilter::passage_of(const Hit& hit, std::span<const std::string> values) const {
  const auto& records = *index_.records();
  const auto value = [&](std::string_view name) { return plain(values[records.place(name)]); };
  const auto line = [&](std::string_view name) {
    int64_t number = 0;
    const auto digits = value(name);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  };
  const auto text = [&] {
    for (const auto& alias : options_.index.stream.usual.fields)
      if (auto own = value(alias.name); !own.empty()) return own;
    return value(options_.index.stream.text_field);
  };
  Passage passage = {.file = value(io::kFileField),
                     .first = line(io::kStartLine),
                     .last = line(io::kEndLine),
                     .text = text()};
  passage.last = std::max(passage.first, passage.last);  // unknown: 0
  if (passage.file.empty() || passage.first < 1)
    throw Error(options_.index.path, ": record ", hit.row, " has no ", io::kFileField, " and ",
                io::kStartLine, "; bert-embed adds them with ", opt::recursive, " or ", opt::cut,
                ", unless the record has one of its own");
  return passage;
}

// All neighbors of several chunks of queries may be in memory.
size_t SearchFilter::chunk_records() const {
  constexpr int64_t kMost = 1 << 18;
  const auto most = std::min(first_.count, index_.rows());
  return std::max<int64_t>(1, kMost / std::max<int64_t>(1, most));
}

// The error of a query with scores that cannot be written; "" if there is none.
std::string SearchFilter::mismatch(std::span<const Hit> hits) const {
  for (const Hit& hit : hits) {
    if (!std::isfinite(score_of(options_.metric, hit.vector)) || !std::isfinite(rounded(hit.words)))
      return Error("its score with row ", hit.row, " of ", options_.index.path, kTooLarge).what();
  }
  return {};
}

void SearchFilter::append_neighbor(std::string& out, const Hit& hit,
                                   std::span<const std::string> values) const {
  const auto* const records = index_.records();
  const bool has_place = records != nullptr && !values[records->place(io::kStartLine)].empty();
  json::Object entry(out);
  if (values.front().empty()) {
    entry.integer("id", hit.row);
  } else {
    entry.key("id") += values.front();
  }
  if (words_ || reranker_) {
    json::append_number(entry.key("score"), rounded(hit.score), options_.precision);
  } else {
    append_score(entry.key("score"), options_.metric, hit.score, options_.precision);
  }
  if (reranker_ && words_ && has_vectors())
    json::append_number(entry.key(kJoinedScore), rounded(hit.before), options_.precision);
  if (has_vectors() && (words_ || reranker_))
    append_score(entry.key(late_ ? kMaxSim : name_of(options_.metric)), options_.metric, hit.vector,
                 options_.precision);
  if (words_ && (has_vectors() || reranker_))
    json::append_number(entry.key(options_.words->score_name()), rounded(hit.words), options_.precision);
  for (size_t i = 1; i < values.size(); ++i) {
    const auto& name = index_.records()->names()[i];
    const bool is_asked_for = i <= options_.index.with.size();
    if (!values[i].empty() && (is_asked_for || has_place)) entry.key(name) += values[i];
  }
  entry.end();
}

void SearchFilter::finish(io::Record& record, io::Output& out) const {
  const auto& found = record.work_as<Found>();
  if (!found.failure.empty()) throw Error(found.failure);
  if (lines_) {
    if (!found.neighbors.empty() && record.place() > 0) out.text() += lines_->separator();
    out.text() += found.neighbors;
    record.work.reset();
    return;
  }
  io::Added added;
  added.field("neighbors") += found.neighbors;
  if (record.truncated) added.boolean("truncated", true);
  out.record(record, added, drop_);
  record.work.reset();
}

void SearchFilter::end(io::Output& out) {
  if (lines_) lines_->append_counts(out.text());
}

void SearchFilter::report_truncated(int64_t records) const {
  if (queries_.has_texts()) return queries_.report_truncated(records);
  weights_->report_truncated(records);
}

void SearchFilter::report(Log& log) const {
  if (has_vectors()) queries_.report(log);
  if ((has_vectors() || is_sparse()) && empty_ > 0)
    log.warn(counted(empty_, "query is empty; its neighbors say", "queries are empty; their neighbors say") +
             " nothing");
  if (recall_) recall_->report(log);
  if (reranker_) reranker_->report(log);
  if (lines_)
    for (const auto& message : lines_->warnings()) log.warn(message);
  if (index_.records() == nullptr || lines_) return;
  for (const auto& message : index_.records()->unknown_names()) log.warn(message);
}

}  // namespace bert::search
