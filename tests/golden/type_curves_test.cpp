// 20 steps of models of all types against transformers, as make_type_curves.py has them.
#include <doctest/doctest.h>

#include <memory>

#include "base/pool.h"
#include "ckpt/names.h"
#include "examples/pretrain_example.h"
#include "model/config.h"
#include "train/optimizer.h"
#include "train/replaced.h"
#include "training_step.h"

namespace bert::golden {
namespace {

constexpr size_t kBatch = 6;
constexpr double kRate = 1e-3;

struct Curves {
  json::File file{directory() / "type_curves.json"};
  std::vector<TrainingRecord> records;

  Curves() {
    for (const json::Value& record : file.find("records").value().elements()) {
      auto& one = records.emplace_back();
      one.input_ids = record.find("input_ids").value().integers();
      one.token_type_ids.resize(one.input_ids.size());
      one.masked_lm_positions = record.find("masked_lm_positions").value().integers();
      one.masked_lm_ids = record.find("masked_lm_ids").value().integers();
    }
  }
  std::vector<TrainingRecord> step(size_t number) const {
    const auto first = records.begin() + static_cast<std::ptrdiff_t>(number * kBatch);
    return {first, first + kBatch};
  }
};

class Training {
 public:
  // With a sharing, there is a generator.
  Training(const std::string& path, const model::Heads& heads,
           std::optional<model::EmbeddingSharing> sharing = {})
      : network_(config_of(path, sharing), heads, pool_), optimizer_(network_.parameters().layout(), {}) {
    static_cast<void>(network_.load(ckpt::Checkpoint::open(path)));
    network_.refresh();
  }

  model::TrainingNetwork& network() { return network_; }
  double norm() { return train::norm_of(train::square_sums(network_.gradients(), network_.context())); }
  void update() {
    network_.begin_update();
    optimizer_.step(network_.parameters(), network_.gradients(), kRate, 1, network_.context());
    network_.end_update();
  }

 private:
  static model::Config config_of(const std::string& path, std::optional<model::EmbeddingSharing> sharing) {
    auto config = model::load_config(path);
    if (sharing) config.generator_heads = 1, config.embedding_sharing = *sharing;
    return config;
  }

  Pool pool_{2};
  model::TrainingNetwork network_;
  train::Optimizer optimizer_;
};

void check(double found, const json::Value& step, std::string_view name) {
  const double wanted = step.find(name).value().number();
  CHECK_MESSAGE(std::abs(found - wanted) <= 1e-5 * std::max(1.0, wanted), name, " is ", found, ", not ",
                wanted);
}

examples::Step joint_step(const std::vector<TrainingRecord>& records) {
  examples::Step step;
  for (size_t first = 0; first < records.size(); first += 2) {  // micro-batches of two
    auto& batch = step.batches.emplace_back();
    for (size_t i = first; i < first + 2; ++i) {
      auto example = std::make_unique<examples::PretrainExample>();
      example->ids = records[i].input_ids;
      example->types = records[i].token_type_ids;
      example->positions = records[i].masked_lm_positions;
      example->gold = records[i].masked_lm_ids;
      example->chance = Random(i);
      batch.add(std::move(example), i);
    }
  }
  return step;
}

void check_gradients(nn::Params& found, const model::Config& config, const std::string& path) {
  const auto file = ckpt::Checkpoint::open_file(path);
  std::map<std::string, std::vector<float>> wanted;
  double squares = 0;
  for (const auto& tensor : file.tensors()) {
    auto& values =
        wanted[tensor.name.starts_with(model::kGeneratorPrefix)
                   ? model::name_in_generator(
                         ckpt::canonical_name(tensor.name.substr(model::kGeneratorPrefix.size())), config)
                   : ckpt::canonical_name(tensor.name)];
    values.resize(static_cast<size_t>(tensor.count()));
    ckpt::to_f32(tensor, values);
    squares += std::pow(norm_of(std::span<const float>(values)), 2);
  }
  const auto& entries = found.layout().entries();
  CHECK(entries.size() == wanted.size());
  for (size_t place = 0; place < entries.size(); ++place) {
    INFO(entries[place].name);
    REQUIRE(wanted.contains(entries[place].name));
    const auto ours = found.tensor(static_cast<int>(place));
    CHECK(gradient_share(ours, wanted.at(entries[place].name), std::sqrt(squares)) <= 1);
  }
}

}  // namespace

TEST_CASE("20 steps of masked language modeling match transformers for all types") {
  const Curves curves;
  int types = 0;
  for (const auto& type : model::model_types()) {
    const auto steps = curves.file.find("curves").value().find(type.name);
    if (!steps) continue;  // bert: see curve_test.cpp
    ++types;
    Training training((directory() / "types" / (std::string(type.name) + "-fill")).string(),
                      {model::head_of(task::Task::fill)});
    size_t number = 0;
    for (const json::Value& step : steps->elements()) {
      INFO(type.name, ", step ", number);
      const auto losses =
          run_step(training.network(), {curves.step(number++)}, model::TrainingNetwork::Keep::activations);
      check(losses.total(), step, "loss");
      check(training.norm(), step, "norm");
      training.update();
    }
    CHECK(number == 20);
  }
  CHECK(types + 2 == std::ssize(model::model_types()));  // without bert and new, another name of gte
}

namespace {

// By es, the tables of the embeddings are one tensor for both, so their gradient is the sum.
void check_joint(const Curves& curves, const std::string& folder,
                 const std::pair<std::string_view, model::EmbeddingSharing>& sharing) {
  const auto path = (directory() / folder).string();
  const auto suffix = "-" + std::string(sharing.first);
  CAPTURE(suffix);
  Training training(path, {model::head_of(task::Task::replaced)}, sharing.second);
  REQUIRE(training.network().generator() != nullptr);
  CHECK(training.network().generator()->load(ckpt::Checkpoint::open(path + "/generator")).empty());
  training.network().refresh();
  train::ReplacedLearning learner(training.network(), {}, 41, train::Learner::Keep::activations);
  const auto steps = curves.file.find("curves").value().find(folder + suffix).value();
  size_t number = 0;
  for (const json::Value& step : steps.elements()) {
    INFO("step ", number);
    const auto values = learner.learn(joint_step(curves.step(number++)), {});
    check(values.front().value, step, "loss");
    check(std::ranges::find(values, "mlm_loss", &metric::Value::name)->value, step, "mlm_loss");
    check(training.norm(), step, "norm");
    if (number == 1)
      check_gradients(training.network().gradients(), training.network().config(),
                      path + "/gradients" + suffix + ".safetensors");
    training.update();
  }
  CHECK(number == 20);
}

}  // namespace

TEST_CASE("20 steps of a generator and a discriminator match transformers") {
  const Curves curves;
  for (const std::string folder : {"joint", "joint-deberta"}) {
    CAPTURE(folder);
    for (const auto& sharing : model::kEmbeddingSharings) check_joint(curves, folder, sharing);
  }
}

}  // namespace bert::golden
