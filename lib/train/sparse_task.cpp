// The training task of weights of words: --task embed with --sparse.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "model/heads.h"
#include "model/parts.h"
#include "model/query_table.h"
#include "model/sentence_transformers.h"
#include "train/compared_texts.h"
#include "train/document_frequencies.h"
#include "train/same_tokenizer.h"
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
        path_(inputs.path),
        table_(table_of(inputs)),
        looks_up_(table_ || inputs.options.embed.freezes_queries.has_value()),
        featurizer_(tokenizer_, feature_options()),
        query_featurizer_(tokenizer_, query_options()),
        loss_(options_.embed.loss),
        sparse_{.pooling = inputs.options.embed.sparse.value_or(
                    inputs.sentence.sparse.value_or(model::SparsePooling::max)),
                .flops_warmup = inputs.options.embed.flops_warmup.value_or(1.0 / 3),
                .freezes_queries = inputs.options.embed.freezes_queries.value_or(table_ && table_->frozen)} {
    require_layers(config_, "logits of words");
    const auto& embed = options_.embed;
    if (!inputs.path.empty() && !has_head(inputs.path))
      throw Error(inputs.path, ": is no model for masked words, whose head makes the weights of words");
    if (!config_.tied_embeddings)
      throw Error("the model's input and output embeddings are not tied, which ", opt::sparse, " requires");
    if (looks_up_) sparse_.query_flops = 0;
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
    if (!looks_up_ && !sentence_.query_table.empty())
      preparation.log.warn(path_ + ": its table for the weights of queries is left out; " + opt::query_table +
                           " train keeps it");
    if (!looks_up_ || table_) return void(preparation.check(make_reader()));
    if (preparation.source.records() == 0)
      throw Error(opt::query_table,
                  " begins with the frequencies of tokens in all documents, so the records ",
                  "must be in regular FILEs");
    DocumentFrequencies frequencies(tokenizer_);
    if (preparation.check(frequencies.counting(make_reader())))
      inverse_frequencies_ = frequencies.inverse(preparation.ranks);
  }

  void prepare_to_evaluate() override {
    if (looks_up_ && !table_)
      throw Error(path_, ": has no table for the weights of queries, as ", opt::query_table, " makes it");
  }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    if (looks_up_) config.query_table = tokenizer_.size();
  }

  std::string_view complete(nn::Params& parameters) const override {
    if (!looks_up_) return {};
    const auto place =
        std::ranges::find(parameters.layout().entries(), model::kQueryTable, &nn::LayoutEntry::name) -
        parameters.layout().entries().begin();
    std::ranges::copy(table_ ? table_->weights : inverse_frequencies_, parameters.tensor(place).begin());
    return model::kQueryTable;
  }

  void add_settings(Settings& settings) const override {
    add_compared_texts(loss_, settings);
    settings.emplace_back(opt::sparse, name_of(sparse_.pooling));
    settings.emplace_back(opt::flops, setting(sparse_.document_flops) + "," + setting(sparse_.query_flops));
    settings.emplace_back(opt::flops_warmup, setting(sparse_.flops_warmup));
    if (looks_up_) settings.emplace_back(opt::query_table, sparse_.freezes_queries ? "freeze" : "train");
  }

  model::ModuleFiles modules() const override {
    return model::ModuleFiles::of_sparse(
        {.pooling = sparse_.pooling,
         .max_length = options_.features.max_length,
         .freezes_queries = looks_up_ ? std::optional(sparse_.freezes_queries) : std::nullopt},
        sentence_);
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
  // That of the initial model, unless the network is asked to read queries, too.
  static std::optional<model::QueryTable> table_of(const TaskInputs& inputs) {
    const auto& embed = inputs.options.embed;
    const auto& folder = inputs.sentence.query_table;
    if (folder.empty() || (embed.sparse && !embed.freezes_queries.has_value())) return std::nullopt;
    auto table = model::read_query_table(folder);
    require_same_tokenizer("table of queries", folder, table.tokenizer, inputs.tokenizer);
    return table;
  }
  features::FeatureOptions feature_options() const {
    auto options = options_.features;
    if (looks_up_) options.take_ids = features::TakeIds::never;  // they have special tokens
    return options;
  }
  features::FeatureOptions query_options() const {
    auto options = feature_options();
    options.specials = false;
    return options;
  }
  std::unique_ptr<examples::ExampleReader> reader_of(EmbedRecords records) const {
    examples::QueryTexts queries;
    if (looks_up_) queries = {.featurizer = &query_featurizer_, .expand = {}, .looked_up = true};
    return std::make_unique<examples::EmbedReader>(records, featurizer_, options_.gold_field(), nullptr,
                                                   examples::TeacherVectors(), std::move(queries));
  }

  const model::SentenceTransformer& sentence_;  // settings of the initial model
  const std::string& path_;                     // its directory
  const std::optional<model::QueryTable> table_;
  const bool looks_up_;                     // queries, in that table or in a new one
  std::vector<float> inverse_frequencies_;  // with which the new one begins
  const features::Featurizer featurizer_, query_featurizer_;
  nn::SimilarityOptions loss_;
  SparseOptions sparse_;
  bool has_label_ = false;  // the first record
};

}  // namespace

std::unique_ptr<TrainingTask> make_sparse_task(const TaskInputs& inputs) {
  return std::make_unique<SparseTask>(inputs);
}

}  // namespace bert::train
