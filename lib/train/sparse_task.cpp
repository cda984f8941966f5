// The training task of weights of words: --task embed with --sparse.
#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "model/heads.h"
#include "model/sentence_transformers.h"
#include "train/compared_texts.h"
#include "train/sparse.h"
#include "train/training_task.h"

namespace bert::train {

using examples::EmbedRecords;
using nn::SimilarityLoss;

namespace {

class SparseTask final : public TrainingTask {
 public:
  explicit SparseTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        sentence_(inputs.sentence),
        featurizer_(tokenizer_, options_.features),
        loss_(options_.embed.loss),
        sparse_{.pooling = pooling_of(inputs),
                .flops_warmup = inputs.options.embed.flops_warmup.value_or(1.0 / 3)} {
    require_layers(config_, "logits of words");
    const auto& embed = options_.embed;
    if (!inputs.path.empty() && !has_head(inputs.path))
      throw Error(inputs.path, ": is no model for masked words, whose head makes the weights of words");
    if (!config_.tied_embeddings)
      throw Error("the model's input and output embeddings are not tied, which ", opt::sparse, " requires");
    if (embed.flops) std::tie(sparse_.document_flops, sparse_.query_flops) = *embed.flops;
    loss_.similarity = nn::Similarity::dot;
    loss_.temperature = options_.temperature;
    if (!embed.scale_given) loss_.scale = 1;
  }

  model::Heads heads() const override { return {model::head_of(task::Task::fill)}; }
  bool keeps_head() const override { return true; }

  void peek(examples::RecordSource& source) override {
    require_compared_texts(options_.embed, "weights of words");
    source.peek([&](const io::Fields& fields, const io::Record&, int64_t) {
      has_label_ = examples::has_value(fields, options_.gold_field());
    });
  }

  void prepare(const Preparation& preparation) override {
    warn_of_compared_texts(preparation, loss_.loss, has_label_, options_.gold_field());
    preparation.check(make_reader());
  }

  void add_settings(Settings& settings) const override {
    add_compared_texts(loss_, settings);
    settings.emplace_back(opt::sparse, name_of(sparse_.pooling));
    settings.emplace_back(opt::flops, setting(sparse_.document_flops) + "," + setting(sparse_.query_flops));
    settings.emplace_back(opt::flops_warmup, setting(sparse_.flops_warmup));
  }

  model::ModuleFiles modules() const override {
    return model::ModuleFiles::of_sparse(sparse_.pooling, options_.features.max_length, sentence_);
  }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return reader_of(nn::compares_ratings(loss_.loss) ? EmbedRecords::rated : EmbedRecords::pairs);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return reader_of(nn::compares_ratings(loss_.loss) ? EmbedRecords::rated_dev : EmbedRecords::dev);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<SparseLearning>(network, EmbedLearning::Options{.loss = loss_, .keep = keep},
                                            sparse_);
  }

 private:
  static bool has_head(const std::string& path) {
    const auto heads = model::heads_in(model::transformer_of(path));
    return std::ranges::find(heads, model::head_of(task::Task::fill)->name) != heads.end();
  }
  static model::SparsePooling pooling_of(const TaskInputs& inputs) {
    const auto& asked = inputs.options.embed.sparse;
    if (!asked && !inputs.sentence.query_table.empty())
      throw Error(inputs.path, ": has a table for the weights of queries, which cannot be trained; ",
                  opt::sparse, " max trains the network for queries, too");
    return asked ? *asked : inputs.sentence.sparse.value_or(model::SparsePooling::max);
  }
  std::unique_ptr<examples::ExampleReader> reader_of(EmbedRecords records) const {
    return std::make_unique<examples::EmbedReader>(records, featurizer_, options_.gold_field());
  }

  const model::SentenceTransformer& sentence_;  // settings of the initial model
  const features::Featurizer featurizer_;
  nn::SimilarityOptions loss_;
  SparseOptions sparse_;
  bool has_label_ = false;  // the first record
};

}  // namespace

std::unique_ptr<TrainingTask> make_sparse_task(const TaskInputs& inputs) {
  return std::make_unique<SparseTask>(inputs);
}

}  // namespace bert::train
