#include "io/stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "base/output_file.h"
#include "base/repeated_output.h"
#include "io/input_reader.h"
#include "io/progress.h"
#include "io/record_reader.h"
#include "io/ring.h"
#include "io/sink.h"

namespace bert::io {
namespace {

// Two chunks per thread keep all threads busy while one chunk is read and one written. Small chunks need more
// of them, so that a whole batch can be prepared while the previous one is computed.
size_t ring_size(const StreamOptions& options, const Pool& pool) {
  constexpr size_t kAheadBytes = 64 << 10;
  constexpr size_t kMostAhead = 16;
  const size_t ahead = std::min(kMostAhead, kAheadBytes / std::max<size_t>(1, options.chunk_bytes));
  return 2 * pool.size() + 2 + ahead;
}

class Stream {
 public:
  Stream(const StreamOptions& options, Pool& pool, Log& log, Filter& filter, Sink& sink);
  RunResult run();
  // The error of a record or of the input; everything before it has been written.
  const std::optional<std::string>& failure() const { return failure_; }
  // What is told if there are no records, since an empty output may then replace an earlier one.
  std::string empty_text() const;

 private:
  void on_chunk(Chunk& chunk);
  void prepare(Chunk& chunk);
  void finish(Chunk& chunk);
  void submit(Chunk& chunk, void (Stream::*task)(Chunk&));

  void drive();
  bool compute_next();
  bool gather();
  void submit_finished();

  void write_chunks();
  void write(Chunk& chunk);
  void fail();
  void stop();
  void wind_up(std::thread& reader, std::thread& writer);
  void report();

  std::unique_ptr<RecordReader> borrow_reader();
  void give_back(std::unique_ptr<RecordReader> reader);

  const StreamOptions& options_;
  Pool& pool_;
  Log& log_;
  Filter& filter_;
  Sink& sink_;
  StopEvent stop_event_;
  Ring ring_;
  Progress progress_;

  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<RecordReader>> idle_readers_;

  // Used by the driver: records gathered for the next call of compute, and the position where gathering
  // continues.
  std::vector<Record*> batch_;
  int64_t batch_cost_ = 0;
  int64_t chunk_ = 0;
  size_t record_ = 0;
  bool no_more_ = false;          // reached a chunk with a failure
  int64_t first_unfinished_ = 0;  // chunks before this one were passed to finish tasks

  // Used by the writer until it ends.
  RunResult result_;
  bool header_only_ = false;  // a table had a header, but no records
  int64_t left_out_ = 0;      // of folders, see FolderWalk
  std::optional<std::string> failure_;
  std::mutex error_mutex_;
  std::exception_ptr error_;  // the first of the writer or of a task, such as lack of memory
};

Stream::Stream(const StreamOptions& options, Pool& pool, Log& log, Filter& filter, Sink& sink)
    : options_(options),
      pool_(pool),
      log_(log),
      filter_(filter),
      sink_(sink),
      ring_(ring_size(options, pool)),
      progress_(log, shows_progress(options, log) ? Progress::Shown::yes : Progress::Shown::no,
                size_of_files(options.files)) {}

RunResult Stream::run() {
  const bool one_by_one = options_.line_buffered || sink_.is_terminal();
  const ChunkLimits limits = {
      .bytes = options_.chunk_bytes,
      .records = one_by_one ? 1 : std::min(options_.chunk_records, filter_.chunk_records())};
  InputReader input(options_, limits, ring_, stop_event_.get(), [this](Chunk& chunk) { on_chunk(chunk); });
  std::thread reader = start_thread([&] { input.run(); });
  std::thread writer;
  try {
    writer = start_thread([this] { write_chunks(); });
    drive();
  } catch (...) {  // the writer could not be started, or compute failed
    stop();
    wind_up(reader, writer);
    throw;
  }
  wind_up(reader, writer);
  if (error_) std::rethrow_exception(error_);
  report();
  result_.not_text = input.not_text();
  if (!options_.found) result_.not_text.report(log_);
  left_out_ = input.left_out();
  return result_;
}

void Stream::report() {
  if (result_.skipped > 0) {
    log_.error(counted(result_.skipped, "record", "records") + " skipped");
  }
  if (result_.skipped_files > 0) log_.error(counted(result_.skipped_files, "FILE", "FILEs") + " skipped");
  if (result_.truncated > 0) filter_.report_truncated(result_.truncated);
}

std::string Stream::empty_text() const {
  const auto& files = options_.files;
  if (files.size() > 1) return "the " + std::to_string(files.size()) + " FILEs have no records";
  const auto name = files.empty() ? "-" : files.front();
  if (left_out_ > 0)
    return name + ": has no records; " + counted(left_out_, "entry was", "entries were") + " left out by " +
           opt::include + ", " + opt::exclude + " or .gitignore";
  return name + (header_only_ ? ": has a header, but no records" : ": has no records");
}

// The reader may still pass on a chunk, so wait for the tasks after it has ended.
void Stream::wind_up(std::thread& reader, std::thread& writer) {
  reader.join();
  for (;;) {
    const auto seen = ring_.events();
    if (!ring_.has_tasks()) break;
    if (!pool_.run_one()) ring_.wait(seen);
  }
  if (writer.joinable()) writer.join();
  progress_.clear();
}

// Stops because of the current exception.
void Stream::fail() {
  {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
  stop();
}

void Stream::stop() {
  stop_event_.set();
  ring_.stop();
}

void Stream::on_chunk(Chunk& chunk) {
  ring_.put(chunk, Ring::State::read);
  submit(chunk, &Stream::prepare);
}

void Stream::submit(Chunk& chunk, void (Stream::*task)(Chunk&)) {
  ring_.begin_task();
  pool_.submit([this, &chunk, task] {
    try {
      if (!ring_.stopped()) (this->*task)(chunk);
    } catch (...) {
      fail();
    }
    ring_.end_task();
  });
  // The driver may have looked for a task after the chunk's last event and before this task was queued.
  ring_.notice();
}

// Also finishes the chunk if there is nothing to compute. A chunk with a failure goes to the driver in any
// case, so that nothing after it is computed.
void Stream::prepare(Chunk& chunk) {
  auto reader = borrow_reader();
  reader->prepare(chunk, filter_, options_.on_error);
  give_back(std::move(reader));
  const bool computes = std::any_of(chunk.records.begin(), chunk.records.end(),
                                    [&](const Record& record) { return filter_.cost(record) > 0; });
  if (computes || chunk.failure) {
    ring_.put(chunk, Ring::State::prepared);
  } else {
    finish(chunk);
  }
}

void Stream::finish(Chunk& chunk) {
  sink_.start(chunk.output);
  finish_records(chunk, filter_, options_.on_error);
  ring_.put(chunk, Ring::State::finished);
}

std::unique_ptr<RecordReader> Stream::borrow_reader() {
  const std::lock_guard lock(readers_mutex_);
  if (idle_readers_.empty()) return std::make_unique<RecordReader>(options_.invalid_utf8);
  auto reader = std::move(idle_readers_.back());
  idle_readers_.pop_back();
  return reader;
}

void Stream::give_back(std::unique_ptr<RecordReader> reader) {
  if (reader->oversized()) return;
  const std::lock_guard lock(readers_mutex_);
  idle_readers_.push_back(std::move(reader));
}

void Stream::drive() {
  for (;;) {
    const auto seen = ring_.events();
    if (ring_.done()) return;
    if (!compute_next() && !pool_.run_one()) ring_.wait(seen);
  }
}

// False if there is nothing to compute, or if a fuller batch will be available once running tasks end.
bool Stream::compute_next() {
  const bool complete = gather();
  if (batch_.empty()) submit_finished();
  if (batch_.empty() || !complete) return false;
  filter_.compute(batch_);
  batch_.clear();
  batch_cost_ = 0;
  submit_finished();
  return true;
}

// Adds records to batch_ up to the budget. False if the next chunk has been read but not prepared.
bool Stream::gather() {
  while (!no_more_) {
    const auto state = ring_.state(chunk_);
    if (state == Ring::State::read) return false;
    if (state == Ring::State::free) return true;
    if (state == Ring::State::prepared) {
      Chunk& chunk = ring_.at(chunk_);
      for (; record_ < chunk.records.size(); ++record_) {
        const int64_t cost = filter_.cost(chunk.records[record_]);
        if (cost == 0) continue;
        if (!batch_.empty() && batch_cost_ + cost > options_.budget) return true;
        batch_.push_back(&chunk.records[record_]);
        batch_cost_ += cost;
      }
      no_more_ = chunk.failure.has_value();
    }
    ++chunk_;
    record_ = 0;
  }
  return true;
}

void Stream::submit_finished() {
  for (; first_unfinished_ < chunk_; ++first_unfinished_) {
    if (ring_.state(first_unfinished_) != Ring::State::prepared) continue;
    Chunk& chunk = ring_.at(first_unfinished_);
    ring_.put(chunk, Ring::State::finishing);
    submit(chunk, &Stream::finish);
  }
}

void Stream::write_chunks() {
  try {
    while (Chunk* chunk = ring_.take_finished()) {
      write(*chunk);
      if (failure_) {
        stop();
        break;
      }
      ring_.release(*chunk);
    }
  } catch (...) {
    fail();
  }
  ring_.all_written();
}

void Stream::write(Chunk& chunk) {
  auto unfit = sink_.write(chunk.output, chunk.source.get());
  if (!unfit.empty() && options_.on_error == OnError::stop) {
    failure_ = std::move(unfit.front().message);
    return;
  }
  for (auto& [place, message] : unfit) chunk.skipped.emplace_back(place, std::move(message));
  std::ranges::sort(chunk.skipped);
  result_.records += chunk.written - std::ssize(unfit);
  result_.truncated += chunk.truncated;
  result_.skipped += chunk.skipped.size();
  for (const auto& [place, message] : chunk.skipped) log_.error(message);
  if (chunk.skipped_file) {
    log_.error(*chunk.skipped_file);
    ++result_.skipped_files;
  }
  header_only_ |= chunk.header_only;
  failure_ = chunk.failure;
  progress_.update(result_.records, chunk.read);
}

}  // namespace

StreamOptions side_file(const StreamOptions& stream, const std::string& file) {
  StreamOptions side = {.files = {file}};
  side.delimiter = stream.delimiter;
  side.word_column = stream.word_column;
  side.tag_column = stream.tag_column;
  side.encoding = stream.encoding;
  side.text_field = stream.text_field;
  side.usual = stream.usual;
  side.field_options = stream.field_options;
  side.invalid_utf8 = stream.invalid_utf8;
  side.tagged_rows = stream.tagged_rows;
  side.decoder = stream.decoder;
  side.note = stream.note;
  return side;
}

bool shows_progress(const StreamOptions& options, Log& log) {
  if (options.progress == ShowProgress::always) return true;
  if (options.progress == ShowProgress::never || log.quiet()) return false;
  if (::isatty(STDERR_FILENO) == 1) return true;
  struct stat info;
  const bool is_file = ::fstat(STDERR_FILENO, &info) == 0 && S_ISREG(info.st_mode);
  if (is_file) log.write_progress_every(60);
  return is_file;
}

RunResult run_stream(const StreamOptions& options, Pool& pool, Log& log, Filter& filter) {
  check_files(options);
  if (!names_stdout(options.output)) refuse_repeated_output(options.output);
  OutputFile file(options.output);
  Sink sink(options, file);
  Stream stream(options, pool, log, filter, sink);
  RunResult result = stream.run();
  if (!stream.failure()) filter.all_read(result.records + result.skipped);
  const auto ending = stream.failure() ? Filter::Ending::stopped : Filter::Ending::complete;
  auto failure = sink.write_withheld(filter, ending, log, result);
  if (stream.failure()) failure = stream.failure();
  sink.end(failure ? Filter::Ending::stopped : ending);
  if (failure) throw Error(*failure);
  sink.complete_header(filter.row_width());
  filter.before_commit(file);
  if (!names_stdout(options.output)) refuse_repeated_output(options.output);
  file.commit();
  for (const auto& message : sink.notes()) log.warn(message);
  if (options.recursive() && !options.found)
    for (const auto& message : options.folders->notes()) log.warn(message);
  const auto unpaired = options.pair_use ? options.pair_use->warning() : std::nullopt;
  if (unpaired) log.warn(*unpaired);
  if (result.records + result.skipped > 0) {
    filter.report(log);
  } else if (result.skipped_files == 0 && !filter.tells_of_none()) {
    log.warn(stream.empty_text());
  }
  filter.committed();
  return result;
}

}  // namespace bert::io
