#include "search/record_weights.h"

#include <string>

#include "heads/late_texts.h"
#include "predict/sparse_filter.h"
#include "text/tokenizer.h"

namespace bert::search {
namespace {

// Queries have a table or a prompt of their own in some models.
predict::EmbedOptions of_queries(predict::EmbedOptions embed, const model::SentenceTransformer& sentence) {
  const std::string query(heads::kQuery);
  if (!embed.vectors.prompt && (!sentence.query_table.empty() || sentence.prompts.contains(query)))
    embed.vectors.prompt = query;
  return embed;
}

}  // namespace

struct RecordWeights::TextModel {
  TextModel(const TextOptions& options, Pool& pool, Log& log)
      : directory(options.open_model()),
        tokenizer(model::load_tokenizer(directory)),
        filter(directory, tokenizer, of_queries(options.embed, directory.sentence), {}, pool, log) {}

  model::Directory directory;
  text::Tokenizer tokenizer;
  predict::SparseFilter filter;
};

RecordWeights::RecordWeights(const TextOptions& options, Texts texts, Pool& pool, Log& log)
    : prefer_text_(options.prefer_text),
      model_(texts == Texts::weighed ? std::make_unique<TextModel>(options, pool, log) : nullptr) {}

RecordWeights::~RecordWeights() = default;

void RecordWeights::prepare(const io::Fields& fields, WithWeights& query) const {
  const auto own = fields.json(io::kSparse);
  if (!model_ || (!prefer_text_ && own && !own->is_null())) {
    query.weights = io::required_sparse(fields);
    return;
  }
  query.text = model_->filter.read(fields);
  query.cost = model_->filter.cost_of(*query.text);
}

void RecordWeights::compute(std::span<WithWeights* const> queries) {
  std::vector<io::Work*> texts;
  for (auto* query : queries)
    if (query->text) texts.push_back(query->text.get());
  if (texts.empty()) return;
  auto& filter = model_->filter;
  filter.compute(texts);
  for (auto* query : queries) {
    if (!query->text) continue;
    query->weights = filter.weights(*query->text);
    query->truncated = filter.truncated(*query->text);
    query->text.reset();
  }
}

void RecordWeights::report_truncated(int64_t records) const { model_->filter.report_truncated(records); }

}  // namespace bert::search
