#include "corpus/pairs.h"

#include <cassert>
#include <utility>

namespace bert::corpus {
namespace {

int64_t length_of(std::span<const int32_t> tokens) { return tokens.size(); }

int64_t room_of(const PairRule& rule) {
  return rule.max_length - (rule.makes_pairs() ? rule.pair_specials : 2);
}

// Uniform in [least, most].
int64_t between(Random& random, int64_t least, int64_t most) {
  return least + random.below(most - least + 1);
}

}  // namespace

DrawnLength draw_length(const PairRule& rule, int64_t room, Random& random) {
  const bool is_short = random.bernoulli(rule.short_probability);
  return {.tokens = is_short ? between(random, 2, room) : room, .is_short = is_short};
}

void shorten(std::span<const int32_t>& tokens, Random& random) {
  tokens = random.below(2) == 0 ? tokens.subspan(1) : tokens.first(tokens.size() - 1);
}

Instances::Instances(const PairRule& rule, const DocumentBlock& block, size_t document, Random random)
    : rule_(rule),
      block_(block),
      index_(document),
      document_(block[document]),
      room_(room_of(rule)),
      random_(random) {
  assert(room_ >= 2);
}

bool Instances::next(Instance& instance) {
  instance = {};
  return rule_.makes_pairs() ? next_pair(instance) : next_sentences(instance);
}

std::span<const int32_t> Instances::sentences(const Document& document, size_t begin, size_t end) const {
  return std::span(document.ids)
      .subspan(document.begins[begin], document.begins[end] - document.begins[begin]);
}

int64_t Instances::draw_length(Instance& instance) {
  const auto drawn = corpus::draw_length(rule_, room_, random_);
  instance.is_short = drawn.is_short;
  return drawn.tokens;
}

bool Instances::next_pair(Instance& instance) {
  if (sentence_ + 2 > document_.sentences()) return false;
  instance.label = random_.bernoulli(rule_.random_probability) ? 1 : 0;
  const int64_t target = rule_.mode == PairRule::Mode::sentence ? 0 : draw_length(instance);

  const size_t begin = sentence_;
  size_t end = begin + 2;
  while (end < document_.sentences() && length_of(sentences(document_, begin, end)) < target) ++end;
  const size_t middle = begin + between(random_, 1, static_cast<int64_t>(end - begin) - 1);
  instance.first = sentences(document_, begin, middle);
  instance.second = sentences(document_, middle, end);
  sentence_ = end;
  if (instance.label == 1 && rule_.mode == PairRule::Mode::order) std::swap(instance.first, instance.second);
  if (instance.label == 1 && rule_.draws_second()) {
    instance.second = random_second(target - length_of(instance.first));
    sentence_ = middle;  // the sentences replaced by the random B go into the next instance
  }
  while (length_of(instance.first) + length_of(instance.second) > room_)
    shorten(instance.first.size() > instance.second.size() ? instance.first : instance.second, random_);
  return true;
}

// Sentences from a random place in another document: at least `wanted` tokens, unless it ends before.
std::span<const int32_t> Instances::random_second(int64_t wanted) {
  assert(block_.size() > 1);
  size_t other = random_.below(block_.size() - 1);
  if (other >= index_) ++other;
  const Document& document = block_[other];
  const size_t begin = random_.below(document.sentences());
  size_t end = begin + 1;
  while (end < document.sentences() && length_of(sentences(document, begin, end)) < wanted) ++end;
  return sentences(document, begin, end);
}

// Sentences are kept whole, except one that is longer than an instance.
bool Instances::next_sentences(Instance& instance) {
  if (sentence_ == document_.sentences()) return false;
  const int64_t target = draw_length(instance);
  size_t end = sentence_ + 1;
  while (end < document_.sentences() && length_of(sentences(document_, sentence_, end + 1)) <= target) ++end;
  instance.first = sentences(document_, sentence_, end);
  sentence_ = end;
  while (length_of(instance.first) > room_) shorten(instance.first, random_);
  return true;
}

}  // namespace bert::corpus
