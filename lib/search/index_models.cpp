#include "search/index_models.h"

#include <string>

#include "base/error.h"
#include "base/option.h"
#include "heads/vector_model.h"
#include "search/record_weights.h"
#include "text/tokenizer.h"

namespace bert::search {

struct IndexModels::Vectors {
  Vectors(const TextOptions& texts, Pool& pool, Log& log)
      : directory(texts.open_model()),
        tokenizer(model::load_tokenizer(directory)),
        filter(directory, tokenizer, texts.embed, pool, log, predict::EmbedFilter::Weights::later) {
    require_one_vector(directory, texts.embed);
  }

  model::Directory directory;
  text::Tokenizer tokenizer;
  predict::EmbedFilter filter;
};

struct IndexModels::Weights {
  Weights(const TextOptions& texts, Pool& pool, Log& log)
      : directory(texts.open_model()),
        tokenizer(model::load_tokenizer(directory)),
        filter(directory, tokenizer, texts.embed, {}, pool, log) {}

  model::Directory directory;
  text::Tokenizer tokenizer;
  predict::SparseFilter filter;
};

IndexModels::IndexModels(const TextOptions& vectors, const TextOptions& weights, Pool& pool, Log& log)
    : vectors_(vectors.open_model ? std::make_unique<Vectors>(vectors, pool, log) : nullptr),
      weights_(weights.open_model ? std::make_unique<Weights>(weights, pool, log) : nullptr) {}

IndexModels::~IndexModels() = default;

predict::EmbedFilter* IndexModels::vectors() const { return vectors_ ? &vectors_->filter : nullptr; }
predict::SparseFilter* IndexModels::weights() const { return weights_ ? &weights_->filter : nullptr; }
int64_t IndexModels::width() const { return vectors_ ? vectors_->filter.width() : 0; }

void IndexModels::describe(Manifest& manifest) const {
  manifest.width = width();
  if (vectors_) {
    manifest.model = vectors_->filter.vector_model();
    manifest.directory = vectors_->directory.root;
  }
  if (weights_) {
    manifest.weights_model = weights_->filter.weights_model();
    manifest.weights_directory = weights_->directory.root;
  }
}

void IndexModels::require_same(const IndexFolder& folder, const Manifest& manifest) const {
  const auto again = "; " + opt::rebuild + " embeds all files again";
  if (vectors_ && (vectors_->filter.vector_model() != manifest.model || width() != manifest.width)) {
    const auto before = heads::VectorModel::parse(manifest.model),
               now = heads::VectorModel::parse(vectors_->filter.vector_model());
    const auto difference = before && now ? heads::difference(*before, *now) : std::nullopt;
    if (difference)
      throw Error(folder.path(), ": was made with ", heads::name_of(difference->kind), " ", difference->first,
                  ", not ", difference->second, again);
    if (width() != manifest.width)
      throw Error(folder.path(), ": has vectors of ", manifest.width, " numbers, not ", width(), again);
  }
  if (!weights_) return;
  const auto difference = difference_of_weights(manifest.weights_model, weights_->filter.weights_model());
  if (difference)
    throw Error(folder.path(), ": has weights of words that were made with ", described(*difference, "not"),
                again);
}

void IndexModels::report(Log& log) const {
  if (vectors_) vectors_->filter.report(log);
}

void IndexModels::report_truncated(int64_t texts) const {
  if (vectors_) return vectors_->filter.report_truncated(texts);
  weights_->filter.report_truncated(texts);
}

}  // namespace bert::search
