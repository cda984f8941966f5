#include "examples/example_queue.h"

#include <utility>

#include "base/error.h"
#include "comm/message.h"

namespace bert::examples {
namespace {

constexpr int64_t kBlockRecords = 16;  // of each rank in a block

using comm::append;
using comm::take_number;
using comm::take_text;

void append(std::string& out, const Example& example) {
  append(out, example.tokens());
  append(out, example.sequences().size());
  append(out, int64_t{example.truncated});
  append(out, int64_t{example.paired});
  append(out, int64_t{example.has_next_sentence_label()});
}

Outline take_outline(std::string_view& in) {
  Outline outline;
  outline.tokens = take_number(in);
  outline.sequences = take_number(in);
  outline.truncated = take_number(in) != 0;
  outline.paired = take_number(in) != 0;
  outline.has_next_sentence_label = take_number(in) != 0;
  return outline;
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
  for (Drawn record; std::ssize(block) < count && source_.draw(record);)
    block.push_back(std::exchange(record, {}));
  if (block.empty()) {
    if (!source_.interrupted()) source_.require_valid();
    return false;
  }
  std::deque<Examples> own;
  const auto messages = ranks_.all_gather(read_own(block, own));
  std::vector<std::string_view> rest(messages.begin(), messages.end());
  for (auto& record : block) {
    const int reader = bert::examples::reader_of(record, ranks_.size());
    const bool is_own = reader == ranks_.rank();
    add(std::move(record), rest[reader], is_own ? &own.front() : nullptr);
    if (is_own) own.pop_front();
  }
  return true;
}

// Reads this rank's records of the block. Returns a message with an outline of what they have.
std::string ExampleQueue::read_own(std::vector<Drawn>& block, std::deque<Examples>& own) {
  std::string message;
  for (auto& record : block) {
    if (bert::examples::reader_of(record, ranks_.size()) != ranks_.rank()) continue;
    auto& examples = own.emplace_back();
    std::string where;
    auto found = Found::examples;
    std::optional<std::string> bad;
    try {
      bad = source_.read(record, [&](const io::Fields& fields, const io::Record& parsed, int64_t epoch) {
        reader_.read(fields, parsed, epoch, examples);
        where = parsed.where();
      });
      if (bad) found = Found::skipped;
    } catch (const Error& error) {
      found = Found::fatal;
      bad = error.what();
    }
    append(message, static_cast<int64_t>(found));
    append(message, std::string_view(bad ? *bad : where));
    if (bad) continue;
    append(message, examples.size());
    for (auto& example : examples) {
      example->where = where;
      append(message, *example);
    }
  }
  return message;
}

// `own`: the record's examples, if this rank has read it.
void ExampleQueue::add(Drawn record, std::string_view& message, Examples* own) {
  const auto found = static_cast<Found>(take_number(message));
  auto text = take_text(message);
  if (found != Found::examples) {
    auto& bad = waiting_.emplace_back();
    bad.record = std::move(record);
    bad.found = found;
    bad.error = std::move(text);
    return;
  }
  const int64_t count = take_number(message);
  for (int64_t number = 0; number < count; ++number) {
    auto outline = take_outline(message);
    if (number < leave_out_) continue;
    outline.where = text;
    outline.epoch = record.epoch;
    outline.number = number;
    auto& waiting = waiting_.emplace_back();
    waiting.record = record;
    waiting.outline = std::move(outline);
    if (own) waiting.example = std::move((*own)[number]);
  }
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
