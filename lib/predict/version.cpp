#include "predict/version.h"

#include "nn/kernels/kernels.h"
#include "nn/onednn.h"

namespace bert::predict {

std::string version() { return "oneDNN " + nn::onednn_version() + ", " + nn::kernels().name; }

}  // namespace bert::predict
