#include "nn/rank_losses.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "json/json.h"
#include "training.h"

namespace bert::golden {

TEST_CASE("losses of rankers and their gradients match PyTorch's in float64") {
  const json::File index((training_directory() / "rank.json").string());
  std::set<std::string_view> names;
  for (const auto& json : index.find("cases").value().elements()) {
    const auto numbers = [&](const char* key) {
      std::vector<double> found;
      for (const auto& number : json.find(key).value().elements()) found.push_back(number.number());
      return found;
    };
    const std::string name(json.find("loss").value().string());
    const auto entry = std::ranges::find(nn::kRankLosses, name, &nn::RankLossName::name);
    names.insert(entry->name);
    const auto wide = numbers("y");
    const std::vector<float> y(wide.begin(), wide.end());
    INFO(name, " of ", y.size());
    const auto rated = nn::rank_loss(entry->loss, numbers("x"), y, json.find("temperature").value().number());
    CHECK(nn::rank_count(entry->loss, y) == json.find("count").value().integer());
    CHECK(rated.loss == doctest::Approx(json.find("value").value().number()).epsilon(1e-9));
    const auto expected = numbers("gradient");
    REQUIRE(rated.gradient.size() == expected.size());
    for (size_t k = 0; k < expected.size(); ++k) CHECK(std::abs(rated.gradient[k] - expected[k]) <= 1e-9);
  }
  CHECK(names.size() == std::size(nn::kRankLosses));
}

TEST_CASE("the rows of the table of ranking losses are in the order of their names") {
  for (const auto& entry : nn::kRankLosses) CHECK(nn::entry(entry.loss).name == entry.name);
}

TEST_CASE("lists that teach nothing have no loss and no gradient") {
  using enum nn::RankLoss;
  const std::vector<double> one = {2}, two = {1, -1};
  const std::vector<float> label = {1}, equal = {1, 1}, none = {0, 0};
  for (const auto loss : {softmax, listnet, kl, margin_mse, lambda}) {
    const auto rated = nn::rank_loss(loss, one, label, 1);
    CHECK(nn::rank_count(loss, label) == 0);
    CHECK(rated.loss == 0);
    CHECK(rated.gradient == std::vector<double>{0});
  }
  CHECK(nn::rank_count(lambda, equal) == 0);
  CHECK(nn::rank_count(softmax, none) == 0);
}

}  // namespace bert::golden
