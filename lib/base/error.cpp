#include "base/error.h"

#include <filesystem>
#include <new>

namespace bert {

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  if (const auto* failure = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return failure->path1().string() + ": " + failure->code().message();
  return error.what();
}

}  // namespace bert
