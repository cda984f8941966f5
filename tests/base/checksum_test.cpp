#include "base/checksum.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

using bert::Checksum;

namespace {

uint64_t sum_of(std::string_view text) {
  Checksum checksum;
  checksum.add(text);
  return checksum.value();
}

std::string random_text(size_t size, std::mt19937& random) {
  std::string text(size, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

}  // namespace

TEST_CASE("a checksum does not depend on how the bytes are split") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const auto text = random_text(random() % 300, random);
    Checksum cut;
    for (std::string_view rest = text; !rest.empty();) {
      const size_t size = random() % 50;
      cut.add(rest.substr(0, size));
      rest.remove_prefix(std::min(size, rest.size()));
    }
    CHECK(cut.value() == sum_of(text));
  }
}

TEST_CASE("every flipped bit and every truncation changes the checksum") {
  std::mt19937 random(2);
  const auto text = random_text(201, random);
  std::set<uint64_t> sums = {sum_of(text)};
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    auto changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    sums.insert(sum_of(changed));
  }
  for (size_t size = 0; size < text.size(); ++size) sums.insert(sum_of(text.substr(0, size)));
  for (size_t extra = 1; extra < 70; ++extra) sums.insert(sum_of(text + std::string(extra, '\0')));
  CHECK(sums.size() == 1 + text.size() * 8 + text.size() + 69);
}

TEST_CASE("swapping two 8-byte words changes the checksum") {
  std::string text;
  for (char word = 'a'; word < 'q'; ++word) text.append(8, word);
  for (size_t i = 0; i < 16; ++i) {
    for (size_t j = i + 1; j < 16; ++j) {
      auto swapped = text;
      for (size_t k = 0; k < 8; ++k) std::swap(swapped[8 * i + k], swapped[8 * j + k]);
      CHECK(sum_of(swapped) != sum_of(text));
    }
  }
}

// Checkpoints on disk store this checksum. The expected value was computed with a Python program.
TEST_CASE("the checksum of a fixed text never changes") {
  CHECK(sum_of("the sum of a text stays what it is, here") == 1265478853030256756u);
}
