#include "text/unigram_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "text/alphabet.h"
#include "text/bpe_learner.h"
#include "text/byte_trie.h"
#include "text/frequent_substrings.h"

namespace bert::text {
namespace {

constexpr int kIterations = 2;       // of EM between two removals
constexpr double kKept = 0.75;       // of the tokens, by a removal
constexpr double kSpare = 1.1;       // removals stop at this multiple of the size, then the best are taken
constexpr double kLeastCount = 0.5;  // a token expected less often is removed; a character has this count
constexpr double kNever = -std::numeric_limits<double>::infinity();

struct Piece {
  std::string text;
  double score = 0;     // log probability; kNever if removed
  double expected = 0;  // number of occurrences
  bool character = false;
};

// The tokens that fit a word: those that begin at `begin` are edges[firsts[begin]], ... in `end`'s order.
// Positions are bytes; only the beginnings of characters have edges.
class Lattice {
 public:
  struct Edge {
    uint32_t end = 0;
    int32_t piece = 0;
    double weight = 0;  // probability of this edge among those of its beginning
  };

  void find(std::string_view word, const ByteTrie& trie, std::span<const Piece> pieces) {
    edges_.clear();
    firsts_.clear();
    for (uint32_t begin = 0; begin < word.size(); ++begin) {
      firsts_.push_back(edges_.size());
      int32_t node = ByteTrie::kRoot;
      for (uint32_t end = begin; end < word.size();) {
        node = trie.child(node, word[end++]);
        if (node == ByteTrie::kNone) break;
        const int32_t piece = trie.id(node);
        if (piece != ByteTrie::kNone && pieces[piece].score != kNever)
          edges_.push_back({.end = end, .piece = piece});
      }
    }
    firsts_.push_back(edges_.size());
  }

  std::span<Edge> from(size_t begin) {
    return std::span(edges_).subspan(firsts_[begin], firsts_[begin + 1] - firsts_[begin]);
  }
  size_t size() const { return firsts_.size() - 1; }

 private:
  std::vector<Edge> edges_;
  std::vector<uint32_t> firsts_;
};

class UnigramLearner {
 public:
  explicit UnigramLearner(const LearnerOptions& options) : options_(options) {}
  LearnedUnigram learn(std::span<const WordCount> words) &&;

 private:
  void add_characters(std::span<const Character> characters);
  void divide_words(std::span<const WordCount> words, std::span<const Character> characters);
  void add_substrings();
  void expect(const ByteTrie& trie);
  void expect(const WordCount& word, const ByteTrie& trie);
  void maximize();
  ByteTrie trie() const;
  void drop_removed();
  double loss(int32_t piece, double total, const ByteTrie& trie);
  bool divide_piece(int32_t piece, const ByteTrie& trie, std::vector<int32_t>& parts);
  void remove(size_t kept);
  void take_best(size_t count);

  const LearnerOptions& options_;
  std::vector<WordCount> words_;
  std::vector<Piece> pieces_;
  Lattice lattice_;
  std::vector<double> sums_;  // by position in a word
};

void UnigramLearner::add_characters(std::span<const Character> characters) {
  for (const Character& character : characters)
    pieces_.push_back({.text = std::string(character.bytes), .score = 0, .character = true});
  const size_t least = kRobertaSpecials.size() + pieces_.size();
  if (static_cast<int64_t>(least) > options_.size)
    throw Error("a vocabulary of ", options_.size, " tokens is too small: special tokens and ",
                pieces_.size(), " characters are ", least);
}

// Only characters that have a token remain.
void UnigramLearner::divide_words(std::span<const WordCount> words, std::span<const Character> characters) {
  if (options_.alphabet_limit < 0) {
    words_.assign(words.begin(), words.end());
    return;
  }
  std::unordered_set<std::string_view> known;
  for (const Character& character : characters) known.insert(character.bytes);
  for (const auto& [word, count] : words) {
    size_t begin = 0;
    for (size_t at = 0; at < word.size();) {
      const std::string_view character = first_character(word.substr(at));
      const size_t next = at + character.size();
      if (!known.contains(character)) {
        if (begin < at) words_.push_back({word.substr(begin, at - begin), count});
        begin = next;
      }
      at = next;
    }
    if (begin < word.size()) words_.push_back({word.substr(begin), count});
  }
}

void UnigramLearner::add_substrings() {
  for (const auto& [text, count] : frequent_substrings(words_, {.min_count = options_.min_frequency}))
    pieces_.push_back({.text = std::string(text), .score = static_cast<double>(count)});
  // The characters begin as if each occurred once.
  double total = 0;
  for (Piece& piece : pieces_) total += piece.character ? 1 : piece.score;
  for (Piece& piece : pieces_) piece.score = std::log((piece.character ? 1 : piece.score) / total);
}

ByteTrie UnigramLearner::trie() const {
  std::vector<std::string> texts;
  texts.reserve(pieces_.size());
  for (const Piece& piece : pieces_) texts.push_back(piece.text);
  return ByteTrie(texts);
}

void UnigramLearner::expect(const ByteTrie& trie) {
  for (Piece& piece : pieces_) piece.expected = 0;
  for (const WordCount& word : words_) expect(word, trie);
}

// Backwards, sums_[i] is the log of the probability of all divisions of the word from i on, and an edge gets
// its share of it. Forwards, sums_[i] is how often a division of the word is expected to have a token that
// begins at i.
void UnigramLearner::expect(const WordCount& word, const ByteTrie& trie) {
  lattice_.find(word.word, trie, pieces_);
  sums_.assign(lattice_.size() + 1, kNever);
  sums_.back() = 0;
  for (size_t at = lattice_.size(); at-- > 0;) {
    const auto edges = lattice_.from(at);
    double most = kNever, sum = 0;
    for (auto& edge : edges) {
      edge.weight = pieces_[edge.piece].score + sums_[edge.end];
      most = std::max(most, edge.weight);
    }
    if (most == kNever) continue;
    for (auto& edge : edges) sum += edge.weight = std::exp(edge.weight - most);
    for (auto& edge : edges) edge.weight /= sum;
    sums_[at] = most + std::log(sum);
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  sums_[0] = word.count;
  for (size_t at = 0; at < lattice_.size(); ++at) {
    if (sums_[at] == 0) continue;
    for (const auto& edge : lattice_.from(at)) {
      const double expected = sums_[at] * edge.weight;
      pieces_[edge.piece].expected += expected;
      sums_[edge.end] += expected;
    }
  }
}

void UnigramLearner::maximize() {
  double total = 0;
  for (Piece& piece : pieces_) {
    if (piece.character) piece.expected = std::max(piece.expected, kLeastCount);
    if (piece.expected < kLeastCount) piece.expected = 0;
    total += piece.expected;
  }
  const double log_total = digamma(total);
  for (Piece& piece : pieces_)
    piece.score = piece.expected > 0 ? digamma(piece.expected) - log_total : kNever;
}

void UnigramLearner::drop_removed() {
  std::erase_if(pieces_, [](const Piece& piece) { return piece.score == kNever; });
}

// The most probable division of a token's text into other tokens. False if it is better than the token.
bool UnigramLearner::divide_piece(int32_t piece, const ByteTrie& trie, std::vector<int32_t>& parts) {
  const std::string& text = pieces_[piece].text;
  lattice_.find(text, trie, pieces_);
  sums_.assign(lattice_.size() + 1, kNever);
  sums_.back() = 0;
  std::vector<Lattice::Edge> best(lattice_.size());
  for (size_t at = lattice_.size(); at-- > 0;) {
    for (const auto& edge : lattice_.from(at)) {
      const double score = pieces_[edge.piece].score + sums_[edge.end];
      if (edge.piece == piece || !(score > sums_[at])) continue;
      sums_[at] = score;
      best[at] = edge;
    }
  }
  parts.clear();
  for (size_t at = 0; at < best.size(); at = best[at].end) parts.push_back(best[at].piece);
  return sums_[0] <= pieces_[piece].score;
}

// How much the log likelihood of the words falls without the token, if each of its occurrences becomes the
// tokens of its best division:
//   c · log(c / N)  becomes  c · Σ log((c_part + c) / (N + c · (parts - 1)))
double UnigramLearner::loss(int32_t index, double total, const ByteTrie& trie) {
  std::vector<int32_t> parts;
  const bool best = divide_piece(index, trie, parts);
  const double count = pieces_[index].expected;
  if (!best) return 0;
  const double log_divided = std::log(total + count * static_cast<double>(parts.size() - 1));
  double change = std::log(count) - std::log(total);
  for (const int32_t part : parts) change -= std::log(pieces_[part].expected + count) - log_divided;
  return count * change;
}

// Removes the tokens with the least loss, until `kept` remain.
void UnigramLearner::remove(size_t kept) {
  const ByteTrie trie = this->trie();
  double total = 0;
  size_t characters = 0;
  for (const Piece& piece : pieces_) {
    total += piece.expected;
    characters += piece.character ? 1 : 0;
  }
  std::vector<std::pair<double, int32_t>> losses;
  for (int32_t index = 0; index < std::ssize(pieces_); ++index)
    if (!pieces_[index].character) losses.emplace_back(-loss(index, total, trie), index);
  const size_t stay = kept > characters ? kept - characters : 0;
  if (stay >= losses.size()) return;
  const auto first_out = losses.begin() + static_cast<ptrdiff_t>(stay);
  std::nth_element(losses.begin(), first_out, losses.end());
  for (auto out = first_out; out != losses.end(); ++out) pieces_[out->second].score = kNever;
  drop_removed();
}

// Keeps the characters and the other tokens with the highest scores, and sorts by score.
void UnigramLearner::take_best(size_t count) {
  const auto better = [](const Piece& a, const Piece& b) {
    return a.score != b.score ? a.score > b.score : a.text < b.text;
  };
  std::sort(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) {
    return a.character != b.character ? a.character : better(a, b);
  });
  if (pieces_.size() > count) pieces_.resize(count);
  expect(trie());
  for (Piece& piece : pieces_) piece.expected = std::max(piece.expected, kLeastCount);
  maximize();
  std::sort(pieces_.begin(), pieces_.end(), better);
}

LearnedUnigram UnigramLearner::learn(std::span<const WordCount> words) && {
  const auto characters = alphabet_of(words, options_.alphabet_limit);
  add_characters(characters);
  divide_words(words, characters);
  add_substrings();
  const auto count = options_.size - kRobertaSpecials.size();
  const auto spare = static_cast<size_t>(kSpare * count);
  for (;;) {
    const ByteTrie trie = this->trie();
    for (int i = 0; i < kIterations; ++i) {
      expect(trie);
      maximize();
    }
    drop_removed();
    if (pieces_.size() <= spare) break;
    remove(std::max(spare, static_cast<size_t>(kKept * pieces_.size())));
  }
  take_best(count);
  LearnedUnigram learned;
  const auto add = [&](std::string_view text, double score) {
    learned.subwords.emplace_back(text);
    learned.data.scores.push_back(score);
  };
  for (const std::string_view special : std::span(kRobertaSpecials).first(4)) add(special, 0);
  for (const Piece& piece : pieces_) add(piece.text, piece.score);
  add(kRobertaSpecials.back(), 0);
  learned.data.unk = 3;
  return learned;
}

}  // namespace

// By the recurrence digamma(x) = digamma(x + 1) - 1/x, then the asymptotic series (Abramowitz and Stegun,
// 6.3.5 and 6.3.18).
double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  const double square = 1 / (x * x);
  const double series = square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
  return result + std::log(x) - 0.5 / x - series;
}

LearnedUnigram learn_unigram(std::span<const WordCount> words, const LearnerOptions& options) {
  return UnigramLearner(options).learn(words);
}

}  // namespace bert::text
