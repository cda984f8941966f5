// Optimizers that own parts of one model, as the processes of a run do, give the bits of one that owns all.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/written_files.h"
#include "model/parts.h"
#include "train/optimizer.h"
#include "train/training_checkpoint.h"

using namespace bert;
using namespace bert::train;

namespace {

constexpr double kRate = 1e-3, kScale = 0.7;
constexpr int64_t kFrozen = 1;  // encoder layers

// The matrices span several slices; not all tensors end at a multiple of 64.
nn::Layout make_layout() {
  nn::Layout layout;
  layout.add_plain("embeddings.word_embeddings.weight", {300, 701});
  layout.add_plain("embeddings.LayerNorm.bias", {24});
  layout.add_matrix("encoder.layer.0.output.dense.weight", 257, 512);
  layout.add_plain("encoder.layer.0.output.dense.bias", {257});
  layout.add_matrix("encoder.layer.1.output.dense.weight", 300, 701);
  layout.add_plain("encoder.layer.1.output.LayerNorm.weight", {31});
  layout.add_plain("cls.predictions.bias", {300});
  layout.add_matrix("cls.predictions.transform.dense.weight", 100, 70);
  return layout;
}
const nn::Layout kLayout = make_layout();
const std::vector<Slice> kSlices = slices_of(kLayout);

nn::Params random_params(uint32_t seed, float deviation) {
  nn::Params params(kLayout);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  for (size_t place = 0; place < kLayout.entries().size(); ++place) {
    for (float& number : params.tensor(static_cast<int>(place))) number = normal(random);
  }
  return params;
}

// The gradients of ten steps.
const nn::Params& gradients_of(size_t step) {
  static const auto all = [] {
    std::vector<nn::Params> gradients;
    for (uint32_t seed = 1; seed <= 10; ++seed)
      gradients.push_back(random_params(seed, 0.01f * static_cast<float>(seed)));
    return gradients;
  }();
  return all[step];
}

void copy_numbers(const nn::Params& from, nn::Params& to) { std::ranges::copy(from.all(), to.all().begin()); }

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::span<const float> numbers_of(const nn::Params& params, const Slice& slice) {
  return params.all().subspan(static_cast<size_t>(slice.start), static_cast<size_t>(slice.count));
}

struct NamedConfig {
  std::string name;
  OptimizerConfig config;
};

std::vector<NamedConfig> configs() {
  std::vector<NamedConfig> all;
  for (const auto& [name, method] : kMethods) {
    const OptimizerConfig config = {.method = method, .layer_decay = 0.8};
    all.push_back({std::string(name), config});
    all.push_back({std::string(name) + ", frozen", config});
    all.back().config.frozen = kFrozen;
  }
  return all;
}

// For each owner, the slices that it owns.
struct Sharing {
  std::string name;
  std::vector<std::vector<bool>> owned;
};

template <class OwnerOf>
Sharing shared_by(std::string name, size_t owners, const OwnerOf& owner_of) {
  Sharing sharing = {std::move(name), std::vector(owners, std::vector<bool>(kSlices.size()))};
  for (size_t i = 0; i < kSlices.size(); ++i) sharing.owned[owner_of(i)][i] = true;
  return sharing;
}

std::vector<Sharing> sharings() {
  const size_t count = kSlices.size();
  return {shared_by("one of one", 1, [](size_t) { return 0; }),
          shared_by("two in turn", 2, [](size_t i) { return i % 2; }),
          shared_by("three in turn", 3, [](size_t i) { return i % 3; }),
          shared_by("three in a row", 3, [=](size_t i) { return i * 3 / count; }),
          shared_by("two, one of them idle", 2, [](size_t) { return 1; })};
}

// One optimizer that owns all.
struct One {
  explicit One(const OptimizerConfig& config) : optimizer(kLayout, config) {}
  void step(size_t number, nn::Context& context) {
    optimizer.step(params, gradients_of(number), kRate, kScale, context);
  }

  nn::Params params = random_params(0, 0.02f);
  Optimizer optimizer;
};

// Optimizers and parameters of several owners.
class Owners {
 public:
  Owners(const OptimizerConfig& config, const Sharing& sharing) {
    for (const auto& owned : sharing.owned) {
      optimizers_.emplace_back(kLayout, config, owned);
      params_.push_back(random_params(0, 0.02f));
    }
  }

  void step(size_t number, nn::Context& context) {
    copy_numbers(params_[0], before_);
    sums_.assign(kSlices.size(), {});
    step_from(0, number, context);
    exchange();
  }

  const nn::Params& params() const { return params_[0]; }
  size_t size() const { return optimizers_.size(); }
  const Moments& moments(size_t owner) const { return optimizers_[owner].state().moments; }
  int64_t steps(size_t owner) const { return optimizers_[owner].state().steps; }

  void read(Moment moment, int tensor, std::span<float> to) const {
    std::ranges::fill(to, 0.0f);
    for (size_t i = 0; i < kSlices.size(); ++i) {
      for (size_t owner = 0; owner < size() && kSlices[i].tensor == tensor; ++owner) {
        if (!moments(owner).holds(i)) continue;
        const auto part = part_of(to, kSlices[i]);
        std::ranges::copy(moments(owner).slice(moment, i).first(part.size()), part.begin());
      }
    }
  }
  void fill(const TrainingCheckpoint& checkpoint) {
    for (auto& params : params_) checkpoint.fill(params);
    for (auto& optimizer : optimizers_) checkpoint.fill(optimizer.state());
  }

 private:
  // Steps this owner and those after it. LAMB's sums are complete when the last owner has added its own, so
  // each owner is stepped while the one before it waits for them.
  void step_from(size_t owner, size_t number, nn::Context& context) {
    if (owner == size()) return;
    bool has_stepped_others = false;
    const auto complete = [&](std::span<nn::SquareSums> sums) {
      REQUIRE(sums.size() == kSlices.size());
      for (size_t i = 0; i < sums.size(); ++i) {
        if (!moments(owner).holds(i)) CHECK(sums[i].p + sums[i].r == 0);
        if (moments(owner).holds(i)) sums_[i] = sums[i];
      }
      step_from(owner + 1, number, context);
      has_stepped_others = true;
      std::ranges::copy(sums_, sums.begin());
    };
    optimizers_[owner].step(params_[owner], gradients_of(number), kRate, kScale, context, complete);
    if (!has_stepped_others) step_from(owner + 1, number, context);
  }

  // Gives each owner the slices that others have updated.
  void exchange() {
    copy_numbers(before_, after_);
    for (size_t i = 0; i < kSlices.size(); ++i) {
      for (size_t owner = 0; owner < size(); ++owner) {
        const auto numbers = numbers_of(params_[owner], kSlices[i]);
        if (moments(owner).holds(i)) {
          std::ranges::copy(numbers, after_.all().begin() + kSlices[i].start);
        } else {
          CHECK_MESSAGE(same_bits(numbers, numbers_of(before_, kSlices[i])), "slice ", i, " is not its own");
        }
      }
    }
    for (auto& params : params_) copy_numbers(after_, params);
  }

  std::vector<Optimizer> optimizers_;
  std::vector<nn::Params> params_;
  nn::Params before_{kLayout}, after_{kLayout};
  std::vector<nn::SquareSums> sums_;
};

void check_same(const Owners& owners, const One& one) {
  CHECK(same_bits(owners.params().all(), one.params.all()));
  for (size_t owner = 0; owner < owners.size(); ++owner)
    CHECK(owners.steps(owner) == one.optimizer.state().steps);
  for (const Moment moment : {Moment::m, Moment::v}) {
    for (int place = 0; const auto& entry : kLayout.entries()) {
      std::vector<float> found(static_cast<size_t>(entry.count()), -1.0f), expected(found);
      owners.read(moment, place, found);
      one.optimizer.state().moments.read(moment, place, expected);
      CHECK_MESSAGE(same_bits(found, expected), entry.name, moment == Moment::m ? ": m" : ": v");
      ++place;
    }
  }
}

struct QuietLog : Log {
  QuietLog() : Log("test", Level::quiet) {}
};

WriteModel write_model(const nn::Params& params) {
  return [&](OutputDirectory& output) {
    std::vector<ckpt::TensorToWrite> tensors;
    for (int place = 0; const auto& entry : kLayout.entries()) {
      tensors.push_back({.name = "bert." + entry.name,
                         .shape = entry.shape,
                         .data = std::as_bytes(params.tensor(place++))});
    }
    return ckpt::write_safetensors(output.file("model.safetensors"), tensors);
  };
}

}  // namespace

TEST_CASE("any number of owners computes the bits of one owner") {
  Pool pool(2);
  nn::Context context(pool);
  for (const auto& named : configs()) {
    const auto& config = named.config;
    for (const auto& sharing : sharings()) {
      INFO(named.name, ", ", sharing.name);
      One one(config);
      Owners owners(config, sharing);
      for (size_t number = 0; number < 5; ++number) {
        one.step(number, context);
        owners.step(number, context);
        check_same(owners, one);
      }
    }
  }
}

TEST_CASE("LAMB adds the sums of a tensor's slices in order") {
  Pool pool(2);
  nn::Context context(pool);
  const auto change = [&](const std::vector<nn::SquareSums>& of_first) {
    One one({.method = Method::lamb});
    const float before = one.params.all()[0];
    one.optimizer.step(one.params, gradients_of(0), kRate, kScale, context,
                       [&](std::span<nn::SquareSums> sums) { std::ranges::copy(of_first, sums.begin()); });
    return one.params.all()[0] - before;
  };
  REQUIRE(kSlices[3].tensor == 0);
  const float expected = change({{4, 1}, {}, {}, {}});
  CHECK(expected == doctest::Approx(2 * change({{1, 1}, {}, {}, {}})).epsilon(1e-4));
  CHECK(change({{1e300, 1}, {-1e300, 0}, {4, 0}, {}}) == expected);  // from the end, 4 would be lost
}

TEST_CASE("a checkpoint of several owners equals that of one, and any number of owners resumes from it") {
  Pool pool(2);
  nn::Context context(pool);
  QuietLog log;
  for (const auto& named : configs()) {
    INFO(named.name);
    const auto& config = named.config;
    One one(config);
    std::vector<Owners> all;
    for (const auto& sharing : sharings()) all.emplace_back(config, sharing);
    for (size_t number = 0; number < 5; ++number) {
      one.step(number, context);
      for (auto& owners : all) owners.step(number, context);
    }
    const Folder folder;
    const State state = {.step = 5, .optimizer_step = one.optimizer.state().steps};
    Checkpoints expected(folder.path("one"), 1, log), found(folder.path("several"), 1, log);
    const auto path = expected.write(state, write_model(one.params), one.optimizer.state().moments);
    for (auto& owners : all) {
      std::vector<std::string> order;
      const auto other = found.write(state, write_model(owners.params()), kLayout,
                                     [&](Moment moment, int tensor, std::span<float> to) {
                                       order.push_back((moment == Moment::m ? "m " : "v ") +
                                                       kLayout.entries()[static_cast<size_t>(tensor)].name);
                                       owners.read(moment, tensor, to);
                                     });
      CHECK(order.size() == 2 * kLayout.entries().size());
      CHECK(std::ranges::is_sorted(order));
      for (const char* file : {"/model.safetensors", "/optimizer.safetensors", "/state.json"})
        CHECK_MESSAGE(read_file(other + file) == read_file(path + file), file);
    }
    std::vector<Owners> resumed;
    for (const auto& sharing : sharings()) resumed.emplace_back(config, sharing);
    for (auto& owners : resumed) owners.fill(*found.last());
    for (size_t number = 5; number < 10; ++number) {
      one.step(number, context);
      for (auto& owners : resumed) owners.step(number, context);
    }
    for (const auto& owners : resumed) check_same(owners, one);
  }
}

TEST_CASE("an owner has memory for the moments of the slices that it trains, and no other") {
  for (const auto& named : configs()) {
    const auto& config = named.config;
    for (const auto& sharing : sharings()) {
      INFO(named.name, ", ", sharing.name);
      const Owners owners(config, sharing);
      size_t total = 0, trained = 0;
      for (size_t owner = 0; owner < owners.size(); ++owner) {
        size_t own = 0;
        for (size_t i = 0; i < kSlices.size(); ++i) {
          const auto& entry = kLayout.entries()[static_cast<size_t>(kSlices[i].tensor)];
          if (config.frozen && model::is_frozen(entry.name, *config.frozen)) continue;
          if (owner == 0) trained += static_cast<size_t>(kSlices[i].count);
          if (sharing.owned[owner][i]) own += static_cast<size_t>(kSlices[i].count);
        }
        CHECK(owners.moments(owner).all(Moment::m).size() == own);
        CHECK(owners.moments(owner).all(Moment::v).size() == own);
        total += own;
      }
      CHECK(total == trained);
      CHECK((total < owners.params().all().size()) == config.frozen.has_value());
    }
  }
}
