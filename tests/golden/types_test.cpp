// The types of models against transformers, in the directories that make_types.py writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "base/pool.h"
#include "ckpt/names.h"
#include "model/config_json.h"
#include "model/network.h"
#include "model/save.h"
#include "model/stored_tensors.h"
#include "model/training_network.h"
#include "training.h"

namespace bert::golden {
namespace {

std::vector<std::string> type_directories() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory() / "types"))
    paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

struct Expected {
  ckpt::Checkpoint file;

  explicit Expected(const std::string& path)
      : file(ckpt::Checkpoint::open_file(path + "/expected.safetensors")) {}
  std::vector<float> numbers(const std::string& name) const {
    const auto& tensor = *file.find(name);
    std::vector<float> values(static_cast<size_t>(tensor.count()));
    ckpt::to_f32(tensor, values);
    return values;
  }
  std::vector<int32_t> integers(const std::string& name) const {
    const auto& data = file.find(name)->data;
    std::vector<int32_t> values(data.size() / sizeof(int32_t));
    std::memcpy(values.data(), data.data(), data.size());
    return values;
  }
  nn::Batch batch() const {
    const auto ids = integers("input_ids"), types = integers("token_type_ids"), offsets = integers("offsets");
    nn::Batch batch;
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      batch.add(std::span(ids).subspan(offsets[i], offsets[i + 1] - offsets[i]),
                std::span(types).subspan(offsets[i], offsets[i + 1] - offsets[i]));
    return batch;
  }
};

// The largest error of a row, relative to the row.
double error_of(const nn::Tensor& actual, const std::vector<float>& truth) {
  if (actual.rows() * actual.cols() != std::ssize(truth)) return std::numeric_limits<double>::infinity();
  Array array{.rows = actual.rows(), .width = actual.cols(), .values = truth};
  std::vector<float> flat;
  for (int64_t row = 0; row < actual.rows(); ++row)
    flat.insert(flat.end(), actual.values(row).begin(), actual.values(row).end());
  return array.error(flat);
}

std::vector<float> transposed(std::span<const float> values, int64_t rows, int64_t cols) {
  std::vector<float> result;
  for (int64_t col = 0; col < cols; ++col)
    for (int64_t row = 0; row < rows; ++row) result.push_back(values[row * cols + col]);
  return result;
}

// The same for the columns: answers and choices are selected among the rows, and a head for replaced tokens
// has one column, so a single logit near 0 says nothing by itself.
double error_of_columns(const nn::Tensor& actual, const std::vector<float>& truth) {
  if (actual.rows() * actual.cols() != std::ssize(truth)) return std::numeric_limits<double>::infinity();
  std::vector<float> flat;
  for (int64_t row = 0; row < actual.rows(); ++row)
    flat.insert(flat.end(), actual.values(row).begin(), actual.values(row).end());
  const Array array{.rows = actual.cols(),
                    .width = actual.rows(),
                    .values = transposed(truth, actual.rows(), actual.cols())};
  return array.error(transposed(flat, actual.rows(), actual.cols()));
}

const model::Head* head_in(const model::Config& config) {
  for (const auto& head : model::heads())
    if (has_head(config, head)) return &head;
  return nullptr;
}

std::vector<int64_t> rows_of(const model::Head& head, const model::Config& config, const nn::Batch& batch,
                             const Expected& expected) {
  if (head.reads == model::Reads::sequences) return model::pooled_rows(config, batch);
  std::vector<int64_t> rows(static_cast<size_t>(batch.tokens()));
  std::iota(rows.begin(), rows.end(), 0);
  if (&head != model::head_of(task::Task::fill)) return rows;
  const auto positions = expected.integers("positions");
  return {positions.begin(), positions.end()};
}

void check_attention(model::Network& network, const Expected& expected) {
  if (expected.file.find("attention.1.0") == nullptr) return;
  std::vector<int> layers(static_cast<size_t>(network.config().layers));
  std::iota(layers.begin(), layers.end(), 1);
  const auto weights = network.attention(expected.batch(), layers);
  for (const int layer : layers)
    for (size_t sequence = 0; sequence < weights.front().size(); ++sequence) {
      const auto name = "attention." + std::to_string(layer) + "." + std::to_string(sequence);
      const auto truth = expected.numbers(name);
      const auto& found = weights[static_cast<size_t>(layer) - 1][sequence];
      REQUIRE(found.size() == truth.size());
      double most = 0;
      for (size_t i = 0; i < truth.size(); ++i) most = std::max(most, std::abs(double{found[i]} - truth[i]));
      CHECK_MESSAGE(most <= 2e-6, name, " is off by ", most);
    }
}

bool same_bits(const nn::Tensor& a, const nn::Tensor& b) {
  bool same = a.rows() == b.rows() && a.cols() == b.cols();
  for (int64_t row = 0; same && row < a.rows(); ++row)
    same = std::ranges::equal(a.values(row), b.values(row));
  return same;
}

// The queries, keys and values of the last layer are the same, and so are the gradients of a loss that reads
// them, whether the rest of the layer is computed or not.
void check_projections(const std::string& path, const model::Config& config, const Expected& expected,
                       Pool& pool) {
  using Network = model::TrainingNetwork;
  const auto batch = expected.batch();
  Network networks[] = {Network(config, {}, pool), Network(config, {}, pool)};
  const Network::Through through[] = {Network::Through::projected, Network::Through::output};
  for (size_t i = 0; i < 2; ++i) {
    auto& network = networks[i];
    REQUIRE(network.load(ckpt::Checkpoint::open(path)).empty());
    network.refresh();
    network.clear_gradients();
    network.forward_layers(batch, through[i], nullptr, Network::Keep::activations);
    auto& gradient = network.projected_gradient(config.layers);
    const auto& x = network.projected(config.layers);
    for (int64_t row = 0; row < x.rows(); ++row) std::ranges::copy(x.values(row), gradient.row(row));
  }
  CHECK(same_bits(networks[0].projected(config.layers), networks[1].projected(config.layers)));
  for (auto& network : networks) network.backward();
  const auto& entries = networks[0].gradients().layout().entries();
  const double all = norm_of(std::span<const float>(std::as_const(networks[1].gradients()).all()));
  for (size_t place = 0; place < entries.size(); ++place) {
    INFO(entries[place].name);
    const auto truth = networks[1].gradients().tensor(static_cast<int>(place));
    CHECK(gradient_share(networks[0].gradients().tensor(static_cast<int>(place)),
                         {truth.begin(), truth.end()}, all) <= 1);
  }
}

void check_logits(const std::string& path, const model::Config& config, const Expected& expected,
                  Pool& pool) {
  const auto* head = head_in(config);
  if (head == nullptr) return;
  model::Network network(config, ckpt::Checkpoint::open(path), {.heads = {head}}, pool);
  const auto batch = expected.batch();
  auto rows = rows_of(*head, config, batch, expected);
  const auto logits = network.logits(network.head_input(batch, std::move(rows)));
  using enum task::Task;
  const model::Head* const single[] = {model::head_of(answer), model::head_of(choose),
                                       model::head_of(replaced)};
  const bool among_rows = std::ranges::find(single, head) != std::end(single);
  const double error = (among_rows ? error_of_columns : error_of)(logits, expected.numbers("logits"));
  // In some rows the logits nearly cancel.
  const bool has_error = expected.file.find("f32_error") != nullptr;
  const double bound = has_error ? std::max(5e-6, 2.0 * expected.numbers("f32_error").front()) : 5e-6;
  CHECK_MESSAGE(error <= bound, "logits are off by ", error);
}

// Runs a step; returns the loss.
double run(model::TrainingNetwork& network, const model::Head& head, const nn::Batch& batch,
           const Expected& expected, std::span<const int64_t> rows) {
  network.clear_gradients();
  network.forward(batch, rows, nullptr, model::TrainingNetwork::Keep::activations);
  if (&head == model::head_of(task::Task::fill)) {
    const auto loss = network.masked_lm(rows, expected.integers("gold"), 1.0f / std::size(rows));
    return loss.sum / static_cast<double>(loss.count);
  }
  auto& logits = network.logits(rows);
  if (&head == model::head_of(task::Task::replaced)) {
    const auto labels = expected.integers("labels");
    const std::vector<float> targets(labels.begin(), labels.end());
    const auto loss = nn::logistic_loss(targets, 50.0f / std::size(targets), logits);
    network.logits_gradient(logits);
    return 50 * loss.mean();
  }
  const auto coefficients = expected.numbers("coefficients");
  nn::Tensor gradient(logits.rows(), logits.cols());
  double loss = 0;
  for (int64_t row = 0; row < logits.rows(); ++row)
    for (int64_t column = 0; column < logits.cols(); ++column) {
      const float factor = coefficients[row * logits.cols() + column];
      gradient.row(row)[column] = factor;
      loss += double{factor} * logits.row(row)[column];
    }
  network.logits_gradient(gradient);
  return loss;
}

void check_training(const std::string& path, const model::Config& config, const Expected& expected,
                    Pool& pool) {
  const auto* head = head_in(config);
  if (head == nullptr) return;
  model::TrainingNetwork network(config, {head}, pool);
  REQUIRE(network.load(ckpt::Checkpoint::open(path)).empty());
  network.refresh();
  const auto batch = expected.batch();
  const double loss = run(network, *head, batch, expected, rows_of(*head, config, batch, expected));
  network.backward();
  const double truth = expected.numbers("loss").front();
  CHECK(std::abs(loss - truth) <= 1e-5 * std::max(1.0, std::abs(truth)));

  std::map<std::string, std::vector<float>> gradients;
  double squares = 0;
  for (const auto& tensor : expected.file.tensors()) {
    if (!tensor.name.starts_with("grad.")) continue;
    const auto numbers = expected.numbers(tensor.name);
    squares += std::pow(norm_of(std::span(numbers)), 2);
    const auto name = ckpt::canonical_name(tensor.name.substr(5));
    gradients[name == "cls.predictions.decoder.weight" ? std::string(ckpt::kWordEmbeddings) : name] = numbers;
  }
  auto& found = network.gradients();
  const auto& entries = found.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    INFO(entries[place].name);
    REQUIRE(gradients.contains(entries[place].name));
    const auto ours = found.tensor(static_cast<int>(place));
    CHECK(gradient_share(ours, gradients.at(entries[place].name), std::sqrt(squares)) <= 1);
  }
}

}  // namespace

TEST_CASE("models of all types have the hidden states, logits and gradients of transformers") {
  Pool pool(2);
  for (const auto& path : type_directories()) {
    CAPTURE(path);
    const auto config = model::load_config(path);
    const Expected expected(path);
    model::Network network(config, ckpt::Checkpoint::open(path), {}, pool);
    std::vector<int> layers(static_cast<size_t>(config.layers) + 1);
    std::iota(layers.begin(), layers.end(), 0);
    const auto hidden = network.hidden(expected.batch(), {.layers = layers, .rows = {}});
    for (size_t layer = 0; layer < hidden.size(); ++layer) {
      const double error = error_of(hidden[layer], expected.numbers("hidden." + std::to_string(layer)));
      CHECK_MESSAGE(error <= 2e-6, "layer ", layer, " is off by ", error);
    }
    check_attention(network, expected);
    check_projections(path, config, expected, pool);
    check_logits(path, config, expected, pool);
    check_training(path, config, expected, pool);
  }
}

TEST_CASE("a row of any type has the same bits alone, among selected rows, and for 1 and 3 threads") {
  Pool one(1), three(3);
  for (const auto& path : type_directories()) {
    CAPTURE(path);
    const auto config = model::load_config(path);
    const auto batch = Expected(path).batch();
    const int last = static_cast<int>(config.layers);
    model::Network network(config, ckpt::Checkpoint::open(path), {}, one);
    model::Network other(config, ckpt::Checkpoint::open(path), {}, three);
    const auto states = network.hidden(batch, {.layers = {last}, .rows = {}});
    const nn::Tensor& all = states.front();
    std::vector<int64_t> rows;
    for (int64_t row = batch.tokens() % 3; row < batch.tokens(); row += 1 + row % 7) rows.push_back(row);
    const auto selected = other.hidden(batch, {.layers = {last}, .rows = rows});
    const nn::Tensor& some = selected.front();
    bool same = true;
    for (size_t i = 0; i < rows.size(); ++i)
      same &= std::ranges::equal(some.values(static_cast<int64_t>(i)), all.values(rows[i]));
    CHECK(same);
    for (int64_t i = 0; i < batch.sequences(); ++i) {
      nn::Batch alone;
      const auto begin = static_cast<size_t>(batch.offsets[i]), length = static_cast<size_t>(batch.length(i));
      alone.add(std::span(batch.ids).subspan(begin, length), std::span(batch.types).subspan(begin, length));
      const auto own = other.hidden(alone, {.layers = {last}, .rows = {}});
      const nn::Tensor& its = own.front();
      for (int64_t row = 0; row < its.rows(); ++row)
        same &= std::ranges::equal(its.values(row), all.values(batch.offsets[i] + row));
    }
    CHECK(same);
  }
}

TEST_CASE("models of all types are written with the names they were read with") {
  for (const auto& path : type_directories()) {
    CAPTURE(path);
    const auto config = model::load_config(path);
    const auto file = ckpt::Checkpoint::open_file(path + "/model.safetensors");
    for (const auto& tensor : file.tensors()) {
      if (tensor.name.find("decoder.bias") != std::string::npos) continue;  // another name of bias
      CHECK(model::stored_name(config, ckpt::canonical_name(tensor.name)) == tensor.name);
    }
    const auto again = model::parse_config("config.json", model::config_json(config));
    CHECK(again.type == config.type);
    CHECK(again.hidden == config.hidden);
    CHECK(again.layers == config.layers);
    CHECK(again.heads == config.heads);
    CHECK(again.feed_forward == config.feed_forward);
    CHECK(again.positions == config.positions);
    CHECK(again.first_position == config.first_position);
    CHECK(again.types == config.types);
    CHECK(again.embedding == config.embedding);
    CHECK(again.layer_groups == config.layer_groups);
    CHECK(again.bias_rows == config.bias_rows);
    CHECK(again.activation == config.activation);
    CHECK(again.hidden_dropout == config.hidden_dropout);
    CHECK(again.attention_dropout == config.attention_dropout);
    CHECK(again.classifier_dropout == config.classifier_dropout);
  }
}

}  // namespace bert::golden
