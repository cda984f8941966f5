#include "heads/version.h"

#include "base/error.h"
#include "nn/kernels/kernels.h"
#include "nn/onednn.h"
#include "nn/panels.h"

namespace bert::heads {

std::string version() { return "oneDNN " + nn::onednn_version() + ", " + nn::usable_kernels().name; }

std::string described(const RunNote& note) {
  return "model " + std::string(note.model) + ", " + note.purpose + ", at most " +
         std::to_string(note.max_length) + " tokens, " + nn::arithmetic_name(note.dtype) + ", " +
         counted(note.threads, "thread, ", "threads, ") + version();
}

}  // namespace bert::heads
