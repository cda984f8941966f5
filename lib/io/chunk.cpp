#include "io/chunk.h"

namespace bert::io {
namespace {

constexpr size_t kKeepBytes = 4 << 20;

void clear_text(std::string& text) {
  if (text.capacity() > kKeepBytes) text = std::string();
  text.clear();
}

}  // namespace

void Chunk::clear() {
  records.clear();
  repaired.clear();
  source.reset();
  clear_text(data);
  clear_text(out);
  data_size = 0;
  offset = 0;
  read = 0;
  cuts.clear();
  first_place = 0;
  written = 0;
  truncated = 0;
  skipped.clear();
  failure.reset();
}

}  // namespace bert::io
