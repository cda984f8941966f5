#include "io/chunk.h"

namespace bert::io {

void Chunk::clear() {
  records.clear();
  repaired.clear();
  tail.clear();
  source.reset();
  if (data.capacity() > kKeepTextBytes) data = std::string();
  data.clear();
  output.clear();
  data_size = 0;
  offset = 0;
  characters = 0;
  read = 0;
  cuts.clear();
  contexts.clear();
  first_place = 0;
  header_only = false;
  written = 0;
  truncated = 0;
  skipped.clear();
  failure.reset();
  skipped_file.reset();
}

}  // namespace bert::io
