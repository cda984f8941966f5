#include "nn/onednn_matmul.h"

namespace bert::nn {

dnnl::matmul::primitive_desc describe_matmul(const dnnl::engine& engine, const dnnl::memory::desc& a,
                                             const dnnl::memory::desc& b, const dnnl::memory::desc& c,
                                             const dnnl::primitive_attr& attributes) {
  return {engine, a, b, c, attributes};
}

}  // namespace bert::nn
