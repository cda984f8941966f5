#include "text/bpe_learner.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "text/bpe.h"

namespace bert::text {
namespace {

// Two adjacent tokens.
struct BytePair {
  uint64_t key = 0;  // the ids, the first one in the high half
  int64_t count = 0;
  std::vector<uint32_t> found;  // words in which it was found since the queue was last filled
  size_t last_merge = 0;        // the number of its last merge

  int32_t first() const { return static_cast<int32_t>(key >> 32); }
  int32_t second() const { return static_cast<int32_t>(key & 0xFFFFFFFF); }
};

// The pairs by their tokens: a hash table with open addressing.
class BytePairs {
 public:
  BytePair& operator[](uint32_t index) { return pairs_[index]; }
  size_t size() const { return pairs_.size(); }

  // The index of the pair, which is added if new.
  uint32_t index_of(int32_t first, int32_t second) {
    const uint64_t key = static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(second);
    size_t slot = slot_of(key);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
      if (pairs_[slots_[slot] - 1].key == key) return slots_[slot] - 1;
    const auto index = static_cast<uint32_t>(pairs_.size());
    pairs_.push_back({.key = key});
    slots_[slot] = index + 1;
    if (2 * pairs_.size() > slots_.size()) grow();
    return index;
  }

 private:
  size_t slot_of(uint64_t key) const {
    return ((key ^ key >> 29) * 0x9E3779B97F4A7C15) >> 20 & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (uint32_t index = 0; index < pairs_.size(); ++index) {
      size_t slot = slot_of(pairs_[index].key);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = index + 1;
    }
  }

  std::vector<BytePair> pairs_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(1 << 16);  // index + 1, or 0
};

class BpeLearner {
 public:
  explicit BpeLearner(const LearnerOptions& options) : options_(options) {}
  LearnedBpe learn(std::span<const WordCount> words) &&;

 private:
  struct Word {
    size_t begin = 0;  // in symbols_
    uint32_t size = 0;
    int64_t count = 0;
  };

  // A pair in the words in which it was found at the same time.
  struct Waiting {
    int64_t count = 0;  // of the pair, when it began to wait
    uint64_t key = 0;
    uint32_t pair = 0;
    std::vector<uint32_t> words;
    bool operator<(const Waiting& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };

  int32_t token_of(const std::string& text);
  void add_bytes();
  void add_words(std::span<const WordCount> words);
  void change(int32_t first, int32_t second, int64_t by, uint32_t word);
  void push(Waiting waiting);
  void push_found();
  Waiting pop();
  void merge(const Waiting& best);
  void merge_in(uint32_t word, const std::array<int32_t, 2>& pair, int32_t merged);
  std::vector<std::pair<std::string, std::string>> merges();

  const LearnerOptions& options_;
  std::vector<std::string> tokens_;  // by id
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<Word> words_;
  std::vector<int32_t> symbols_;  // the tokens of all words
  BytePairs pairs_;
  std::vector<uint32_t> found_;   // pairs found since the queue was last filled
  std::vector<Waiting> queue_;    // a heap
  std::vector<uint32_t> merged_;  // the pairs, in order, some more than once
};

// The id of the token, which is added if new.
int32_t BpeLearner::token_of(const std::string& text) {
  const auto [found, is_new] = ids_.try_emplace(text, tokens_.size());
  if (is_new) tokens_.push_back(text);
  return found->second;
}

void BpeLearner::add_bytes() {
  for (const std::string_view special : kRobertaSpecials) token_of(std::string(special));
  auto characters = byte_characters();
  std::sort(characters.begin(), characters.end());
  for (const std::string& character : characters) token_of(character);
  if (std::ssize(tokens_) > options_.size)
    throw Error("a vocabulary of ", options_.size, " tokens is too small: special tokens and bytes are ",
                tokens_.size());
}

void BpeLearner::add_words(std::span<const WordCount> words) {
  std::array<int32_t, 256> bytes;
  for (size_t byte = 0; byte < 256; ++byte) bytes[byte] = token_of(byte_characters()[byte]);
  int64_t total = 0;
  for (const auto& [text, count] : words) {
    int64_t symbols = 0;
    if (__builtin_mul_overflow(count, std::ssize(text), &symbols) ||
        __builtin_add_overflow(total, symbols, &total))
      throw Error("the words have more than 2^63 bytes in total");
    const auto word = static_cast<uint32_t>(words_.size());
    words_.push_back({symbols_.size(), static_cast<uint32_t>(text.size()), count});
    for (const char byte : text) symbols_.push_back(bytes[static_cast<uint8_t>(byte)]);
    const int32_t* const own = symbols_.data() + words_.back().begin;
    for (size_t i = 1; i < text.size(); ++i) change(own[i - 1], own[i], count, word);
  }
  push_found();
}

void BpeLearner::change(int32_t first, int32_t second, int64_t by, uint32_t word) {
  const uint32_t index = pairs_.index_of(first, second);
  BytePair& pair = pairs_[index];
  pair.count += by;
  if (by < 0) return;
  if (pair.found.empty()) found_.push_back(index);
  if (pair.found.empty() || pair.found.back() != word) pair.found.push_back(word);
}

void BpeLearner::push(Waiting waiting) {
  queue_.push_back(std::move(waiting));
  std::push_heap(queue_.begin(), queue_.end());
}

void BpeLearner::push_found() {
  for (const uint32_t index : found_) {
    BytePair& pair = pairs_[index];
    auto words = std::exchange(pair.found, {});
    if (pair.count > 0) push({pair.count, pair.key, index, std::move(words)});
  }
  found_.clear();
}

BpeLearner::Waiting BpeLearner::pop() {
  std::pop_heap(queue_.begin(), queue_.end());
  Waiting best = std::move(queue_.back());
  queue_.pop_back();
  return best;
}

void BpeLearner::merge(const Waiting& best) {
  const std::array<int32_t, 2> pair = {pairs_[best.pair].first(), pairs_[best.pair].second()};
  const int32_t merged = token_of(tokens_[pair[0]] + tokens_[pair[1]]);
  pairs_[best.pair].last_merge = merged_.size();
  merged_.push_back(best.pair);
  for (const uint32_t word : best.words) merge_in(word, pair, merged);
  push_found();
}

// x a b y -> x ab y. After a merge, x is the merged token, so a b a b becomes ab ab.
void BpeLearner::merge_in(uint32_t index, const std::array<int32_t, 2>& pair, int32_t merged) {
  Word& word = words_[index];
  int32_t* const symbols = symbols_.data() + word.begin;
  uint32_t size = 0;  // symbols written
  for (uint32_t at = 0; at < word.size; ++at) {
    if (symbols[at] != pair[0] || at + 1 == word.size || symbols[at + 1] != pair[1]) {
      symbols[size++] = symbols[at];
      continue;
    }
    if (size > 0) {
      change(symbols[size - 1], pair[0], -word.count, index);
      change(symbols[size - 1], merged, word.count, index);
    }
    if (at + 2 < word.size) {
      change(pair[1], symbols[at + 2], -word.count, index);
      change(merged, symbols[at + 2], word.count, index);
    }
    symbols[size++] = merged;
    ++at;
  }
  word.size = size;
}

std::vector<std::pair<std::string, std::string>> BpeLearner::merges() {
  std::vector<std::pair<std::string, std::string>> merges;
  for (size_t number = 0; number < merged_.size(); ++number) {
    const BytePair& pair = pairs_[merged_[number]];
    if (pair.last_merge == number) merges.emplace_back(tokens_[pair.first()], tokens_[pair.second()]);
  }
  return merges;
}

LearnedBpe BpeLearner::learn(std::span<const WordCount> words) && {
  add_bytes();
  add_words(words);
  while (std::ssize(tokens_) < options_.size && !queue_.empty()) {
    Waiting best = pop();
    if (const int64_t count = pairs_[best.pair].count; best.count != count) {
      best.count = count;
      push(std::move(best));
      continue;
    }
    if (best.count < std::max<int64_t>(1, options_.min_frequency)) break;
    merge(best);
  }
  auto learned = merges();
  return {std::move(tokens_), {.merges = std::move(learned)}};
}

}  // namespace

LearnedBpe learn_bpe(std::span<const WordCount> words, const LearnerOptions& options) {
  return BpeLearner(options).learn(words);
}

}  // namespace bert::text
