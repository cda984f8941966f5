// Random but reproducible changes of bytes, for tests of parsers. BERT_FUZZ_ROUNDS sets the number of rounds;
// BERT_FUZZ_CORPUS names a folder in which to keep files that cause a new result.
#pragma once

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "sanitized.h"

namespace bert::fuzz {

inline int rounds() {
  const char* stated = std::getenv("BERT_FUZZ_ROUNDS");
  return stated == nullptr ? tried(6000) : std::atoi(stated);
}

inline std::string mutated(std::string bytes, std::mt19937& random) {
  static constexpr std::string_view kTelling = "{}[]\",:0189-.eE\\ \n\x7f\xff()tRQus2q";
  for (auto changes = 1 + random() % 4; changes > 0; --changes) {
    const size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        bytes[at] = kTelling[random() % kTelling.size()];
        break;
      case 3:
        bytes.erase(at, 1 + random() % 3);
        break;
      default:
        bytes.insert(at, 1, kTelling[random() % kTelling.size()]);
    }
    if (bytes.empty()) return bytes;
  }
  return bytes;
}

// A message without its numbers and names.
inline std::string kind_of(std::string_view message) {
  std::string kind;
  bool quoted = false;
  for (size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (!quoted && (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == ' ')) kind += c;
  }
  return kind;
}

inline void keep(std::string_view file, const std::string& bytes, const std::string& message) {
  static std::set<std::string> kinds;
  const char* corpus = std::getenv("BERT_FUZZ_CORPUS");
  if (corpus == nullptr || !kinds.insert(kind_of(message)).second) return;
  const auto name = std::to_string(kinds.size()) + "-" + std::string(file);
  std::ofstream(std::filesystem::path(corpus) / name, std::ios::binary) << bytes;
}

}  // namespace bert::fuzz
