// The encoder beside the bare matrix products it consists of, done by oneDNN on the same panels, as many as
// the model has, with random weights:
//
//   nn_bench SHAPE THREADS IDS_FILE [REPEATS]        SHAPE: base minilm mini tiny
//
// Cases as in other benchmarks of BERT: full = 32 sequences of 128 tokens, lat = one of 16, real = the
// sequences of IDS_FILE (a line of space-separated ids each) in order, in batches of about 1024 tokens.
// GFLOP/s count the work of the sequences' true lengths.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/pool.h"
#include "matmul.h"
#include "nn/embeddings.h"
#include "nn/encoder_layer.h"
#include "nn/onednn.h"

// Of the OpenMP library that oneDNN is built on. Compilers keep its header in different places.
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
  std::vector<float> numbers;  // every tensor is a part of these
  nn::Weights weights;
  nn::EncoderLayer::Workspace workspace;
  nn::Tensor x, z;

  Encoder(const Shape& s, Pool& pool)
      : shape(s),
        embeddings({.hidden = s.hidden}, layout),
        layers(make_layers()),
        numbers(random_numbers()),
        weights(layout, source(), pool) {}

  std::vector<nn::EncoderLayer> make_layers() {
    std::vector<nn::EncoderLayer> made;
    for (int64_t i = 0; i < shape.layers; ++i) {
      const nn::EncoderLayer::Config config = {
          .hidden = shape.hidden, .heads = shape.heads, .feed_forward = shape.feed_forward};
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
    return {.find = [this](const nn::LayoutEntry&) { return words(); },
            .release = [](std::span<const std::byte>) {}};
  }
  nn::Stored words() const { return {.data = reinterpret_cast<const std::byte*>(numbers.data())}; }

  void run(nn::Context& context, const nn::Batch& batch) {
    embeddings.forward(context, weights, words(), batch, x);
    for (const auto& layer : layers) {
      layer.forward(context, weights, batch.offsets, x, workspace, z);
      std::swap(x, z);
    }
  }
};

// oneDNN's matmul of a row tile with a panel, bias and all else left out: what the machine can do.
class BareProducts {
 public:
  void run(Pool& pool, const Encoder& encoder, int64_t tokens, const std::vector<float>& input) {
    const int64_t tiles = (tokens + kTile - 1) / kTile;
    for (size_t place = 0; place < encoder.layout.entries().size(); ++place) {
      if (!encoder.layout.entries()[place].packed) continue;
      const auto panels = encoder.weights.panels(static_cast<int>(place));
      pool.run_grid(tiles * panels.count(), [&](int64_t i, int thread) {
        const int64_t first = i % tiles * kTile, rows = std::min(kTile, tokens - first);
        multiply(thread, rows, panels.inputs, &input[static_cast<size_t>(first * panels.inputs)],
                 panels.panel(i / tiles));
      });
    }
  }

 private:
  static constexpr int64_t kTile = nn::Tensor::kRowTile;

  struct Product {
    dnnl::matmul primitive;
    dnnl::memory x, panel, y;
  };
  struct Thread {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::map<std::pair<int64_t, int64_t>, Product> products;
  };

  static Product make(const dnnl::engine& engine, int64_t rows, int64_t depth) {
    using dnnl::memory;
    const auto f32 = memory::data_type::f32;
    const memory::desc x({rows, depth}, f32, memory::format_tag::ab);
    // The same numbers in the same order. Only the AVX-512 kernels read packed weights as they are; elsewhere
    // oneDNN 2 would fall back to its reference code.
    const bool packed = nn::usable_isa() == nn::Isa::avx512;
    const memory::desc panel({depth, nn::kPanelWidth}, f32,
                             packed ? memory::format_tag::BA16a64b : memory::format_tag::ab);
    const memory::desc y({rows, nn::kPanelWidth}, f32, memory::format_tag::ab);
    return {dnnl::matmul(bench::matmul_of(engine, x, panel, y)),
            {x, engine, nullptr},
            {panel, engine, nullptr},
            {y, engine}};
  }

  void multiply(int thread, int64_t rows, int64_t depth, const float* x, const float* panel) {
    thread_local const bool one_thread = (omp_set_num_threads(1), true);
    (void)one_thread;
    auto& mine = threads_.at(static_cast<size_t>(thread));
    const std::pair key = {rows, depth};
    if (!mine.products.contains(key)) mine.products.emplace(key, make(mine.engine, rows, depth));
    auto& product = mine.products.at(key);
    product.x.set_data_handle(const_cast<float*>(x));
    product.panel.set_data_handle(const_cast<float*>(panel));
    product.primitive.execute(
        mine.stream,
        {{DNNL_ARG_SRC, product.x}, {DNNL_ARG_WEIGHTS, product.panel}, {DNNL_ARG_DST, product.y}});
  }

  std::vector<Thread> threads_ = std::vector<Thread>(64);
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

template <class Run>
double seconds_of(Run run) {
  const auto start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Without the first one.
double median(std::vector<double> values) {
  std::sort(values.begin() + 1, values.end());
  return values[1 + (values.size() - 1) / 2];
}

void measure(const char* name, nn::Context& context, Encoder& encoder, const std::vector<nn::Batch>& batches,
             int repeats) {
  double work = 0, product_work = 0;
  int64_t sequences = 0, most = 0;
  for (const auto& batch : batches) {
    work += flops(encoder.shape, batch);
    product_work += product_flops(encoder.shape, batch.tokens());
    sequences += batch.sequences();
    most = std::max(most, batch.tokens());
  }
  const std::vector<float> input(static_cast<size_t>(most * encoder.shape.feed_forward), 0.01f);
  BareProducts products;
  std::vector<double> ours, bare;
  for (int i = 0; i <= repeats;
       ++i) {  // by turns, so that both meet the same machine; the first turn warms up
    ours.push_back(seconds_of([&] {
      for (const auto& batch : batches) encoder.run(context, batch);
    }));
    bare.push_back(seconds_of([&] {
      for (const auto& batch : batches) products.run(context.pool(), encoder, batch.tokens(), input);
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
  Encoder encoder(kShapes.at(argv[1]), pool);
  const int repeats = argc > 4 ? std::stoi(argv[4]) : 3;
  measure("full", context, encoder, std::vector<nn::Batch>(4, random_batch(8, 128)), repeats);
  measure("lat", context, encoder, {random_batch(1, 16)}, 20 * repeats);
  measure("real", context, encoder, read_batches(argv[3]), repeats);
}
