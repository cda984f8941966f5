#include "task/version.h"

#include "nn/version.h"

namespace bert::task {

std::string version() { return nn::version(); }

}  // namespace bert::task
