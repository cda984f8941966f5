#include "heads/late_scorer.h"

#include "base/error.h"
#include "heads/version.h"
#include "nn/kernels/kernels.h"
#include "nn/max_sim.h"

namespace bert::heads {

LateScorer::Reader::Reader(const model::Directory& directory, const text::Tokenizer& tokenizer, Side side)
    : texts(directory, tokenizer, side),
      featurizer(tokenizer,
                 {.max_length = texts.max_length(),
                  .prompt = prompt_of(std::string(side == Side::query ? kQuery : kDocument), directory)}) {}

LateScorer::LateScorer(const model::Directory& directory, const text::Tokenizer& tokenizer,
                       const ComputeOptions& compute, Pool& pool, Log& log)
    : directory_(directory),
      embedder_(directory, {}, compute, pool),
      queries_(directory, tokenizer, Side::query),
      documents_(directory, tokenizer, Side::document) {
  model::check_vocabulary(directory, tokenizer, log);
  log.info(described({.model = directory.root,
                      .purpose = "late interaction",
                      .max_length = documents_.texts.max_length(),
                      .dtype = embedder_.dtype(),
                      .threads = pool.size()}));
}

std::vector<float> LateScorer::scores(std::string_view query, const std::vector<std::string>& texts) {
  std::vector<Text> all(texts.size() + 1);
  all[0].windows.push_back({.features = read(queries_, query)});
  for (size_t i = 0; i < texts.size(); ++i)
    all[i + 1].windows.push_back({.features = read(documents_, texts[i])});
  std::vector<Text*> pointers;
  for (auto& text : all) pointers.push_back(&text);
  embedder_.compute(pointers);
  const int64_t width = embedder_.plan().width();
  const auto vectors = vectors_of(queries_, all[0]);
  const double weight =
      directory_.sentence.late->mean ? static_cast<double>(width) / static_cast<double>(vectors.size()) : 1;
  std::vector<float> scores;
  for (size_t i = 1; i < all.size(); ++i)
    scores.push_back(static_cast<float>(
        weight * nn::max_sim(nn::usable_kernels(), vectors, vectors_of(documents_, all[i]), width)));
  return scores;
}

void LateScorer::report(Log& log) const {
  for (const auto* reader : {&queries_, &documents_})
    if (reader->truncated > 0) report_truncated_texts(log, reader->truncated, reader->texts.max_length());
}

features::Features LateScorer::read(Reader& reader, std::string_view text) const {
  auto features = reader.featurizer.features(text);
  if (features.truncated) ++reader.truncated;
  reader.texts.expand(features);
  require_readable(features, directory_.config);
  return features;
}

// Those of the tokens that have one.
std::vector<float> LateScorer::vectors_of(const Reader& reader, const Text& text) const {
  const auto& [features, values] = text.windows.front();
  const auto width = static_cast<size_t>(embedder_.plan().width());
  std::vector<float> kept;
  for (size_t i = 0; i < features.ids.size(); ++i) {
    if (!reader.texts.has_vector(features.ids[i])) continue;
    const auto vector = std::span(values).subspan(i * width, width);
    kept.insert(kept.end(), vector.begin(), vector.end());
  }
  embedder_.require_finite(kept);
  return kept;
}

}  // namespace bert::heads
