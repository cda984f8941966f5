// Breakdown of the time of a pre-training step with random weights and ids: its parts, and its weight
// products compared with the same products in oneDNN.
//
//   step_bench base|mini SEQUENCES LENGTH THREADS [TURNS]        OMP_WAIT_POLICY=PASSIVE
//
// All three run in turn; medians are reported. "Products" is the work of Linear and of the vocabulary decoder
// in a step, biases and packing of inputs included, run separately. The rest is the remaining time of a step:
// attention, layer normalization, activations, dropout, loss, optimizer. Bare is oneDNN's matmul with the
// same shapes and counts, on operands that are already packed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "matmul.h"
#include "model/initialize.h"
#include "model/training_network.h"
#include "nn/linear.h"
#include "nn/tied_decoder.h"
#include "train/optimizer.h"

// From the OpenMP library that oneDNN uses. Compilers keep its header in different places.
extern "C" void omp_set_num_threads(int);

using namespace bert;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int64_t kPredictions = 20;  // masked tokens per sequence

double seconds_of(const std::function<void()>& run) {
  const auto start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

model::Config config_of(const std::string& shape) {
  model::Config config;
  if (shape == "mini") {
    config.layers = 4;
    config.hidden = 256;
    config.heads = 4;
    config.feed_forward = 1024;
  }
  return config;
}

struct Instances {
  nn::Batch batch;
  std::vector<int64_t> hidden, wanted;  // rows: masked tokens, and these with [CLS]
  std::vector<int32_t> gold, next;

  Instances(int64_t sequences, int64_t length) {
    std::mt19937 random(2);
    for (int64_t i = 0; i < sequences; ++i) {
      std::vector<int32_t> ids(static_cast<size_t>(length)), types(ids.size());
      for (auto& id : ids) id = static_cast<int32_t>(1000 + random() % 29000);
      const int64_t first = batch.tokens();
      batch.add(ids, types);
      wanted.push_back(first);
      for (int64_t k = 0; k < kPredictions; ++k) {
        hidden.push_back(first + 1 + k * (length - 1) / kPredictions);
        wanted.push_back(hidden.back());
        gold.push_back(static_cast<int32_t>(1000 + random() % 29000));
      }
      next.push_back(static_cast<int32_t>(random() % 2));
    }
  }
};

// A step as in train::Trainer.
class Step {
 public:
  using Seconds = std::map<std::string, double>;

  Step(const model::Config& config, const Instances& instances, Pool& pool)
      : instances_(instances),
        network_(config, {model::head_of(task::Task::fill), model::head_of(task::Task::next)}, pool),
        optimizer_(network_.parameters().layout(), {}) {
    model::initialize(network_.parameters(), config, 1, model::PositionStart::normal, pool);
    network_.refresh();
  }

  Seconds run() {
    Seconds parts;
    const nn::DropoutSeed dropout_seed = {.seed = 1, .step = step_++};
    double norm = 0;
    parts["1 clearing gradients"] = seconds_of([&] { network_.clear_gradients(); });
    parts["2 forward"] = seconds_of([&] {
      network_.forward(instances_.batch, instances_.wanted, &dropout_seed,
                       model::TrainingNetwork::Keep::activations);
    });
    parts["3 heads, both ways"] = seconds_of([&] {
      network_.masked_lm(instances_.hidden, instances_.gold,
                         1 / static_cast<float>(instances_.hidden.size()));
      network_.next_sentence(instances_.next, 1 / static_cast<float>(instances_.next.size()));
    });
    parts["4 backward"] = seconds_of([&] { network_.backward(); });
    parts["5 norm"] = seconds_of(
        [&] { norm = train::norm_of(train::square_sums(network_.gradients(), network_.context())); });
    parts["6 optimiser"] = seconds_of([&] {
      optimizer_.step(network_.parameters(), network_.gradients(), 1e-4, train::clip_factor(norm, 1),
                      network_.context());
    });
    parts["7 packing weights"] = seconds_of([&] { network_.refresh(); });
    return parts;
  }

 private:
  const Instances& instances_;
  model::TrainingNetwork network_;
  train::Optimizer optimizer_;
  uint64_t step_ = 0;
};

// y [M,N] = x [M,K]·Wᵀ, forward and both backward products.
struct Product {
  int64_t rows, outputs, inputs;
};

double flops(const std::vector<Product>& products) {
  double sum = 0;
  for (const auto& p : products) sum += 6.0 * static_cast<double>(p.rows * p.outputs * p.inputs);
  return sum;
}

// Without the decoder. In the last layer only the rows used by the heads go beyond keys and values.
std::vector<Product> layer_products(const model::Config& config, const Instances& instances) {
  const int64_t tokens = instances.batch.tokens(), h = config.hidden, f = config.feed_forward;
  std::vector<Product> products;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const bool last = layer + 1 == config.layers;
    const auto rows = last ? static_cast<int64_t>(instances.wanted.size()) : tokens;
    products.insert(products.end(), {{rows, h, h}, {tokens, h, h}, {tokens, h, h}});  // q, k, v
    products.insert(products.end(), {{rows, h, h}, {rows, f, h}, {rows, h, f}});
  }
  products.push_back({static_cast<int64_t>(instances.hidden.size()), h, h});
  products.push_back({instances.batch.sequences(), h, h});  // the pooler
  return products;
}

nn::Tensor filled(int64_t rows, int64_t cols) {
  nn::Tensor tensor(rows, cols);
  for (int64_t row = 0; row < rows; ++row) std::fill_n(tensor.row(row), cols, 0.01f);
  return tensor;
}

// The products of a step alone, each with its own weights and gradients, as in the model.
class OurProducts {
 public:
  OurProducts(const std::vector<Product>& products, const model::Config& config, const Instances& instances,
              Pool& pool)
      : products_(products),
        linears_([&] {
          std::vector<nn::Linear> linears;
          for (const auto& p : products_) {
            linears.emplace_back("product." + std::to_string(linears.size()), p.outputs, p.inputs, layout_);
          }
          return linears;
        }()),
        words_(layout_.add_plain("words", {config.vocab_size, config.hidden})),
        decoder_("decoder.bias", config.vocab_size, config.hidden, layout_),
        gold_(instances.gold),
        context_(pool),
        parameters_(layout_),
        gradients_(layout_),
        weights_(parameters_) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-0.02f, 0.02f);
    for (float& number : parameters_.all()) number = uniform(random);
    weights_.refresh(context_);
    const int64_t widest = std::max(config.hidden, config.feed_forward);
    const int64_t most = instances.batch.tokens();
    for (auto* tensor : {&x_, &dy_}) *tensor = filled(most, widest);
    top_ = filled(static_cast<int64_t>(gold_.size()), config.hidden);
  }

  // The time of all products: linear layers, and the decoder without its softmax.
  double run() {
    gradients_.clear();
    double seconds = seconds_of([&] {
      for (size_t i = 0; i < products_.size(); ++i) {
        const auto& p = products_[i];
        x_.reshape(p.rows, p.inputs);
        linears_[i].forward(context_, weights_, x_, nn::Activation::none, y_);
      }
      for (size_t i = products_.size(); i-- > 0;) {
        const auto& p = products_[i];
        x_.reshape(p.rows, p.inputs);
        dy_.reshape(p.rows, p.outputs);
        linears_[i].backward_weights(context_, weights_, x_, dy_, 0, gradients_);
        linears_[i].backward_input(context_, weights_, dy_, 0, nn::Into::replace, dx_);
      }
    });
    const nn::TiedDecoder::Gradient gradient = {
        .weight = 1, .words = gradients_.target(words_), .gradients = gradients_, .dx = dx_};
    seconds += seconds_of([&] {
      decoder_.loss(context_, weights_, parameters_.tensor(words_), top_, gold_, &gradient, workspace_);
    });
    return seconds - softmax();
  }

 private:
  double softmax() {
    nn::Tensor& logits = workspace_;  // the workspace holds the last of equal parts of the rows
    const auto gold = std::span(gold_).first(static_cast<size_t>(logits.rows()));
    const double parts = static_cast<double>(gold_.size()) / static_cast<double>(gold.size());
    return parts * seconds_of([&] { nn::softmax_loss(context_, {.gold = gold}, 1, logits); });
  }

  std::vector<Product> products_;
  nn::Layout layout_;
  std::vector<nn::Linear> linears_;
  int words_;
  nn::TiedDecoder decoder_;
  std::vector<int32_t> gold_;
  nn::Context context_;
  nn::Params parameters_, gradients_;
  nn::Weights weights_;
  nn::Tensor x_, dy_, y_, dx_, top_;
  nn::Tensor workspace_;
};

// oneDNN's matmul [M,K]·[K,N] with its own threads and weights in its preferred layout.
class BareProducts {
 public:
  BareProducts(const std::vector<Product>& products, int threads) : threads_(threads) {
    for (const auto& p : products) {
      add(p.rows, p.outputs, p.inputs);  // y = x·Wᵀ
      add(p.rows, p.inputs, p.outputs);  // dx = dy·W
      add(p.outputs, p.inputs, p.rows);  // dW = dyᵀ·x
    }
  }

  double run() {
    omp_set_num_threads(threads_);
    const double seconds = seconds_of([&] {
      for (auto& product : products_) {
        product.primitive.execute(
            stream_, {{DNNL_ARG_SRC, product.x}, {DNNL_ARG_WEIGHTS, product.w}, {DNNL_ARG_DST, product.y}});
      }
      stream_.wait();
    });
    omp_set_num_threads(1);  // for the step, which uses the pool's threads
    return seconds;
  }

 private:
  struct Matmul {
    dnnl::matmul primitive;
    dnnl::memory x, w, y;
  };

  void add(int64_t m, int64_t n, int64_t k) {
    using dnnl::memory;
    const auto f32 = memory::data_type::f32;
    const memory::desc x({m, k}, f32, memory::format_tag::ab), w({k, n}, f32, memory::format_tag::any),
        y({m, n}, f32, memory::format_tag::ab);
    const auto description = bench::matmul_of(engine_, x, w, y);
    Matmul matmul = {dnnl::matmul(description),
                     {description.src_desc(), engine_},
                     {description.weights_desc(), engine_},
                     {description.dst_desc(), engine_}};
    for (const auto* memory : {&matmul.x, &matmul.w, &matmul.y}) {
      std::fill_n(static_cast<float*>(memory->get_data_handle()),
                  memory->get_desc().get_size() / sizeof(float), 0.01f);
    }
    products_.push_back(std::move(matmul));
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  int threads_;
  std::vector<Matmul> products_;
};

void print(const std::map<std::string, std::vector<double>>& parts, double ours, double bare, double work) {
  double step = 0;
  for (const auto& [name, seconds] : parts) step += median(seconds);
  for (const auto& [name, seconds] : parts) {
    std::printf("%-22s %8.1f ms  %5.1f %%\n", name.substr(2).c_str(), 1e3 * median(seconds),
                100 * median(seconds) / step);
  }
  std::printf("%-22s %8.1f ms\n", "step", 1e3 * step);
  std::printf("%-22s %8.1f ms  %5.1f %%  %6.1f GFLOP/s\n", "products", 1e3 * ours, 100 * ours / step,
              work / ours / 1e9);
  std::printf("%-22s %8.1f ms  %5.1f %%\n", "all the rest", 1e3 * (step - ours), 100 * (step - ours) / step);
  std::printf("%-22s %8.1f ms           %6.1f GFLOP/s\n", "products by oneDNN", 1e3 * bare,
              work / bare / 1e9);
  std::printf("products beside oneDNN %.3f, the step's products by oneDNN are %.3f of the step\n",
              bare / ours, bare / step);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argc > 1 ? argv[1] : "";
  if (argc < 5 || (shape != "base" && shape != "mini")) {
    std::fprintf(stderr, "usage: step_bench base|mini SEQUENCES LENGTH THREADS [TURNS]\n");
    return 2;
  }
  const int threads = std::stoi(argv[4]), turns = argc > 5 ? std::stoi(argv[5]) : 5;
  Pool pool(threads);
  const auto config = config_of(shape);
  const Instances instances(std::stoll(argv[2]), std::stoll(argv[3]));
  auto products = layer_products(config, instances);
  Step step(config, instances, pool);
  OurProducts ours(products, config, instances, pool);
  products.push_back({static_cast<int64_t>(instances.hidden.size()), config.vocab_size, config.hidden});
  BareProducts bare(products, threads);

  std::map<std::string, std::vector<double>> parts;
  std::vector<double> our_seconds, bare_seconds;
  for (int turn = -1; turn < turns; ++turn) {  // the first turn is a warmup
    const auto seconds = step.run();
    const double alone = ours.run(), by_onednn = bare.run();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until oneDNN's threads sleep
    if (turn < 0) continue;
    for (const auto& [name, value] : seconds) parts[name].push_back(value);
    our_seconds.push_back(alone);
    bare_seconds.push_back(by_onednn);
  }
  print(parts, median(our_seconds), median(bare_seconds), flops(products));
}
