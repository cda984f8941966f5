#include "train/document_frequencies.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bert::train {
namespace {

class CountingReader final : public examples::ExampleReader {
 public:
  CountingReader(std::unique_ptr<examples::ExampleReader> reader, DocumentFrequencies& frequencies)
      : reader_(std::move(reader)), frequencies_(frequencies) {}

  void begin(const io::Fields& fields) override { reader_->begin(fields); }
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            examples::Examples& examples) const override {
    const size_t before = examples.size();
    reader_->read(fields, record, epoch, examples);
    for (size_t i = before; i < examples.size(); ++i) frequencies_.add(*examples[i]);
  }
  void check(const examples::Outline& example) override { reader_->check(example); }

 private:
  const std::unique_ptr<examples::ExampleReader> reader_;
  DocumentFrequencies& frequencies_;
};

}  // namespace

std::vector<int32_t> different(std::span<const int32_t> ids) {
  std::vector<int32_t> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

void DocumentFrequencies::add(const examples::Example& example) {
  const auto sequences = example.sequences();
  for (size_t i = example.looked_up; i < sequences.size(); ++i) {
    for (const int32_t id : different(sequences[i].ids)) ++counts_[id];
    ++documents_;
  }
}

std::vector<float> DocumentFrequencies::inverse(comm::Communicator& ranks) const {
  std::vector<double> counts(counts_.begin(), counts_.end());
  counts.push_back(static_cast<double>(documents_));
  ranks.sum(counts);
  const double documents = counts.back();
  std::vector<float> weights(counts_.size());
  for (size_t id = 0; id < weights.size(); ++id)
    if (!tokenizer_.is_special(static_cast<int32_t>(id)))
      weights[id] = static_cast<float>(std::log1p((documents - counts[id] + 0.5) / (counts[id] + 0.5)));
  return weights;
}

std::unique_ptr<examples::ExampleReader> DocumentFrequencies::counting(
    std::unique_ptr<examples::ExampleReader> reader) {
  return std::make_unique<CountingReader>(std::move(reader), *this);
}

}  // namespace bert::train
