// How many documents have each token: what tells rare tokens from common ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "examples/example.h"
#include "text/tokenizer.h"

namespace bert::train {

// The different tokens of a text, ascending.
std::vector<int32_t> different(std::span<const int32_t> ids);

class DocumentFrequencies {
 public:
  explicit DocumentFrequencies(const text::Tokenizer& tokenizer)
      : tokenizer_(tokenizer), counts_(tokenizer.size()) {}

  // Counts the sequences that the network reads, all of them documents. Any thread may add an example.
  void add(const examples::Example& example);

  // The weight of each token by id, ln(1 + (N - n + ½) / (n + ½)) if n of N documents have it, as in BM25 and
  // in the models of OpenSearch; 0 for special tokens. N counts the documents of all ranks.
  std::vector<float> inverse(comm::Communicator& ranks) const;

  // A reader that adds what it reads. This object must outlive it.
  std::unique_ptr<examples::ExampleReader> counting(std::unique_ptr<examples::ExampleReader> reader);

 private:
  const text::Tokenizer& tokenizer_;
  std::vector<std::atomic<int64_t>> counts_;  // by id
  std::atomic<int64_t> documents_ = 0;
};

}  // namespace bert::train
