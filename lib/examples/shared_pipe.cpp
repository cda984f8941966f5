#include "examples/shared_pipe.h"

#include <cassert>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "comm/message.h"

namespace bert::examples {
namespace {

constexpr int64_t kRecords = 16;              // for each rank, drawn at a time
constexpr int64_t kBytes = int64_t{1} << 24;  // then no further record

using comm::append;
using comm::append_real;
using comm::take_number;
using comm::take_real;
using comm::take_text;

void append(std::string& out, const std::vector<io::ContextWord>& words) {
  append(out, words.size());
  for (const auto& [word, tag, scores] : words) {
    append(out, std::string_view(word));
    append(out, std::string_view(tag));
    append(out, scores.size());
    for (const auto& [name, p] : scores) {
      append(out, std::string_view(name));
      append_real(out, p);
    }
  }
}

std::vector<io::ContextWord> take_words(std::string_view& in) {
  std::vector<io::ContextWord> words(take_number(in));
  for (auto& [word, tag, scores] : words) {
    word = take_text(in);
    tag = take_text(in);
    scores.resize(take_number(in));
    for (auto& [name, p] : scores) {
      name = take_text(in);
      p = take_real(in);
    }
  }
  return words;
}

void append(std::string& out, const io::RawRecord& record) {
  const auto& source = *record.source;
  append(out, std::string_view(source.name));
  append(out, static_cast<int64_t>(source.format));
  append(out, int64_t{source.format_guessed});
  append(out, source.header_line);
  append(out, int64_t{source.in_context});
  append(out, int64_t{source.delimiter});
  append(out, source.conll.word);
  append(out, source.conll.tag ? *source.conll.tag : -1);
  append(out, int64_t{source.conll.universal});
  append(out, source.conll.id ? *source.conll.id : -1);
  append(out, source.conll.names.size());
  for (const std::string_view name : source.conll.names) append(out, name);
  append(out, std::string_view(source.conll.tag_key));
  append(out, source.columns.size());
  for (const std::string_view column : source.columns) append(out, column);
  append(out, record.line);
  append(out, record.place);
  append(out, std::string_view(record.bytes));  // with the padding
  if (!source.in_context) return;
  append(out, std::string_view(record.context->failure));
  append(out, record.context->before);
  append(out, record.context->after);
}

io::RawRecord take_record(std::string_view& in) {
  auto source = std::make_shared<io::Source>();
  source->name = take_text(in);
  source->format = static_cast<io::InputFormat>(take_number(in));
  source->format_guessed = take_number(in) != 0;
  source->header_line = take_number(in);
  source->in_context = take_number(in) != 0;
  source->delimiter = static_cast<char>(take_number(in));
  source->conll.word = take_number(in);
  if (const auto tag = take_number(in); tag >= 0) source->conll.tag = tag;
  source->conll.universal = take_number(in) != 0;
  if (const auto id = take_number(in); id >= 0) source->conll.id = id;
  for (auto names = take_number(in); names > 0; --names) source->conll.names.push_back(take_text(in));
  source->conll.tag_key = take_text(in);
  for (auto columns = take_number(in); columns > 0; --columns) source->columns.push_back(take_text(in));
  io::RawRecord record;
  record.source = std::move(source);
  record.line = take_number(in);
  record.place = take_number(in);
  record.bytes = take_text(in);
  if (!record.source->in_context) return record;
  record.context.emplace();
  record.context->failure = take_text(in);
  record.context->before = take_words(in);
  record.context->after = take_words(in);
  return record;
}

}  // namespace

SharedPipe::SharedPipe(const io::StreamOptions& stream, comm::Communicator& ranks,
                       std::unique_ptr<RecordSource> pipe, Log& log)
    : RecordSource(stream, log), ranks_(ranks), pipe_(std::move(pipe)) {}

// For each rank: the number of records drawn; 'm' if there may be more, 'e' at the end, 'i' if interrupted;
// the message if the input then fails; and the records that it reads.
std::vector<std::string> SharedPipe::drawn_by_first() {
  const int ranks = ranks_.size();
  std::vector<std::string> records(ranks);
  int64_t count = 0, bytes = 0;
  Drawn record;
  std::string failure;
  const auto draw = [&] {
    try {
      return pipe_->draw(record);
    } catch (const Error& error) {
      failure = error.what();
      return false;
    }
  };
  char state = 'm';
  while (count < kRecords * ranks && bytes < kBytes && state == 'm') {
    if (draw()) {
      if (const int reader = reader_of(record, ranks); reader != 0) {
        auto& message = records[reader];
        append(message, record.number);
        append(message, record.raw);
      }
      bytes += record.raw.size();
      held_[record.number] = std::move(record.raw);
      ++count;
    } else {
      state = pipe_->interrupted() ? 'i' : 'e';
    }
  }
  for (auto& message : records) {
    std::string head;
    append(head, count);
    head += state;
    append(head, std::string_view(failure));
    message = head + message;
  }
  return records;
}

void SharedPipe::receive(const std::string& message) {
  std::string_view in = message;
  known_ = take_number(in);
  ended_ = in.front() != 'm';
  interrupted_ = in.front() == 'i';
  in.remove_prefix(1);
  failure_ = take_text(in);
  hold(in);
}

// Adds the records of a message: the number of each and its bytes.
void SharedPipe::hold(std::string_view in) {
  while (!in.empty()) {
    const int64_t number = take_number(in);
    held_[number] = take_record(in);
  }
}

bool SharedPipe::draw(Drawn& record) {
  if (known_ == 0 && !ended_) receive(ranks_.scatter(pipe_ ? drawn_by_first() : std::vector<std::string>()));
  if (known_ == 0 && !failure_.empty()) throw Error(failure_);
  if (known_ == 0) return false;
  --known_;
  record = {.number = drawn_++, .epoch = 0, .index = 0, .raw = {}};
  return true;
}

void SharedPipe::bring(std::span<const Move> moves, int64_t drawn) {
  held_.erase(held_.begin(), held_.lower_bound(needed_from_));
  needed_from_ = drawn;
  std::vector<std::string> messages;
  if (pipe_) {
    messages.resize(ranks_.size());
    for (const auto& move : moves) {
      if (move.to == 0) continue;
      auto& message = messages[move.to];
      append(message, move.record->number);
      append(message, held_.at(move.record->number));
    }
  }
  hold(ranks_.scatter(std::move(messages)));
}

std::optional<io::RawRecord> SharedPipe::ahead(int64_t i) {
  assert(held_.empty());  // records are looked at before the first is drawn
  std::string message;
  if (pipe_) {
    if (const auto record = pipe_->ahead(i)) append(message, *record);
  }
  message = ranks_.broadcast(message);
  std::string_view in = message;
  return in.empty() ? std::nullopt : std::optional(take_record(in));
}

void SharedPipe::skip_to(int64_t drawn, uint64_t checksum) {
  if (pipe_) pipe_->skip_to(drawn, checksum);
  drawn_ = drawn;
  held_.clear();
  known_ = 0;
  interrupted_ = ended_ = ranks_.broadcast(pipe_ && pipe_->interrupted() ? "i" : "") == "i";
}

}  // namespace bert::examples
