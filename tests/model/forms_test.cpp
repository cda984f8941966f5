// A network computes the same bits from every weight format.
#include <doctest/doctest.h>

#include "golden/golden.h"
#include "model/directory.h"
#include "model/network.h"
#include "model/training_network.h"

using namespace bert;
using namespace bert::model;

namespace {

Directory open_form(const char* form) {
  return open_directory((golden::directory() / "checkpoints" / form).string());
}

// The last hidden states and the logits of the masked-LM head.
std::vector<float> computed(const char* form) {
  Pool pool(2);
  const auto directory = open_form(form);
  const auto network_with = [&](task::Task task) {
    return Network(directory, {.heads = {head_of(task)}}, pool);
  };
  auto network = network_with(task::Task::fill);
  const std::vector<int32_t> ids = {2, 50, 4, 70, 3}, types = {0, 0, 0, 1, 1};
  nn::Batch batch;
  batch.add(ids, types);
  const std::vector<int> layers = {1};
  const auto hidden = std::move(network.hidden(batch, {.layers = layers})[0]);
  const auto logits = network.logits(hidden);
  const auto next = network_with(task::Task::next).logits(hidden);
  std::vector<float> numbers;
  for (const auto* tensor : {&hidden, &logits, &next}) {
    for (int64_t row = 0; row < tensor->rows(); ++row) {
      numbers.insert(numbers.end(), tensor->values(row).begin(), tensor->values(row).end());
    }
  }
  return numbers;
}

}  // namespace

TEST_CASE("a network computes the same from every weight format") {
  const auto expected = computed("safetensors");
  CHECK(expected.size() == 5 * (8 + 245 + 2));
  for (const auto* form : {"zip", "stream", "shards", "tensorflow"}) {
    CAPTURE(form);
    CHECK(computed(form) == expected);
  }
}

TEST_CASE("training starts with the same weights from every weight format") {
  Pool pool(2);
  const auto loaded = [&](const char* form) {
    const auto directory = open_form(form);
    TrainingNetwork network(directory.config, {}, pool);
    CHECK(network.load(ckpt::Checkpoint::open(directory.path)).empty());
    const auto numbers = network.parameters().all();
    return std::vector<float>(numbers.begin(), numbers.end());
  };
  const auto expected = loaded("safetensors");
  for (const auto* form : {"zip", "stream", "shards", "tensorflow"}) {
    CAPTURE(form);
    CHECK(loaded(form) == expected);
  }
}
