#include "nn/matmul.h"

#include <array>
#include <map>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/code_memory.h"
#include "base/error.h"
#include "nn/onednn.h"
#include "nn/onednn_matmul.h"

namespace bert::nn {
namespace {

using dnnl::memory;

struct Made {
  dnnl::matmul primitive;
  memory a, b, c, scratchpad;
  std::array<dnnl_exec_arg_t, 4> arguments;
};

// Primitives cached by one thread.
struct Thread {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::map<MatmulShape, Made> made;
};

dnnl::matmul::primitive_desc describe(const dnnl::engine& engine, const MatmulShape& shape) {
  using Tag = memory::format_tag;
  using Type = memory::data_type;
  struct Types {
    Type a, b, c;
    Tag panel;
  };
  const Types types = shape.dtype == Dtype::i8     ? Types{Type::u8, Type::s8, Type::s32, Tag::BA16a64b4a}
                      : shape.dtype == Dtype::bf16 ? Types{Type::bf16, Type::bf16, Type::f32, Tag::BA16a64b2a}
                                                   : Types{Type::f32, Type::f32, Type::f32, Tag::BA16a64b};
  require_code_memory();
  const memory::desc a({shape.rows, shape.depth}, types.a, shape.a_by_columns ? Tag::ba : Tag::ab),
      b({shape.depth, shape.cols}, types.b, shape.panel ? types.panel : Tag::ab),
      c({shape.rows, shape.cols}, types.c, Tag::ab);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (shape.into == Into::add) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  return describe_matmul(engine, a, b, c, attributes);
}

Made& made_for(Thread& thread, const MatmulShape& shape) {
  const auto known = thread.made.find(shape);
  if (known != thread.made.end()) return known->second;
  const auto description = describe(thread.engine, shape);
  const auto memory_of = [&](const memory::desc& desc) { return memory(desc, thread.engine, nullptr); };
  Made made = {.primitive = dnnl::matmul(description),
               .a = memory_of(description.src_desc()),
               .b = memory_of(description.weights_desc()),
               .c = memory_of(description.dst_desc()),
               .scratchpad = memory(description.scratchpad_desc(), thread.engine),
               .arguments = {}};
  made.arguments = {{{DNNL_ARG_SRC, made.a.get()},
                     {DNNL_ARG_WEIGHTS, made.b.get()},
                     {DNNL_ARG_DST, made.c.get()},
                     {DNNL_ARG_SCRATCHPAD, made.scratchpad.get()}}};
  return thread.made.emplace(shape, std::move(made)).first->second;
}

}  // namespace

void matmul(const MatmulShape& shape, const std::byte* a, const std::byte* b, void* c) {
  compute_here();
  thread_local Thread thread;
  try {
    Made& made = made_for(thread, shape);
    made.a.set_data_handle(const_cast<std::byte*>(a));
    made.b.set_data_handle(const_cast<std::byte*>(b));
    made.c.set_data_handle(c);
    // The same as primitive.execute(), which makes a hash table of the arguments each time.
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(made.primitive.get(), thread.stream.get(),
                               static_cast<int>(made.arguments.size()), made.arguments.data()),
        "could not execute a primitive");
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
    throw Error("oneDNN cannot multiply matrices here: ", error.what());
  }
}

// oneDNN names its kernels for AVX-512 and AMX after batch-reduce GEMM ("brg").
std::string matmul_code(Dtype dtype) {
  if (usable_isa() != Isa::avx512) return "";
  try {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const auto description = describe(
        engine, {.dtype = dtype, .rows = 96, .cols = kMatmulColumns, .depth = kMatmulColumns, .panel = true});
    const std::string name = description.impl_info_str();
    return name.starts_with("brg") ? name : "";
  } catch (const dnnl::error&) {
    return "";  // it has no code at all
  }
}

}  // namespace bert::nn
