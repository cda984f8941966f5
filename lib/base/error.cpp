#include "base/error.h"

#include <filesystem>
#include <new>

namespace bert {

std::string listed(std::span<const std::string> words, std::string_view conjunction) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + std::string(conjunction) + " " : ", ";
    text += words[i];
  }
  return text;
}

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  if (const auto* failure = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return failure->path1().string() + ": " + failure->code().message();
  return error.what();
}

std::string counted(int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

}  // namespace bert
