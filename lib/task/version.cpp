#include "task/version.h"

#include "nn/kernels.h"
#include "nn/onednn.h"

namespace bert::task {

std::string version() { return "oneDNN " + nn::onednn_version() + ", " + nn::kernels().name; }

}  // namespace bert::task
