#include "search/word_search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "heads/vector_model.h"
#include "json/json.h"
#include "nn/tensor.h"
#include "search/hybrid.h"
#include "search/lexical.h"
#include "search/record_weights.h"
#include "search/sparse_index.h"
#include "text/terms.h"

namespace bert::search {

struct WordSearch::Query {
  std::span<const float> vector;
  WordScores words;
};

namespace {

// Reads rows on all threads, and adds them in order. The Error is that of the first bad record.
template <class Read, class Add>
void add_rows(const Index& index, Pool& pool, Read read, Add add) {
  constexpr int64_t kBatch = 4096;
  std::vector<decltype(read(int64_t{}, int{}))> batch(kBatch);
  std::vector<std::string> failures(kBatch);
  for (int64_t begin = 0; begin < index.rows(); begin += kBatch) {
    const int64_t count = std::min(kBatch, index.rows() - begin);
    pool.run_grid(count, [&](int64_t i, int thread) {
      try {
        batch[i] = read(index.row_of(begin + i), thread);
      } catch (const Error& error) {
        failures[i] = error.what();
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      if (!failures[i].empty()) throw Error(failures[i]);
      add(batch[i]);
    }
  }
}

Words index_of_texts(const Index& index, const std::string& field, Pool& pool) {
  std::vector<text::TermSplitter> splitters(pool.size());
  auto words = std::make_unique<LexicalIndex>();
  bool has_texts = false;
  add_rows(
      index, pool,
      [&](int64_t row, int thread) {
        return splitters[thread].split(index.records()->text(row, field).value_or(""));
      },
      [&](std::span<const std::string> terms) {
        words->add(terms);
        has_texts |= !terms.empty();
      });
  if (!has_texts && index.rows() > 0)
    throw Error(index.path(), ": no record has words in the field ", json::in_quotes(field), "; ",
                opt::text_field, " names another one");
  return {.index = std::move(words), .model = ""};
}

Words index_of_weights(const Index& index, Pool& pool) {
  auto weights = std::make_unique<SparseIndex>();
  std::string model;
  add_rows(
      index, pool, [&](int64_t row, int) { return index.records()->sparse(row); },
      [&](const IndexedRecords::Weights& of_row) {
        if (const auto difference = difference_of_weights(of_row.model, model))
          throw Error(index.records()->where(index.row_of(weights->rows())), ": field \"", io::kSparse,
                      "\" has the ", described(*difference, "an earlier one has"));
        if (!heads::VectorModel::parse(model)) model = of_row.model;
        weights->add(of_row.weights);
      });
  return {.index = std::move(weights), .model = std::move(model)};
}

Words read_words(const Index& index, const std::string& field, bool sparse, Pool& pool) {
  if (index.records() == nullptr)
    throw Error(index.path(), ": its rows have no ", sparse ? "weights" : "texts", "; ", opt::records,
                " names their records");
  return sparse ? index_of_weights(index, pool) : index_of_texts(index, field, pool);
}

}  // namespace

WordSearch::WordSearch(const Index& index, const std::string& text_field, Metric metric,
                       const WordOptions& options, Pool& pool)
    : index_(index),
      text_field_(text_field),
      metric_(metric),
      options_(options),
      words_(read_words(index, text_field, options.sparse, pool)) {}

int64_t WordSearch::candidates(Wanted wanted) const { return std::max(wanted.count, options_.candidates); }

// These rows are counted as in Index::searched().
std::vector<int64_t> WordSearch::rows_with(const std::vector<std::string_view>& parts) const {
  auto rows = words_.index->candidates_with(parts);
  std::erase_if(rows, [&](int64_t row) {
    const auto text = index_.records()->text(index_.row_of(row), text_field_).value_or("");
    return !std::ranges::all_of(parts, [&](std::string_view part) { return text.find(part) != text.npos; });
  });
  return rows;
}

double WordSearch::vector_value(const Query& query, int64_t row) const {
  nn::Memory scratch;
  return value_of(metric_, query.vector, index_.searched().row(row, scratch));
}

std::vector<Hit> WordSearch::joined(const Query& query, std::span<const Neighbor> nearest,
                                    std::span<const Neighbor> by_words) const {
  std::vector<Hit> hits;
  const auto& words = query.words.values;
  if (!options_.with_vectors) {
    for (const auto& [row, value] : by_words) hits.push_back({.row = row, .score = value, .words = value});
    return hits;
  }
  std::vector<Candidate> candidates;
  for (const auto& [row, value] : nearest)
    candidates.push_back({.row = row, .vector = value, .words = words[row]});
  std::set<int64_t> near;
  for (const auto& candidate : candidates) near.insert(candidate.row);
  for (const auto& [row, value] : by_words)
    if (!near.contains(row))
      candidates.push_back({.row = row, .vector = vector_value(query, row), .words = value});
  std::ranges::sort(candidates, {}, &Candidate::row);
  const auto ranking =
      options_.weight ? join_by_weight(candidates, *options_.weight) : join_by_ranks(nearest, by_words);
  for (const auto& [row, value] : ranking) {
    const auto its = std::ranges::lower_bound(candidates, row, {}, &Candidate::row);
    hits.push_back({.row = row, .score = value, .vector = its->vector, .words = its->words});
  }
  return hits;
}

std::vector<Hit> WordSearch::search(const WordQuery& asked, std::span<const float> vector,
                                    std::span<const Neighbor> nearest, Wanted wanted) const {
  const Query query = {.vector = vector, .words = words_.index->scores(asked)};
  std::vector<Hit> hits;
  std::set<int64_t> first;
  if (const auto parts = quoted_parts(asked.text); !parts.empty()) {
    std::vector<Neighbor> by_vector, by_words;
    for (const int64_t row : rows_with(parts)) {
      first.insert(row);
      by_words.push_back({.row = row, .value = query.words.values[row]});
      if (options_.with_vectors) by_vector.push_back({.row = row, .value = vector_value(query, row)});
    }
    constexpr auto kBefore = [](const Neighbor& a, const Neighbor& b) { return a.before(b); };
    std::ranges::sort(by_vector, kBefore);
    std::ranges::sort(by_words, kBefore);
    hits = joined(query, by_vector, by_words);
  }
  for (const auto& hit : joined(query, nearest, query.words.best(candidates(wanted))))
    if (!first.contains(hit.row)) hits.push_back(hit);
  std::erase_if(hits, [&](const Hit& hit) { return hit.score < wanted.least; });
  if (std::ssize(hits) > wanted.count) hits.resize(wanted.count);
  for (auto& hit : hits) hit.row = index_.row_of(hit.row);
  return hits;
}

}  // namespace bert::search
