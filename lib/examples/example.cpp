#include "examples/example.h"

namespace bert::examples {

void Example::add_input(Checksum& checksum) const {
  for (const auto& [ids, types] : sequences()) {
    const int64_t length = std::ssize(ids);
    checksum.add(std::as_bytes(std::span(&length, 1)));
    checksum.add(std::as_bytes(ids));
    checksum.add(std::as_bytes(types));
  }
}

std::vector<TokenSequence> SequencesExample::sequences() const {
  std::vector<TokenSequence> sequences;
  size_t begin = 0;
  for (const size_t length : lengths) {
    sequences.push_back({std::span(ids).subspan(begin, length), std::span(types).subspan(begin, length)});
    begin += length;
  }
  return sequences;
}

void SequencesExample::add(const features::Features& features) {
  ids.insert(ids.end(), features.ids.begin(), features.ids.end());
  types.insert(types.end(), features.types.begin(), features.types.end());
  lengths.push_back(features.ids.size());
  if (features.truncated) traits.set(Trait::truncated);
}

}  // namespace bert::examples
