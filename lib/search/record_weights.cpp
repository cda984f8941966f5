#include "search/record_weights.h"

#include <utility>

#include "base/error.h"
#include "base/option.h"
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

TextOptions to_weigh(TextOptions options, std::function<model::Directory()> open_model) {
  options.open_model = std::move(open_model);
  auto& overflow = options.embed.features.overflow;
  if (overflow == features::Overflow::split) overflow = features::Overflow::truncate;
  return options;
}

std::optional<heads::ModelDifference> difference_of_weights(std::string_view model, std::string_view other) {
  if (model == other) return std::nullopt;
  auto one = heads::VectorModel::parse(model), another = heads::VectorModel::parse(other);
  if (!one || !another) return std::nullopt;
  one->prompt = another->prompt = "";
  return heads::difference(*one, *another);
}

std::string described(const heads::ModelDifference& difference, const std::string& whose) {
  return Error(heads::name_of(difference.kind), " ", difference.first, ", ", whose, " ", difference.second)
      .what();
}

struct RecordWeights::TextModel {
  TextModel(const TextOptions& options, Pool& pool, Log& log)
      : directory(options.open_model()),
        tokenizer(model::load_tokenizer(directory)),
        filter(directory, tokenizer, of_queries(options.embed, directory.sentence), {}, pool, log) {}

  model::Directory directory;
  text::Tokenizer tokenizer;
  predict::SparseFilter filter;
};

RecordWeights::RecordWeights(const TextOptions& options, Pool& pool, Log& log)
    : prefer_text_(options.prefer_text),
      model_(options.open_model ? std::make_unique<TextModel>(options, pool, log) : nullptr) {}

RecordWeights::~RecordWeights() = default;

void RecordWeights::require_model(std::string_view model, std::string whose, const std::string& remedy) {
  required_ = model;
  whose_ = std::move(whose);
  if (!model_) return;
  const auto difference = difference_of_weights(model_->filter.weights_model(), required_);
  if (!difference) return;
  const bool is_length = difference->kind == heads::ModelDifference::Kind::max_length;
  throw Error("the weights of texts have the ", described(*difference, whose_), "; ",
              is_length ? "give " + opt::max_length + " " + difference->second : remedy);
}

void RecordWeights::prepare(const io::Fields& fields, WithWeights& query) const {
  const auto own = fields.json(io::kSparse);
  if (!model_ || (!prefer_text_ && own && !own->is_null())) {
    query.weights = io::required_sparse(fields);
    if (const auto difference = difference_of_weights(heads::read_weights_model(fields), required_))
      throw Error("field \"", io::kSparse, "\" has the ", described(*difference, whose_));
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
