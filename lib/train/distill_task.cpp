// The training task of an encoder that learns from the layers of a teacher.
#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "heads/batches.h"
#include "json/json.h"
#include "model/fingerprint.h"
#include "model/parts.h"
#include "train/layer_learning.h"
#include "train/same_tokenizer.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

class DistillReader final : public examples::ExampleReader {
 public:
  DistillReader(const features::Featurizer& featurizer, const model::Config& teacher)
      : featurizer_(featurizer), teacher_(teacher) {}

  void read(const io::Fields& fields, const io::Record&, int64_t,
            examples::Examples& examples) const override {
    auto features = featurizer_.features(fields);
    try {
      heads::require_readable(features, teacher_);
    } catch (const Error& error) {
      throw Error("for the teacher: ", error.what());
    }
    auto example = std::make_unique<examples::Example>();
    example->ids = std::move(features.ids);
    example->types = std::move(features.types);
    example->traits.set(examples::Trait::truncated, features.truncated);
    examples.push_back(std::move(example));
  }

 private:
  const features::Featurizer& featurizer_;
  const model::Config& teacher_;
};

class DistillTask final : public TrainingTask {
 public:
  explicit DistillTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        distill_(options_.distill),
        loss_(nn::entry(distill_.loss)),
        teacher_(model::open_directory(distill_.teacher)),
        dtype_(inputs.dtype),
        featurizer_(tokenizer_, options_.features) {
    const auto& its = teacher_.config;
    if (its.type->words_only)
      throw Error(teacher_.root,
                  ": is a table of the vectors of words, which has no attention to learn from");
    for (const auto* config : {&its, &config_})
      if (config->layers == 0) throw Error(config == &its ? "the teacher" : "the model", " has no layers");
    if (its.causal || config_.causal) throw Error("the attention of causal models cannot be compared");
    const auto tokenizer = model::load_tokenizer(teacher_);
    require_same_tokenizer("teacher", teacher_.root, tokenizer, tokenizer_);
    const int64_t most = options_.features.max_length;
    if (its.positions < most)
      throw Error(teacher_.root, ": the teacher reads ", its.positions,
                  " tokens, fewer than the maximum length of ", most, "; use ", opt::max_length);
    heads_ = heads_of_relations();
    layers_ = layers_of_teacher();
    print_ = model::fingerprint(teacher_, tokenizer, {});
  }

  void prepare(const Preparation& preparation) override {
    model::check_vocabulary(teacher_, tokenizer_, preparation.log);
    std::vector<std::string> layers;
    for (const auto layer : layers_) layers.push_back(std::to_string(layer));
    preparation.log.info("the teacher is " + teacher_.root + ", " +
                         (layers.size() == 1 ? "layer " : "layers ") + joined(layers) + " with " +
                         counted(heads_, "head", "heads"));
    TrainingTask::prepare(preparation);
  }
  void prepare_to_evaluate() override {
    if (projection().out != 0)
      throw Error("the hidden states of the model have ", config_.hidden, " numbers, the teacher's ",
                  teacher_.config.hidden,
                  ": the projection that was learned between them is not in the model");
  }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    config.projection = projection();
  }
  std::string_view complete(nn::Params&) const override { return model::kProjection; }

  void add_settings(Settings& settings) const override {
    settings.emplace_back(opt::teacher, hexadecimal(print_));
    settings.emplace_back(opt::loss, std::string(loss_.name));
    settings.emplace_back(opt::relation_heads, setting(heads_));
    std::vector<std::string> layers;
    for (const auto layer : layers_) layers.push_back(setting(layer));
    settings.emplace_back(opt::teacher_layers, joined(layers));
  }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<DistillReader>(featurizer_, teacher_.config);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    const int last = std::ranges::max(layers_);
    return std::make_unique<LayerLearning>(
        network,
        std::make_unique<model::Network>(teacher_, model::Needs{.layers = last}, network.context().pool(),
                                         dtype_),
        LayerLearning::Options{
            .loss = distill_.loss, .heads = heads_, .teacher_layers = layers_, .keep = keep});
  }

 private:
  // Maps hidden states to the teacher's width, if they are compared.
  model::Config::Projection projection() const {
    if (loss_.last_layer || config_.hidden == teacher_.config.hidden) return {};
    return {.in = config_.hidden, .out = teacher_.config.hidden};
  }

  int64_t heads_of_relations() const {
    const auto& its = teacher_.config;
    if (loss_.compares_attention()) {
      if (its.heads != config_.heads)
        throw Error(opt::loss, " ", loss_.name, " compares the attention of heads, but the teacher has ",
                    its.heads, " and the model ", config_.heads, "; ", opt::loss, " ",
                    nn::entry(nn::LayerLoss::minilm).name, " compares models with any number of heads");
      for (const auto* config : {&its, &config_})
        if (!config->in_window.empty())
          throw Error(opt::loss, " ", loss_.name, " compares attention, but that of type ",
                      config->type->name, " is within windows; use ", opt::loss, " ",
                      nn::entry(nn::LayerLoss::minilm).name);
      for (const auto* config : {&its, &config_})
        if (config->relative_positions)
          throw Error(opt::loss, " ", loss_.name,
                      " compares attention without the relative positions of type ", config->type->name,
                      "; use ", opt::loss, " ", nn::entry(nn::LayerLoss::minilm).name);
      if (config_.bias_rows > 0)
        throw Error(opt::loss, " ", loss_.name, " cannot train models of type ", config_.type->name,
                    ", whose attention learns a bias; use ", opt::loss, " ",
                    nn::entry(nn::LayerLoss::minilm).name);
      return its.heads;
    }
    const auto divides = [&](int64_t heads) {
      return its.hidden % heads == 0 && config_.hidden % heads == 0;
    };
    const auto& asked = distill_.relation_heads;
    for (const int64_t heads : {asked.value_or(its.heads), asked.value_or(config_.heads)})
      if (divides(heads)) return heads;
    throw Error(opt::relation_heads, asked ? " " + std::to_string(*asked) : "",
                " must be a divisor of both hidden sizes, ", its.hidden, " of the teacher and ",
                config_.hidden, " of the model");
  }

  std::vector<int64_t> layers_of_teacher() const {
    auto layers = distill_.layers;
    const int64_t count = loss_.last_layer ? 1 : config_.layers, its = teacher_.config.layers;
    // At the same height, rounded.
    for (int64_t i = 1; distill_.layers.empty() && i <= count; ++i)
      layers.push_back(std::max<int64_t>(1, (2 * i * its + count) / (2 * count)));
    if (std::ssize(layers) != count)
      throw Error(opt::teacher_layers, ": ", opt::loss, " ", loss_.name, " compares ",
                  counted(count, "layer", "layers"), ", not ", layers.size());
    for (const auto layer : layers)
      if (layer < 1 || layer > its)
        throw Error(opt::teacher_layers, " ", layer, ": the teacher has the layers 1 to ", its);
    return layers;
  }

  const DistillTaskOptions& distill_;
  const nn::LayerLossEntry& loss_;
  const model::Directory teacher_;
  const Dtype dtype_;
  const features::Featurizer featurizer_;
  int64_t heads_ = 1;
  std::vector<int64_t> layers_;  // of the teacher
  uint64_t print_ = 0;           // its fingerprint
};

}  // namespace

std::unique_ptr<TrainingTask> make_distill_task(const TaskInputs& inputs) {
  return std::make_unique<DistillTask>(inputs);
}

}  // namespace bert::train
