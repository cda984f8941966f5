#include "examples/record_source.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/random.h"

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

 protected:
  bool draw(io::RawRecord& record) override;
  void drawn_is_bad() override;
  std::optional<io::RawRecord> ahead(int64_t i) override {
    return i < records() ? std::optional(index_.read(i)) : std::nullopt;
  }
  int64_t epoch() const override { return (drawn_ - 1) / records(); }

 private:
  int64_t at(int64_t draw);
  void announce();

  const SourceOptions options_;
  io::RecordIndex index_;
  const int64_t end_;            // draws in all epochs
  std::vector<uint32_t> order_;  // permutation of epoch order_epoch_; empty for Order::given
  int64_t order_epoch_ = -1;
  int64_t announced_ = 0;       // draws whose bytes have been prefetched
  int64_t last_ = 0, bad_ = 0;  // last record drawn; number of bad records
};

EpochSource::EpochSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log)
    : RecordSource(stream, log),
      options_(options),
      index_(stream),
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

// Prefetches records, which are small and scattered, because disks may be slow.
void EpochSource::announce() {
  constexpr int64_t kAhead = 256;
  const int64_t epoch_end = (drawn_ / records() + 1) * records();
  for (announced_ = std::max(announced_, drawn_); announced_ < std::min(drawn_ + kAhead, epoch_end);
       ++announced_)
    index_.will_read(at(announced_));
}

bool EpochSource::draw(io::RawRecord& record) {
  do {
    if (drawn_ >= end_) return false;
    announce();
    last_ = at(drawn_++);
  } while (index_.is_bad(last_));
  record = index_.read(last_);
  return true;
}

void EpochSource::drawn_is_bad() {
  index_.mark_bad(last_);
  if (++bad_ == records()) throw Error("every record is invalid");
}

class PipeSource : public RecordSource {
 public:
  PipeSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log)
      : RecordSource(stream, log), options_(options), reader_(stream, options.interrupted) {}

  bool interrupted() const override { return interrupted_; }
  void skip_to(int64_t drawn) override;

 protected:
  bool draw(io::RawRecord& record) override;
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

bool PipeSource::draw(io::RawRecord& record) {
  if (!fill() || buffer_.empty()) return false;
  Random random(options_.seed, {kBufferStream, static_cast<uint64_t>(drawn_)});
  std::swap(buffer_[random.below(static_cast<uint32_t>(buffer_.size()))], buffer_.back());
  record = std::move(buffer_.back());
  buffer_.pop_back();
  bytes_ -= static_cast<int64_t>(record.size());
  ++drawn_;
  return true;
}

void PipeSource::skip_to(int64_t drawn) {
  if (drawn < drawn_) throw Error("a pipe cannot return to record ", drawn);
  io::RawRecord record;
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

bool RecordSource::next(const Use& use) {
  io::RawRecord raw;
  while (draw(raw)) {
    const auto bad = reader_.read(
        raw, [&](const io::Fields& fields, const io::Record& record) { use(fields, record, epoch()); });
    if (!bad) return true;
    log_.error(*bad);
    ++skipped_;
    drawn_is_bad();
  }
  if (!interrupted() && skipped_ == drawn_)
    throw Error(drawn_ == 0 ? "no records" : "every record is invalid");
  return false;
}

void RecordSource::report_skipped() const {
  if (skipped_ == 0) return;
  log_.error(counted(skipped_, "record", "records") + " skipped");
}

std::unique_ptr<RecordSource> open_records(const io::StreamOptions& stream, const SourceOptions& options,
                                           Log& log) {
  if (io::can_read_again(stream.files)) return std::make_unique<EpochSource>(stream, options, log);
  if (options.epochs.value_or(1) > 1) check_repeatable(stream.files, *options.epochs);
  return std::make_unique<PipeSource>(stream, options, log);
}

}  // namespace bert::examples
