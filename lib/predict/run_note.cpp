#include "predict/run_note.h"

#include "base/error.h"
#include "nn/panels.h"
#include "predict/version.h"

namespace bert::predict {

std::string described(const RunNote& note) {
  return "model " + std::string(note.model) + ", " + note.purpose + ", at most " +
         std::to_string(note.max_length) + " tokens, " + nn::arithmetic_name(nn::arithmetic(note.dtype)) +
         ", " + counted(note.threads, "thread, ", "threads, ") + version();
}

}  // namespace bert::predict
