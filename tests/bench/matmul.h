// oneDNN's matmul for both major releases: 2.x needs a matmul::desc, 3.x takes its arguments directly.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <type_traits>

namespace bert::bench {

// y [M,N] = x [M,K] · w [K,N]
template <class Description = dnnl::matmul::primitive_desc>
Description matmul_of(const dnnl::engine& engine, const dnnl::memory::desc& x, const dnnl::memory::desc& w,
                      const dnnl::memory::desc& y) {
  using Memory = const dnnl::memory::desc&;
  if constexpr (std::is_constructible_v<Description, const dnnl::engine&, Memory, Memory, Memory>) {
    return Description(engine, x, w, y);
  } else {
    return Description({x, w, y}, engine);
  }
}

}  // namespace bert::bench
