// Next sentence prediction (Devlin et al. 2018, section 3.1, task 2): documents are split into chunks of
// sentences and chunks into A and B; half of the Bs are replaced by text from another document.
//
//   sentences of a document        1 2 3 4 5 6 7 …
//   a chunk that fills an instance 1 2 3 4               A = 1 2, B = 3 4:  label 0
//   or with a random B             1 2 3 4               A = 1 2, B random: label 1; next chunk starts at 3
//
// Differences from Google's create_pretraining_data.py: the label is drawn before the chunk, so that label
// shares are as requested; a chunk has at least two sentences, so that no instance gets label 1 for lack of a
// B; and short_probability applies to each instance, not to each document.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_allocator.h"
#include "base/random.h"

namespace bert::corpus {

struct PairRule {
  // next: B follows or is random. sentence: the same with a sentence each. order: A and B are in order or
  // swapped (Lan et al. 2020, ALBERT). none: full sentences up to the maximum length, without B or label, of
  // one document; full: of several (corpus/full_sentences.h). Liu et al. 2019, section 4.2, compare them:
  // SEGMENT-PAIR+NSP, SENTENCE-PAIR+NSP, -, DOC-SENTENCES, FULL-SENTENCES.
  enum class Mode { next, sentence, order, none, full };

  Mode mode = Mode::next;
  int64_t max_length = 128;         // special tokens included; >= kShortestPairs
  double short_probability = 0.1;   // probability that an instance gets a random shorter length
  double random_probability = 0.5;  // probability of label 1
  int64_t pair_specials = 3;        // special tokens of a pair

  bool makes_pairs() const { return mode != Mode::none && mode != Mode::full; }
  bool draws_second() const { return mode == Mode::next || mode == Mode::sentence; }
};

constexpr int64_t kShortestPairs = 5;  // [CLS] a [SEP] b [SEP]

// A document without special tokens. Sentence s is ids[begins[s], begins[s + 1]), never empty.
struct Document {
  int64_t place = 0;  // in the input
  std::string id;     // JSON text of its field id; "" without one
  std::vector<int32_t, MappedAllocator<int32_t>> ids;
  std::vector<size_t> begins = {0};  // one entry more than there are sentences

  size_t sentences() const { return begins.size() - 1; }
};

// Documents that provide random sentences for each other.
using DocumentBlock = std::vector<Document>;

struct Instance {
  std::span<const int32_t> first, second;  // in documents of the block; second is empty without pairs
  int label = 0;                           // 1: second is random, or the two are swapped
  bool is_short = false;                   // a shorter length was drawn
};

// Separates the random streams of instances from those of other tools with the same seed.
constexpr uint64_t kPairStream = 0x70616972;

// A target length, at most `room`.
struct DrawnLength {
  int64_t tokens = 0;
  bool is_short = false;
};
DrawnLength draw_length(const PairRule& rule, int64_t room, Random& random);

// Removes a token at the front or the back.
void shorten(std::span<const int32_t>& tokens, Random& random);

// One pass over one document of a block. Depends only on the block, the rule and `random`. Does not allocate.
class Instances {
 public:
  // Not for Mode::full. `block` must outlive this object and, if it draws seconds, have two documents.
  Instances(const PairRule& rule, const DocumentBlock& block, size_t document, Random random);

  bool next(Instance& instance);  // false at the end

 private:
  std::span<const int32_t> sentences(const Document& document, size_t begin, size_t end) const;
  std::span<const int32_t> random_second(int64_t wanted);
  int64_t draw_length(Instance& instance);
  bool next_pair(Instance& instance);
  bool next_sentences(Instance& instance);

  const PairRule rule_;
  const DocumentBlock& block_;
  const size_t index_;  // index of the document
  const Document& document_;
  const int64_t room_;  // tokens without special tokens
  Random random_;
  size_t sentence_ = 0;  // start of the next chunk
};

}  // namespace bert::corpus
