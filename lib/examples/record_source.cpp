#include "examples/record_source.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "examples/shared_pipe.h"

namespace bert::examples {
namespace {

// Separate these random streams from others with the same seed.
constexpr uint64_t kOrderStream = 0x6f72646572;
constexpr uint64_t kBufferStream = 0x627566666572;

constexpr int64_t kPeeked = 1000;  // records that peek() tries

class EpochSource : public RecordSource {
 public:
  EpochSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log);

  void skip_to(int64_t drawn) override { drawn_ = announced_ = drawn; }
  int64_t records() const override { return index_.size(); }
  int64_t bytes() const override { return index_.bytes(); }
  uint64_t checksum() const override { return index_.checksum(); }
  bool draw(Drawn& record) override;
  void bring(std::span<const Move> moves, int64_t) override;
  std::optional<io::RawRecord> ahead(int64_t i) override {
    return i < records() ? std::optional(index_.read(i)) : std::nullopt;
  }

 protected:
  io::RawRecord raw(Drawn& record) override { return index_.read(record.index); }
  bool is_bad(const Drawn& record) const override { return index_.is_bad(record.index); }
  void mark_bad(const Drawn& record) override;

 private:
  int rank() const { return options_.ranks ? options_.ranks->rank() : 0; }
  int ranks() const { return options_.ranks ? options_.ranks->size() : 1; }
  int64_t at(int64_t draw);
  void announce();

  const SourceOptions options_;
  io::RecordIndex index_;
  const int64_t end_;            // draws in all epochs
  std::vector<uint32_t> order_;  // permutation of epoch order_epoch_; empty for Order::given
  int64_t order_epoch_ = -1;
  int64_t announced_ = 0;  // draws whose bytes have been prefetched
  int64_t bad_ = 0;        // records
};

EpochSource::EpochSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log)
    : RecordSource(stream, log),
      options_(options),
      index_(stream, io::RecordIndex::Contents::checked),
      end_(options.epochs ? *options.epochs * index_.size() : std::numeric_limits<int64_t>::max()) {
  if (index_.size() == 0)
    throw Error(stream.files.front(),
                stream.files.size() > 1 ? " and the other FILEs: no records" : ": no records");
  if (options.order == SourceOptions::Order::given) return;
  if (index_.size() > std::numeric_limits<uint32_t>::max())
    throw Error(index_.size(), " records are too many to be shuffled");
  order_.resize(static_cast<size_t>(index_.size()));
}

// The record of a draw. Permutations are made when an epoch begins.
int64_t EpochSource::at(int64_t draw) {
  const int64_t epoch = draw / records(), i = draw % records();
  if (order_.empty()) return i;
  if (epoch != order_epoch_) {
    std::iota(order_.begin(), order_.end(), 0);
    Random(options_.seed, {kOrderStream, static_cast<uint64_t>(epoch)}).shuffle(order_);
    order_epoch_ = epoch;
  }
  return order_[static_cast<size_t>(i)];
}

// Prefetches the records that this rank will read, which are small and scattered, because disks may be slow.
void EpochSource::announce() {
  const int64_t ahead = int64_t{256} * ranks();
  const int64_t epoch_end = (drawn_ / records() + 1) * records();
  for (announced_ = std::max(announced_, drawn_); announced_ < std::min(drawn_ + ahead, epoch_end);
       ++announced_) {
    if (announced_ % ranks() == rank()) index_.will_read(at(announced_));
  }
}

bool EpochSource::draw(Drawn& record) {
  do {
    if (drawn_ >= end_) return false;
    announce();
    record = {.number = drawn_, .epoch = drawn_ / records(), .index = at(drawn_), .raw = {}};
    ++drawn_;
  } while (index_.is_bad(record.index));
  return true;
}

void EpochSource::bring(std::span<const Move> moves, int64_t) {
  for (const auto& move : moves)
    if (move.to == rank()) index_.will_read(move.record->index);
}

void EpochSource::mark_bad(const Drawn& record) {
  index_.mark_bad(record.index);
  if (++bad_ == records()) throw Error("every record is invalid");
}

class PipeSource : public RecordSource {
 public:
  PipeSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log)
      : RecordSource(stream, log), options_(options), reader_(stream, options.interrupted) {}

  bool interrupted() const override { return interrupted_; }
  void skip_to(int64_t drawn) override;
  bool draw(Drawn& record) override;
  void bring(std::span<const Move>, int64_t) override {}
  std::optional<io::RawRecord> ahead(int64_t i) override {
    const auto at = static_cast<size_t>(i);
    return fill() && at < buffer_.size() ? std::optional(buffer_[at]) : std::nullopt;
  }

 private:
  bool fill();

  const SourceOptions options_;
  io::PullReader reader_;
  std::vector<io::RawRecord> buffer_;
  int64_t bytes_ = 0;  // of the records in the buffer
  bool interrupted_ = false;
};

// Fills the buffer, or stops at the end of the input. Returns false if interrupted.
bool PipeSource::fill() {
  const bool shuffles = options_.order == SourceOptions::Order::shuffled;
  const size_t most = shuffles ? static_cast<size_t>(options_.buffer_records) : 1;
  while (!reader_.ended() && buffer_.size() < most && (buffer_.empty() || bytes_ < options_.buffer_bytes)) {
    io::RawRecord record;
    if (reader_.next(record)) {
      bytes_ += static_cast<int64_t>(record.size());
      buffer_.push_back(std::move(record));
    } else if (!reader_.ended()) {
      interrupted_ = true;
      return false;
    }
  }
  return true;
}

bool PipeSource::draw(Drawn& record) {
  if (!fill() || buffer_.empty()) return false;
  Random random(options_.seed, {kBufferStream, static_cast<uint64_t>(drawn_)});
  std::swap(buffer_[random.below(static_cast<uint32_t>(buffer_.size()))], buffer_.back());
  record = {.number = drawn_++, .epoch = 0, .index = 0, .raw = std::move(buffer_.back())};
  buffer_.pop_back();
  bytes_ -= static_cast<int64_t>(record.raw.size());
  return true;
}

void PipeSource::skip_to(int64_t drawn) {
  if (drawn < drawn_) throw Error("a pipe cannot return to record ", drawn);
  Drawn record;
  while (drawn_ < drawn) {
    if (draw(record)) continue;
    if (interrupted_) return;
    throw Error("the input ends after ", drawn_, " records, but ", drawn, " were used before");
  }
}

void check_repeatable(const std::vector<std::string>& files, int64_t epochs) {
  for (const auto& name : files) {
    if (!io::can_read_again({name}))
      throw Error(name, ": can be read only once; ", epochs, " epochs need regular FILEs");
  }
  if (files.empty()) throw Error("-: can be read only once; ", epochs, " epochs need regular FILEs");
}

}  // namespace

RecordSource::RecordSource(const io::StreamOptions& stream, Log& log)
    : reader_(stream.invalid_utf8, stream.on_error),
      peek_reader_(stream.invalid_utf8, io::OnError::skip),
      log_(log) {}

bool RecordSource::peek(const Use& use) {
  for (int64_t i = 0; i < kPeeked; ++i) {
    auto raw = ahead(i);
    if (!raw) return false;
    const auto bad = peek_reader_.read(
        *raw, [&](const io::Fields& fields, const io::Record& record) { use(fields, record, 0); });
    if (!bad) return true;
  }
  return false;
}

void RecordSource::each(const Use& use) {
  for (int64_t i = 0; i < records(); ++i) {
    auto raw = ahead(i);
    reader_.read(*raw, [&](const io::Fields& fields, const io::Record& record) { use(fields, record, 0); });
  }
}

std::optional<std::string> RecordSource::read(Drawn& record, const Use& use) {
  auto bytes = raw(record);
  return reader_.read(
      bytes, [&](const io::Fields& fields, const io::Record& parsed) { use(fields, parsed, record.epoch); });
}

void RecordSource::skip(const Drawn& record, const std::string& message) {
  if (is_bad(record)) return;  // drawn again before its first turn came
  log_.error(message);
  ++skipped_;
  mark_bad(record);
}

void RecordSource::require_valid() const {
  if (skipped_ == drawn_) throw Error(drawn_ == 0 ? "no records" : "every record is invalid");
}

void RecordSource::report_skipped() const {
  if (skipped_ == 0) return;
  log_.error(counted(skipped_, "record", "records") + " skipped");
}

std::unique_ptr<RecordSource> open_records(const io::StreamOptions& stream, const SourceOptions& options,
                                           Log& log) {
  if (io::can_read_again(stream.files)) return std::make_unique<EpochSource>(stream, options, log);
  if (options.epochs.value_or(1) > 1) check_repeatable(stream.files, *options.epochs);
  if (options.ranks == nullptr || options.ranks->alone())
    return std::make_unique<PipeSource>(stream, options, log);
  auto pipe = options.ranks->is_first() ? std::make_unique<PipeSource>(stream, options, log) : nullptr;
  return std::make_unique<SharedPipe>(stream, *options.ranks, std::move(pipe), log);
}

}  // namespace bert::examples
