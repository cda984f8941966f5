#include "train/compared_texts.h"

#include <algorithm>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"

namespace bert::train {

using nn::SimilarityLoss;

std::string_view name_of(SimilarityLoss loss) {
  return std::ranges::find(nn::kSimilarityLosses, loss, &nn::SimilarityLossName::loss)->name;
}

void require_compared_texts(const EmbedTaskOptions& options, const std::string& what) {
  const auto refuse = [&](const std::string& option) { throw Error(option, " cannot be used with ", what); };
  const auto loss = options.loss.loss;
  if (loss != SimilarityLoss::ranking && !nn::compares_ratings(loss))
    refuse(opt::loss + " " + std::string(name_of(loss)));
  if (options.scale_given && loss != SimilarityLoss::ranking)
    refuse(opt::scale + " with " + opt::loss + " " + std::string(name_of(loss)));
  if (options.teacher_loss && *options.teacher_loss != nn::VectorLoss::cosine)
    refuse(opt::loss + " of vectors");
  if (!options.teacher_vectors.empty()) refuse(opt::teacher_vectors);
  if (!options.dev_vectors.empty()) refuse(opt::dev_vectors);
  if (!options.loss.dims.empty()) refuse(opt::dims);
}

void require_layers(const model::Config& config, const std::string& what) {
  if (config.type->words_only) throw Error("a table of words has no ", what);
}

void warn_of_compared_texts(const Preparation& preparation, SimilarityLoss loss, bool has_label,
                            const std::string& label_field) {
  if (has_label)
    preparation.log.warn("all pairs are taken as similar: " + json::in_quotes(label_field) + " is not used");
  if (nn::finds_positives(loss) && preparation.records_in_step == 1)
    preparation.log.warn("a step of one record has nothing to compare it with but its negatives; raise " +
                         opt::batch_size + " or " + opt::accumulate);
}

void add_compared_texts(const nn::SimilarityOptions& loss, Settings& settings) {
  settings.emplace_back(opt::loss, std::string(name_of(loss.loss)));
  settings.emplace_back(opt::scale, setting(loss.scale));
  if (nn::compares_ratings(loss.loss)) settings.emplace_back(opt::temperature, setting(loss.temperature));
}

}  // namespace bert::train
