#include "examples/example_queue.h"

#include <utility>

#include "base/error.h"

namespace bert::examples {
namespace {

constexpr int64_t kBlockRecords = 16;  // of each rank in a block

Outline outline_of(const Example& example, int64_t epoch, int64_t number) {
  return {.where = example.where,
          .epoch = epoch,
          .number = number,
          .tokens = example.tokens(),
          .sequences = std::ssize(example.sequences()),
          .traits = example.traits,
          .has_next_sentence_label = example.has_next_sentence_label()};
}

}  // namespace

ExampleQueue::ExampleQueue(RecordSource& source, const ExampleReader& reader, comm::Communicator& ranks)
    : source_(source), reader_(reader), ranks_(ranks) {}

const ExampleQueue::Entry* ExampleQueue::front() {
  for (;;) {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      const auto& next = waiting_.front();
      if (next.found == Found::examples) return &next;
      if (next.found == Found::fatal) throw Error(next.error);
      source_.skip(next.record, next.error);
    }
    if (!read_block()) return nullptr;
  }
}

ExampleQueue::Entry ExampleQueue::take() {
  Entry entry = std::move(waiting_.front());
  waiting_.pop_front();
  return entry;
}

const ExampleQueue::Entry* ExampleQueue::rest_of_record() const {
  return !waiting_.empty() && waiting_.front().outline.number > 0 ? &waiting_.front() : nullptr;
}

void ExampleQueue::skip_to(int64_t drawn, int64_t within, uint64_t checksum) {
  waiting_.clear();
  source_.skip_to(drawn, checksum);
  leave_out_ = within;
  again_ = -1;
}

// Returns false if there are no more records.
bool ExampleQueue::read_block() {
  const int64_t count = ranks_.alone() ? 1 : kBlockRecords * ranks_.size();
  std::vector<Drawn> block;
  std::vector<Contents> contents;
  for (Drawn record; std::ssize(block) < count && source_.draw(record);)
    block.push_back(std::exchange(record, {}));
  if (block.empty()) {
    if (!source_.interrupted()) source_.require_valid();
    return false;
  }
  for (auto& record : block)
    if (bert::examples::reader_of(record, ranks_.size()) == ranks_.rank()) contents.push_back(read(record));
  if (!ranks_.alone()) contents = gather_contents(ranks_, block, std::move(contents));
  for (size_t i = 0; i < block.size(); ++i) add(block[i], std::move(contents[i]));
  return true;
}

Contents ExampleQueue::read(Drawn& record) {
  Contents contents;
  auto& examples = contents.examples;
  try {
    const auto bad =
        source_.read(record, [&](const io::Fields& fields, const io::Record& parsed, int64_t epoch) {
          reader_.read(fields, parsed, epoch, examples);
          contents.text = parsed.where();
        });
    if (bad) return {.found = Found::skipped, .text = *bad};
  } catch (const Error& error) {
    return {.found = Found::fatal, .text = error.what()};
  }
  for (auto& example : examples) {
    example->where = contents.text;
    contents.outlines.push_back(outline_of(*example, record.epoch, std::ssize(contents.outlines)));
  }
  return contents;
}

void ExampleQueue::add(const Drawn& record, Contents contents) {
  if (contents.found != Found::examples) {
    waiting_.push_back({{record}, contents.found, std::move(contents.text)});
    return;
  }
  auto& examples = contents.examples;
  for (size_t i = leave_out_; i < contents.outlines.size(); ++i)
    waiting_.push_back(
        {{record, std::move(contents.outlines[i]), i < examples.size() ? std::move(examples[i]) : nullptr}});
  leave_out_ = 0;
}

Examples ExampleQueue::give(std::vector<Entry> entries, const std::vector<int>& owners, int64_t drawn) {
  std::vector<Move> moves;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (reader_of(entries[i]) != owners[i]) moves.push_back({&entries[i].record, owners[i]});
  }
  source_.bring(moves, drawn);
  Examples examples(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (owners[i] != ranks_.rank()) continue;
    examples[i] = entries[i].example ? std::move(entries[i].example) : read_again(entries[i]);
  }
  return examples;
}

std::unique_ptr<Example> ExampleQueue::read_again(Entry& entry) {
  if (std::exchange(again_, entry.record.number) != entry.record.number) {
    examples_.clear();
    const auto bad =
        source_.read(entry.record, [&](const io::Fields& fields, const io::Record& record, int64_t epoch) {
          reader_.read(fields, record, epoch, examples_);
        });
    if (bad) throw Error(*bad);
  }
  auto example = std::move(examples_[entry.outline.number]);
  example->where = entry.outline.where;
  return example;
}

}  // namespace bert::examples
