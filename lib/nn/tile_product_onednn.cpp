#include <dnnl.h>
#include <omp.h>

#include <array>
#include <cassert>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "nn/kernels.h"
#include "nn/tile_product.h"

namespace bert::nn {
namespace {

void check(dnnl_status_t status, const char* what) {
  if (status != dnnl_success)
    throw Error("oneDNN could not ", what, " (status ", static_cast<int>(status), ")");
}

// Debian's oneDNN runs on libgomp, which asks the calling thread how many threads it may start; each thread
// that creates or runs a primitive has to say "one" before.
void use_one_thread() {
  thread_local const bool said = (omp_set_num_threads(1), true);
  (void)said;
}

struct Engine {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  Engine() {
    check(dnnl_engine_create(&engine, dnnl_cpu, 0), "create an engine");
    check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "create a stream");
  }
  ~Engine() {
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
  }
};

// One matmul [rows, depth] · [depth, 64] with its memory objects, which carry only addresses. Each thread has
// its own.
class Product {
 public:
  Product(const Engine& engine, int64_t rows, int64_t depth, int64_t x_stride);
  Product(const Product&) = delete;
  ~Product();

  bool brgemm() const { return brgemm_; }
  void run(const Engine& engine, const float* x, const float* panel, float* tile) const;

 private:
  dnnl_primitive_t primitive_ = nullptr;
  std::array<dnnl_memory_t, 4> memories_ = {};
  std::vector<std::byte> scratch_;
  bool brgemm_ = false;
};

Product::Product(const Engine& engine, int64_t rows, int64_t depth, int64_t x_stride) {
  constexpr int64_t kColumns = TileProduct::kColumns;
  const dnnl_dims_t x_dims = {rows, depth}, w_dims = {depth, kColumns}, y_dims = {rows, kColumns};
  const dnnl_dims_t x_strides = {x_stride, 1};
  dnnl_memory_desc_t x, w, y;
  check(dnnl_memory_desc_init_by_strides(&x, 2, x_dims, dnnl_f32, x_strides), "describe a matrix");
  check(dnnl_memory_desc_init_by_tag(&w, 2, w_dims, dnnl_f32, dnnl_BA16a64b), "describe a panel");
  check(dnnl_memory_desc_init_by_tag(&y, 2, y_dims, dnnl_f32, dnnl_ab), "describe a tile");
  dnnl_matmul_desc_t operation;
  check(dnnl_matmul_desc_init(&operation, &x, &w, nullptr, &y), "describe a product");
  dnnl_primitive_attr_t attributes = nullptr;
  check(dnnl_primitive_attr_create(&attributes), "create attributes");
  dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
  dnnl_primitive_desc_t description = nullptr;
  const auto status =
      dnnl_primitive_desc_create(&description, &operation, attributes, engine.engine, nullptr);
  dnnl_primitive_attr_destroy(attributes);
  if (status != dnnl_success) return;  // brgemm_ stays false
  const char* implementation = "";
  dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &implementation);
  brgemm_ = std::string_view(implementation).starts_with("brg");
  if (brgemm_) {
    const auto* scratch = dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    scratch_.resize(dnnl_memory_desc_get_size(scratch) + 1);
    check(dnnl_primitive_create(&primitive_, description), "create a product");
    const std::array descriptions = {static_cast<const dnnl_memory_desc_t*>(&x),
                                     static_cast<const dnnl_memory_desc_t*>(&w),
                                     static_cast<const dnnl_memory_desc_t*>(&y), scratch};
    for (size_t i = 0; i < memories_.size(); ++i) {
      void* address = i == 3 ? scratch_.data() : DNNL_MEMORY_NONE;
      check(dnnl_memory_create(&memories_[i], descriptions[i], engine.engine, address), "create a memory");
    }
  }
  dnnl_primitive_desc_destroy(description);
}

Product::~Product() {
  for (auto memory : memories_) {
    if (memory != nullptr) dnnl_memory_destroy(memory);
  }
  if (primitive_ != nullptr) dnnl_primitive_destroy(primitive_);
}

void Product::run(const Engine& engine, const float* x, const float* panel, float* tile) const {
  dnnl_memory_set_data_handle(memories_[0], const_cast<float*>(x));
  dnnl_memory_set_data_handle(memories_[1], const_cast<float*>(panel));
  dnnl_memory_set_data_handle(memories_[2], tile);
  const std::array arguments = {
      dnnl_exec_arg_t{DNNL_ARG_SRC, memories_[0]}, dnnl_exec_arg_t{DNNL_ARG_WEIGHTS, memories_[1]},
      dnnl_exec_arg_t{DNNL_ARG_DST, memories_[2]}, dnnl_exec_arg_t{DNNL_ARG_SCRATCHPAD, memories_[3]}};
  check(
      dnnl_primitive_execute(primitive_, engine.stream, static_cast<int>(arguments.size()), arguments.data()),
      "compute a product");
}

}  // namespace

// What one thread has made so far, by (rows, depth, x_stride). Only that thread touches it.
struct TileProduct::Cache {
  using Key = std::tuple<int64_t, int64_t, int64_t>;
  struct Thread {
    Engine engine;
    std::map<Key, Product> products;
  };
  std::vector<std::unique_ptr<Thread>> threads;
  bool own_kernels = usable_isa() != Isa::avx512;
};

TileProduct::TileProduct(int threads) : cache_(std::make_unique<Cache>()) {
  for (int i = 0; i < threads; ++i) cache_->threads.push_back(std::make_unique<Cache::Thread>());
}

TileProduct::~TileProduct() = default;

void TileProduct::run(int thread, int64_t rows, int64_t depth, const float* x, int64_t x_stride,
                      const float* panel, float* tile) const {
  assert(rows >= 1 && rows <= kRows);
  if (!cache_->own_kernels) {
    use_one_thread();
    auto& mine = *cache_->threads[thread];
    const int64_t whole =
        (rows + 7) / 8 * 8;  // fewer shapes to create, and the rows beyond are not looked at
    const Cache::Key key = {whole, depth, x_stride};
    auto found = mine.products.find(key);
    if (found == mine.products.end()) {
      found = mine.products.try_emplace(key, mine.engine, whole, depth, x_stride).first;
    }
    if (found->second.brgemm()) return found->second.run(mine.engine, x, panel, tile);
  }
  kernels().product(rows, kColumns, depth, x, x_stride, panel, kColumns, tile, kColumns);
}

Isa usable_isa() {
  const auto isa = dnnl_get_effective_cpu_isa();
  if ((isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core) return Isa::avx512;
  if ((isa & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2) return Isa::avx2;
  return Isa::baseline;
}

std::string onednn_version() {
  const auto* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace bert::nn
