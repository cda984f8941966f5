#include "text/vocabulary_learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "text/alphabet.h"
#include "text/divided_words.h"
#include "text/pair_heap.h"

namespace bert::text {
namespace {

constexpr std::string_view kPrefix = "##";
constexpr std::array<std::string_view, 5> kSpecials = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

double log_of(int64_t number) { return std::log(number); }

// The pairs of a subword are ranked using `least`, and ranked again only when its count drops below that.
struct Logs {
  double count = 0, least = 0;
};

// A subword's count may drop by 1/kSlack before its pairs are ranked again. A larger kSlack ranks more often;
// with a smaller one, more pairs are examined to find the best.
constexpr int64_t kSlack = 32;

class Learner {
 public:
  explicit Learner(const LearnerOptions& options) : options_(options) {}
  std::vector<std::string> learn(std::span<const WordCount> words) &&;

 private:
  int32_t subword_of(const std::string& text);
  void add_alphabet(std::span<const WordCount> words);
  bool divide(std::string_view word, std::vector<int32_t>& subwords) const;
  double score(const DividedWords::Pair& pair, double Logs::*log) const;
  void rank(uint32_t pair);
  bool recount(int32_t subword);
  void join(uint32_t pair);

  const LearnerOptions& options_;
  std::vector<std::string> subwords_;
  std::unordered_map<std::string, int32_t> ids_;
  DividedWords words_;
  std::vector<int64_t> least_;  // indexed by subword
  std::vector<Logs> logs_;      // indexed by subword
  double log_total_ = 0;        // log N
  PairHeap heap_;
};

// The id of the subword, which is added if new.
int32_t Learner::subword_of(const std::string& text) {
  const auto [found, is_new] = ids_.try_emplace(text, subwords_.size());
  if (is_new) subwords_.push_back(text);
  return found->second;
}

void Learner::add_alphabet(std::span<const WordCount> words) {
  const std::vector<Character> characters = alphabet_of(words, options_.alphabet_limit);
  for (const Character& character : characters) subword_of(std::string(character.bytes));
  for (const Character& character : characters) {
    if (character.continues) subword_of(std::string(kPrefix).append(character.bytes));
  }
  if (std::ssize(subwords_) > options_.size) {
    throw Error("a vocabulary of ", options_.size, " tokens is too small: special tokens, unused tokens and ",
                characters.size(), " characters, with and without ##, are ", subwords_.size());
  }
}

// False if a character is not in the alphabet.
bool Learner::divide(std::string_view word, std::vector<int32_t>& subwords) const {
  subwords.clear();
  std::string subword;
  for (std::string_view rest = word; !rest.empty();) {
    const std::string_view character = first_character(rest);
    subword = rest.size() == word.size() ? "" : kPrefix;
    const auto found = ids_.find(subword.append(character));
    if (found == ids_.end()) return false;
    subwords.push_back(found->second);
    rest.remove_prefix(character.size());
  }
  return true;
}

// Uses the current counts (Logs::count) or their lower bounds (Logs::least). The latter gives an upper bound
// of the score, which remains valid as N decreases.
double Learner::score(const DividedWords::Pair& pair, double Logs::*log) const {
  const double count = pair.count;
  if (options_.criterion == Criterion::frequency) return count;
  const auto of = [&](int32_t subword) { return logs_[subword].*log; };
  return count * ((log_of(pair.count) + log_total_) - (of(pair.first) + of(pair.second)));
}

void Learner::rank(uint32_t index) {
  const DividedWords::Pair& pair = words_.pair(index);
  if (pair.count < std::max<int64_t>(1, options_.min_frequency)) return heap_.remove(index);
  heap_.set({.score = score(pair, &Logs::least),
             .rank = static_cast<uint64_t>(pair.first) << 32 | static_cast<uint32_t>(pair.second),
             .pair = index});
}

// Whether the pairs of the subword must be ranked again.
bool Learner::recount(int32_t subword) {
  const size_t at = subword;
  if (at >= least_.size()) {
    least_.resize(at + 1);
    logs_.resize(at + 1);
  }
  const int64_t count = words_.count(subword);
  logs_[at].count = log_of(count);
  if (least_[at] > 0 && count >= least_[at]) return false;
  least_[at] = count - count / kSlack;
  logs_[at].least = log_of(least_[at]);
  return true;
}

// A merge reduces the counts of both subwords, which changes the scores of all their pairs.
void Learner::join(uint32_t index) {
  const int32_t first = words_.pair(index).first, second = words_.pair(index).second;
  const auto part = [this](int32_t subword) { return std::string_view(subwords_[subword]); };
  const int32_t joined = subword_of(std::string(part(first)).append(part(second).substr(kPrefix.size())));
  words_.join(index, joined);
  log_total_ = log_of(words_.total());
  std::vector<int32_t> fallen;
  for (const int32_t subword : {first, second, joined})
    if (recount(subword)) fallen.push_back(subword);
  for (const uint32_t pair : words_.changed()) rank(pair);
  if (options_.criterion == Criterion::frequency) return;
  for (const int32_t subword : fallen)
    for (const uint32_t pair : words_.neighbours(subword)) rank(pair);
}

std::vector<std::string> Learner::learn(std::span<const WordCount> words) && {
  for (const std::string_view special : kSpecials) subword_of(std::string(special));
  for (int64_t i = 0; i < options_.unused; ++i) subword_of("[unused" + std::to_string(i) + "]");
  add_alphabet(words);
  std::vector<int32_t> subwords;
  for (const auto& [word, count] : words) {
    if (divide(word, subwords)) words_.add(subwords, count);
  }
  log_total_ = log_of(words_.total());
  for (size_t subword = 0; subword < words_.subwords(); ++subword) recount(subword);
  for (uint32_t pair = 0; pair < words_.pairs(); ++pair) rank(pair);
  const auto true_score = [this](uint32_t pair) { return score(words_.pair(pair), &Logs::count); };
  while (std::ssize(subwords_) < options_.size && !heap_.empty()) join(heap_.best(true_score).pair);
  return std::move(subwords_);
}

}  // namespace

std::vector<std::string> learn_vocabulary(std::span<const WordCount> words, const LearnerOptions& options) {
  return Learner(options).learn(words);
}

}  // namespace bert::text
