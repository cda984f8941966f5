#include "examples/steps.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "examples/share.h"

namespace bert::examples {
namespace {

std::string name_of(int64_t records, int64_t bytes) {
  if (records == 0) return "a pipe";
  return "FILEs of " + std::to_string(records) + " records in " + std::to_string(bytes) + " bytes";
}

}  // namespace

void Batch::add(std::unique_ptr<Example> example, uint64_t first_sequence) {
  for (size_t i = 0; i < example->sequences().size(); ++i) sequences.push_back(first_sequence + i);
  examples.push_back(std::move(example));
}

Steps::Steps(RecordSource& source, ExampleReader& reader, const StepOptions& options,
             comm::Communicator& ranks)
    : source_(source), reader_(reader), options_(options), ranks_(ranks), queue_(source, reader, ranks) {
  position_.records = source.records();
  position_.bytes = source.bytes();
  position_.checksum = source.checksum();
}

Steps::Steps(RecordSource& source, ExampleReader& reader, const StepOptions& options)
    : Steps(source, reader, options, alone_) {}

void Steps::skip_to(const DataPosition& position) {
  if (position.records != source_.records() || position.bytes != source_.bytes())
    throw Error("the training data are ", name_of(source_.records(), source_.bytes()),
                ", but the run so far used ", name_of(position.records, position.bytes));
  const bool is_pipe = position.records == 0;
  if (!is_pipe && position.checksum != 0 && position.checksum != source_.checksum())
    throw Error("the training data have changed since the run was stopped");
  queue_.skip_to(position.drawn, position.within, is_pipe ? position.checksum : 0);
  position_ = position;
}

bool Steps::next(Step& step) {
  step = {};
  std::vector<Entry> entries;
  std::vector<int> owners;
  std::vector<size_t> ends;  // of the batches, in entries
  std::vector<int64_t> loads(ranks_.size());
  Next next;
  while (!next.ended && std::ssize(ends) < options_.accumulate) {
    const size_t begin = entries.size();
    next = fill(entries);
    if (entries.size() == begin) break;
    std::vector<Weight> batch;
    for (size_t i = begin; i < entries.size(); ++i)
      batch.push_back({entries[i].outline.tokens, queue_.reader_of(entries[i])});
    const auto of_batch = share_out(batch, loads);
    owners.insert(owners.end(), of_batch.begin(), of_batch.end());
    ends.push_back(entries.size());
  }
  if (source_.interrupted()) return false;
  position_.drawn = next.drawn;
  position_.within = next.within;
  if (position_.records == 0) position_.checksum = source_.drawn_checksum(next.drawn);
  if (entries.empty()) return false;
  step = deal(std::move(entries), owners, ends);
  return true;
}

// Makes the step of the examples that each rank gets.
Step Steps::deal(std::vector<Entry> entries, const std::vector<int>& owners,
                 const std::vector<size_t>& ends) {
  Step step;
  std::vector<uint64_t> first_sequences = {0};
  for (const auto& entry : entries) {
    step.tokens += entry.outline.tokens;
    ++step.sequences;
    first_sequences.push_back(first_sequences.back() + entry.outline.sequences);
  }
  auto own = queue_.give(std::move(entries), owners, position_.drawn);
  size_t i = 0;
  for (const size_t end : ends) {
    auto& batch = step.batches.emplace_back();
    for (; i < end; ++i)
      if (own[i]) batch.add(std::move(own[i]), first_sequences[i]);
  }
  return step;
}

// Appends the entries of a batch.
Steps::Next Steps::fill(std::vector<Entry>& entries) {
  int64_t sequences = 0, tokens = 0;
  for (;;) {
    if (!options_.tokens && sequences == options_.sequences) {
      const auto* rest = queue_.rest_of_record();
      return rest ? at(*rest) : Next{.drawn = entries.back().record.number + 1};
    }
    const auto* next = queue_.front();
    if (!next) return {.drawn = source_.drawn(), .within = 0, .ended = true};
    if (options_.tokens && sequences > 0 && tokens + next->outline.tokens > *options_.tokens)
      return at(*next);
    tokens += next->outline.tokens;
    ++sequences;
    reader_.check(next->outline);
    entries.push_back(queue_.take());
  }
}

Steps::Next Steps::at(const Entry& entry) {
  return {.drawn = entry.record.number, .within = entry.outline.number};
}

}  // namespace bert::examples
