#include "search/reranker.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"

namespace bert::search {
namespace {

const IndexedRecords& texts_of(const Index& index) {
  if (index.records() == nullptr)
    throw Error(index.path(), ": its rows have no texts; ", opt::records, " names their records");
  return *index.records();
}

}  // namespace

Reranker::Reranker(const RerankOptions& options, const Index& index, const std::string& text_field,
                   Pool& pool, Log& log)
    : records_(texts_of(index)),
      text_field_(text_field),
      directory_(options.open_model()),
      tokenizer_(model::load_tokenizer(directory_)),
      scorer_(make_scorer(directory_, tokenizer_, options.predict, pool, log)) {}

std::vector<float> Reranker::scores(std::string_view query, std::span<const int64_t> rows) {
  std::vector<std::string> texts;
  bool has_texts = false;
  for (const int64_t row : rows) {
    const auto text = records_.text(row, text_field_);
    has_texts |= text.has_value();
    texts.emplace_back(text.value_or(""));
  }
  if (!has_texts && !rows.empty())
    throw Error(records_.where(rows.front()), ": no text in the field ", json::in_quotes(text_field_),
                ", nor in the other candidates; ", opt::text_field, " names another one");
  return scorer_->scores(query, texts);
}

void Reranker::rerank(std::string_view query, std::vector<Hit>& hits) {
  std::vector<int64_t> rows;
  for (const auto& hit : hits) rows.push_back(hit.row);
  const auto found = scores(query, rows);
  for (size_t i = 0; i < hits.size(); ++i) hits[i].before = std::exchange(hits[i].score, found[i]);
  std::ranges::sort(hits, [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
}

}  // namespace bert::search
