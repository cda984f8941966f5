// Describes a oneDNN matmul with the API of the release in use: onednn2.cpp or onednn3.cpp.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace bert::nn {

// c [M,N] = a [M,K] · b [K,N]
dnnl::matmul::primitive_desc describe_matmul(const dnnl::engine& engine, const dnnl::memory::desc& a,
                                             const dnnl::memory::desc& b, const dnnl::memory::desc& c,
                                             const dnnl::primitive_attr& attributes);

}  // namespace bert::nn
