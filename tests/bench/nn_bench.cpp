// The encoder compared with the bare matrix products it consists of, with random weights:
//
//   nn_bench SHAPE THREADS IDS_FILE [REPEATS]        SHAPE: base minilm mini tiny
//                                                    OMP_WAIT_POLICY=PASSIVE
//
// Cases as in other benchmarks of BERT: full = 32 sequences of 128 tokens, lat = one of 16, real = the
// sequences of IDS_FILE (one line of space-separated ids each) in order, in batches of about 1024 tokens.
// GFLOP/s count the true lengths of the sequences.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "matmul.h"
#include "nn/embeddings.h"
#include "nn/encoder_layer.h"

// From the OpenMP library that oneDNN uses. Compilers keep its header in different places.
extern "C" void omp_set_num_threads(int);

using namespace bert;
using Clock = std::chrono::steady_clock;

namespace {

struct Shape {
  int64_t layers, hidden, heads, feed_forward;
};
const std::map<std::string, Shape> kShapes = {{"base", {12, 768, 12, 3072}},
                                              {"minilm", {6, 384, 12, 1536}},
                                              {"mini", {4, 256, 4, 1024}},
                                              {"tiny", {2, 128, 2, 512}}};
constexpr int64_t kVocabulary = 30522;

double product_flops(const Shape& s, int64_t tokens) {
  return 2.0 *
         static_cast<double>(s.layers * tokens * (4 * s.hidden * s.hidden + 2 * s.hidden * s.feed_forward));
}

double flops(const Shape& s, const nn::Batch& batch) {
  double total = product_flops(s, batch.tokens());
  for (int64_t i = 0; i < batch.sequences(); ++i) {
    const auto length = static_cast<double>(batch.length(i));
    total += 4.0 * static_cast<double>(s.layers * s.hidden) * length * length;
  }
  return total;
}

struct Encoder {
  Shape shape;
  nn::Layout layout;
  nn::Embeddings embeddings;
  std::vector<nn::EncoderLayer> layers;
  std::vector<float> numbers;  // storage of all tensors
  nn::Weights weights;
  nn::EncoderLayer::Workspace workspace;
  nn::EncoderLayer::Saved saved;
  nn::Embeddings::Saved of_embeddings;
  nn::Tensor x, z;

  Encoder(const Shape& s, nn::Context& context)
      : shape(s),
        embeddings({.hidden = s.hidden}, layout),
        layers(make_layers()),
        numbers(random_numbers()),
        weights(layout, source(), context) {}

  std::vector<nn::EncoderLayer> make_layers() {
    std::vector<nn::EncoderLayer> made;
    for (int64_t i = 0; i < shape.layers; ++i) {
      const nn::EncoderLayer::Config config = {
          .attention = {.hidden = shape.hidden, .heads = shape.heads},
          .feed_forward = {.hidden = shape.hidden, .width = shape.feed_forward}};
      made.emplace_back("encoder.layer." + std::to_string(i), config, layout);
    }
    return made;
  }
  static std::vector<float> random_numbers() {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 0.02f);
    std::vector<float> numbers(static_cast<size_t>(kVocabulary * 768));
    for (float& number : numbers) number = normal(random);
    return numbers;
  }
  nn::Weights::Source source() {
    const auto find = [this](const nn::LayoutEntry&) {
      return nn::Stored{.data = reinterpret_cast<const std::byte*>(numbers.data())};
    };
    return {.find = find, .release = [](std::span<const std::byte>) {}};
  }

  void run(nn::Context& context, const nn::Batch& batch) {
    const nn::Pass pass = {.context = context, .weights = weights, .offsets = batch.offsets};
    const auto look_up = [this](int32_t id, std::span<float> row) {
      std::copy_n(&numbers[static_cast<size_t>(id) * row.size()], row.size(), row.begin());
    };
    embeddings.forward(pass, look_up, batch, of_embeddings, x);
    for (const auto& layer : layers) {
      layer.forward(pass, x, {}, workspace, saved, z);
      std::swap(x, z);
    }
  }
};

template <class Run>
double seconds_of(Run run) {
  const auto start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The encoder's matrix products alone, [tokens, K]·[K, N], each layer with weights of its own, by the faster
// of two oneDNN functions with its own threads: matmul with weights in its preferred layout, or dnnl_sgemm.
class BareProducts {
 public:
  void run(const Shape& s, int64_t tokens, int threads) {
    omp_set_num_threads(threads);
    for (int64_t layer = 0; layer < s.layers; ++layer) {
      multiply(layer, tokens, s.hidden, 3 * s.hidden);
      multiply(layer, tokens, s.hidden, s.hidden);
      multiply(layer, tokens, s.hidden, s.feed_forward);
      multiply(layer, tokens, s.feed_forward, s.hidden);
    }
    omp_set_num_threads(1);  // for the encoder, which uses the pool's threads
  }

 private:
  struct Product {
    dnnl::matmul primitive;
    dnnl::memory x, w, y;
    bool by_sgemm = false;
  };

  Product make(int64_t rows, int64_t depth, int64_t cols) {
    using dnnl::memory;
    const auto f32 = memory::data_type::f32;
    const auto description =
        bench::matmul_of(engine_, memory::desc({rows, depth}, f32, memory::format_tag::ab),
                         memory::desc({depth, cols}, f32, memory::format_tag::any),
                         memory::desc({rows, cols}, f32, memory::format_tag::ab));
    Product product = {dnnl::matmul(description),
                       {description.src_desc(), engine_},
                       {description.weights_desc(), engine_, weights(0, depth, cols)},
                       {description.dst_desc(), engine_}};
    for (const auto* numbers : {&product.x, &product.y}) {
      std::fill_n(static_cast<float*>(numbers->get_data_handle()),
                  numbers->get_desc().get_size() / sizeof(float), 0.01f);
    }
    // On some instruction sets matmul with packed weights is slow reference code.
    product.by_sgemm = std::string_view(description.impl_info_str()).starts_with("ref");
    if (product.by_sgemm) return product;
    double matmul = 1e9, sgemm = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
      product.by_sgemm = false;
      matmul = std::min(matmul, seconds_of([&] { multiply(product, rows, depth, cols); }));
      product.by_sgemm = true;
      sgemm = std::min(sgemm, seconds_of([&] { multiply(product, rows, depth, cols); }));
    }
    product.by_sgemm = sgemm < matmul;
    return product;
  }

  void multiply(Product& product, int64_t rows, int64_t depth, int64_t cols) {
    if (product.by_sgemm) {
      const auto numbers = [](dnnl::memory& memory) { return static_cast<float*>(memory.get_data_handle()); };
      dnnl_sgemm('N', 'N', rows, cols, depth, 1, numbers(product.x), depth, numbers(product.w), cols, 0,
                 numbers(product.y), cols);
      return;
    }
    product.primitive.execute(
        stream_, {{DNNL_ARG_SRC, product.x}, {DNNL_ARG_WEIGHTS, product.w}, {DNNL_ARG_DST, product.y}});
    stream_.wait();
  }

  void multiply(int64_t layer, int64_t rows, int64_t depth, int64_t cols) {
    const std::array<int64_t, 3> shape = {rows, depth, cols};
    if (!products_.contains(shape)) products_.emplace(shape, make(rows, depth, cols));
    auto& product = products_.at(shape);
    product.w.set_data_handle(weights(layer, depth, cols));
    multiply(product, rows, depth, cols);
  }

  float* weights(int64_t layer, int64_t depth, int64_t cols) {
    auto& numbers = weights_[{layer, depth, cols}];
    if (numbers.empty()) numbers.assign(static_cast<size_t>(depth * (cols + kRoom)), 0.01f);
    return numbers.data();
  }

  static constexpr int64_t kRoom = 64;  // packed weights may be larger

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::map<std::array<int64_t, 3>, Product> products_;
  std::map<std::array<int64_t, 3>, std::vector<float>> weights_;
};

nn::Batch random_batch(int64_t sequences, int64_t length) {
  std::mt19937 random(2);
  nn::Batch batch;
  for (int64_t i = 0; i < sequences; ++i) {
    std::vector<int32_t> ids(static_cast<size_t>(length)), types(ids.size());
    for (auto& id : ids) id = static_cast<int32_t>(1000 + random() % 29000);
    batch.add(ids, types);
  }
  return batch;
}

std::vector<nn::Batch> read_batches(const std::string& path) {
  std::vector<nn::Batch> batches(1);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::vector<int32_t> ids;
    for (int32_t id; words >> id;) ids.push_back(id);
    if (batches.back().tokens() + static_cast<int64_t>(ids.size()) > 1024) batches.emplace_back();
    batches.back().add(ids, std::vector<int32_t>(ids.size()));
  }
  return batches;
}

// The first value is left out.
double median(std::vector<double> values) {
  std::sort(values.begin() + 1, values.end());
  return values[1 + (values.size() - 1) / 2];
}

void measure(const char* name, nn::Context& context, Encoder& encoder, const std::vector<nn::Batch>& batches,
             int repeats) {
  double work = 0, product_work = 0;
  int64_t sequences = 0;
  for (const auto& batch : batches) {
    work += flops(encoder.shape, batch);
    product_work += product_flops(encoder.shape, batch.tokens());
    sequences += batch.sequences();
  }
  BareProducts products;
  std::vector<double> ours, bare;
  // Measured in turn; the first turn is a warmup.
  for (int i = 0; i <= repeats; ++i) {
    ours.push_back(seconds_of([&] {
      for (const auto& batch : batches) encoder.run(context, batch);
    }));
    bare.push_back(seconds_of([&] {
      for (const auto& batch : batches) products.run(encoder.shape, batch.tokens(), context.pool().size());
    }));
  }
  const double seconds = median(ours), bare_rate = product_work / median(bare) / 1e9;
  std::printf("%-5s %8.2f ms  %7.1f sequences/s  %6.1f GFLOP/s  bare oneDNN %6.1f GFLOP/s  ratio %.3f\n",
              name, seconds * 1e3, static_cast<double>(sequences) / seconds, work / seconds / 1e9, bare_rate,
              work / seconds / 1e9 / bare_rate);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || !kShapes.contains(argv[1])) {
    std::fprintf(stderr, "usage: nn_bench base|minilm|mini|tiny THREADS IDS_FILE [REPEATS]\n");
    return 2;
  }
  Pool pool(std::stoi(argv[2]));
  nn::Context context(pool);
  Encoder encoder(kShapes.at(argv[1]), context);
  const int repeats = argc > 4 ? std::stoi(argv[4]) : 3;
  measure("full", context, encoder, std::vector<nn::Batch>(4, random_batch(8, 128)), repeats);
  measure("lat", context, encoder, {random_batch(1, 16)}, 20 * repeats);
  measure("real", context, encoder, read_batches(argv[3]), repeats);
}
