// Next sentence prediction (Devlin et al. 2018, section 3.1, task 2): documents are cut into chunks of
// sentences, a chunk into A and B, and half of the Bs are taken from another document.
//
//   sentences of a document        1 2 3 4 5 6 7 …
//   a chunk that fills an instance 1 2 3 4               A = 1 2, B = 3 4:      label 0
//   or with a random B             1 2 3 4               A = 1 2, B of another: label 1; goes on at 3
//
// Three things differ from Google's create_pretraining_data.py: the label is drawn before the chunk, so that
// the shares are as asked; a chunk has two sentences at least, so that none is labelled 1 for want of a B;
// and each instance, not each document, is short with short_probability.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_allocator.h"
#include "base/random.h"

namespace bert::data {

struct PairRule {
  // next: B follows or is random. order: B follows or both are swapped (Lan et al. 2020, ALBERT). none: as
  // many full sentences as there is room for, without B or label (Liu et al. 2019, RoBERTa).
  enum class Mode { next, order, none };

  Mode mode = Mode::next;
  int64_t max_length = 128;         // specials included; >= kShortestPairs
  double short_probability = 0.1;   // of an instance to aim at a random shorter length
  double random_probability = 0.5;  // of label 1
};

constexpr int64_t kShortestPairs = 5;  // [CLS] a [SEP] b [SEP]

// A document without specials. Sentence s is ids[begins[s], begins[s + 1]), never empty.
struct Document {
  int64_t place = 0;  // in the input
  std::string id;     // JSON text of its field id; "" without one
  std::vector<int32_t, MappedAllocator<int32_t>> ids;
  std::vector<size_t> begins = {0};  // one more than there are sentences

  size_t sentences() const { return begins.size() - 1; }
};

// Documents that lend each other random sentences.
using DocumentBlock = std::vector<Document>;

struct Instance {
  std::span<const int32_t> first, second;  // of documents of the block; second is empty with Mode::none
  int label = 0;                           // 1: second is random, or comes before first
  bool is_short = false;                   // the shorter length was drawn
};

// One pass over one document of a block. The same `random` gives the same instances. No allocations.
class Instances {
 public:
  // `block` outlives this object. Mode::next needs a second document there.
  Instances(const PairRule& rule, const DocumentBlock& block, size_t document, Random random);

  bool next(Instance& instance);  // false when there are no more

 private:
  std::span<const int32_t> sentences(const Document& document, size_t begin, size_t end) const;
  std::span<const int32_t> random_second(int64_t wanted);
  int64_t draw_length(Instance& instance);
  bool next_pair(Instance& instance);
  bool next_sentences(Instance& instance);
  void shorten(std::span<const int32_t>& tokens);

  const PairRule rule_;
  const DocumentBlock& block_;
  const size_t index_;  // of the document
  const Document& document_;
  const int64_t room_;  // tokens beside the specials
  Random random_;
  size_t sentence_ = 0;  // where the next chunk begins
};

}  // namespace bert::data
