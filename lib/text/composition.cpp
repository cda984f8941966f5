#include "text/composition.h"

#include <span>
#include <string_view>

#include "base/checksum.h"

namespace bert::text {
namespace {

template <class Number>
void add(Checksum& checksum, Number number) {
  checksum.add(std::as_bytes(std::span(&number, 1)));
}

// With the length, so that adjacent texts cannot be divided in another way.
void add(Checksum& checksum, std::string_view text) {
  add(checksum, text.size());
  checksum.add(text);
}

}  // namespace

uint64_t checksum_of(const Composition& composition) {
  Checksum checksum;
  for (const auto& step : composition.normalizer) {
    add(checksum, step.kind);
    add(checksum, step.pattern);
    add(checksum, std::string_view(step.from));
    add(checksum, std::string_view(step.to));
    add(checksum, step.left);
    add(checksum, step.right);
    if (step.charsmap) step.charsmap->add_to(checksum);
  }
  add(checksum, composition.white_space_split);
  if (const auto& metaspace = composition.metaspace) {
    add(checksum, metaspace->prepend);
    add(checksum, metaspace->split);
  }
  if (const auto& byte_level = composition.byte_level) {
    add(checksum, byte_level->add_prefix_space);
    add(checksum, byte_level->split);
  }
  if (const auto& unigram = composition.unigram) {
    checksum.add(std::as_bytes(std::span(unigram->scores)));
    add(checksum, unigram->unk);
    add(checksum, unigram->byte_fallback);
  }
  if (const auto& bpe = composition.bpe) {
    for (const auto& [first, second] : bpe->merges) {
      add(checksum, std::string_view(first));
      add(checksum, std::string_view(second));
    }
    add(checksum, bpe->bytes);
    add(checksum, bpe->fuse_unk);
  }
  return checksum.value();
}

}  // namespace bert::text
