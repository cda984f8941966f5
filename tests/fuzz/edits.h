// Changes to files that end in a checksum.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/checksum.h"

namespace bert::fuzz {

// Each three bytes of the input change one byte of the file: its position, counted from either end in turn,
// and its new value. The checksum in the last 8 bytes is corrected, so that what it protects is reached.
inline std::string edited(std::string file, const uint8_t* data, size_t size) {
  for (size_t i = 0; i + 3 <= size; i += 3) {
    const size_t position = (data[i] * size_t{256} + data[i + 1]) % file.size();
    file[i % 2 == 0 ? position : file.size() - 1 - position] = static_cast<char>(data[i + 2]);
  }
  Checksum checksum;
  const size_t end = file.size() - sizeof(uint64_t);
  checksum.add(std::string_view(file).substr(0, end));
  const uint64_t sum = checksum.value();
  std::memcpy(file.data() + end, &sum, sizeof sum);
  return file;
}

}  // namespace bert::fuzz
