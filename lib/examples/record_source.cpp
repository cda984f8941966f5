#include "examples/record_source.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <string>

#include "base/checksum.h"
#include "base/error.h"
#include "base/random.h"
#include "examples/epoch_order.h"
#include "examples/record_changes.h"
#include "examples/shared_pipe.h"

namespace bert::examples {
namespace {

// Separates these random numbers from others with the same seed.
constexpr uint64_t kBufferStream = 0x627566666572;

constexpr uint64_t kHad = 1;  // in list_entry, see identity_of

constexpr int64_t kPeeked = 1000;  // records that peek() tries

class EpochSource : public RecordSource {
 public:
  EpochSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log);

  void skip_to(int64_t drawn, uint64_t) override { drawn_ = announced_ = drawn; }
  Continued continue_from(const DataPosition& position, std::span<const uint64_t> listed) override;
  uint64_t list_entry(int64_t i) const override;
  int64_t records() const override { return index_.size(); }
  int64_t bytes() const override { return index_.bytes(); }
  uint64_t checksum() const override { return index_.checksum(); }
  int64_t draws() const override { return order_.end_of(options_.epochs.value_or(1)); }
  int64_t epochs_before(int64_t drawn) const override { return order_.epoch_of(drawn); }
  bool draw(Drawn& record) override;
  void bring(std::span<const Move> moves, int64_t) override;
  std::optional<io::RawRecord> ahead(int64_t i) override {
    return i < records() ? std::optional(index_.read(i)) : std::nullopt;
  }
  Range known() override { return {records() * rank() / ranks(), records() * (rank() + 1) / ranks()}; }
  std::vector<io::RawRecord> copy(Range records) const override {
    return index_.read_some(records.begin, records.end);
  }
  bool is_left_out(int64_t record) const override { return index_.is_bad(record); }

 protected:
  io::RawRecord raw(Drawn& record) override { return index_.read(record.index); }
  bool is_bad(const Drawn& record) const override { return index_.is_bad(record.index); }
  void mark_bad(int64_t index) override;

 private:
  int rank() const { return options_.ranks ? options_.ranks->rank() : 0; }
  int ranks() const { return options_.ranks ? options_.ranks->size() : 1; }
  std::optional<uint64_t> seed() const {
    return options_.order == SourceOptions::Order::given ? std::nullopt : std::optional(options_.seed);
  }
  int64_t end() const {
    return options_.epochs ? order_.end_of(*options_.epochs) : std::numeric_limits<int64_t>::max();
  }
  void announce();

  const SourceOptions options_;
  io::RecordIndex index_;
  EpochOrder order_;
  int64_t announced_ = 0;  // draws whose bytes have been prefetched
  int64_t bad_ = 0;        // records
};

io::RecordIndex indexed(const io::StreamOptions& stream, const SourceOptions& options) {
  io::RecordIndex index(stream, io::RecordIndex::Contents::checked);
  if (options.part.chosen) index.keep(*options.part.chosen, options.part.value);
  return index;
}

EpochSource::EpochSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log)
    : RecordSource(stream, log),
      options_(options),
      index_(indexed(stream, options)),
      order_(seed(), index_.size()) {
  if (index_.size() == 0)
    throw Error(stream.files.front(),
                stream.files.size() > 1 ? " and the other FILEs: no records" : ": no records");
}

uint64_t EpochSource::list_entry(int64_t i) const {
  const auto& change = order_.changed();
  const bool had = change && change->had[i];
  return identity_of(index_.fingerprint_of(i)) | (had ? kHad : 0);
}

RecordSource::Continued EpochSource::continue_from(const DataPosition& position,
                                                   std::span<const uint64_t> listed) {
  if (listed.empty() || std::ssize(listed) != position.records)
    return {position, "", position.changed_at ? "the list of its records (records.bin) is missing" : ""};
  std::vector<uint64_t> before, now;
  std::vector<bool> had;
  for (const uint64_t entry : listed) {
    before.push_back(identity_of(entry));
    had.push_back((entry & kHad) != 0);
  }
  for (int64_t i = 0; i < records(); ++i) now.push_back(identity_of(index_.fingerprint_of(i)));
  EpochOrder order(seed(), position.records);
  if (position.changed_at) order.change({*position.changed_at, position.changed_epoch.value_or(0), had});
  auto present = position;
  present.records = records();
  present.bytes = bytes();
  present.checksum = index_.checksum();
  const auto changes = compare_records(before, now);
  const int64_t kept = position.records - changes.changed - changes.removed;
  if (2 * kept < position.records)
    return {position, "",
            "only " + std::to_string(kept) + " of the " + std::to_string(position.records) +
                " records of the run so far are still in the training data"};
  if (changes.in_place) {
    if (order.changed()) order_.change(*order.changed());
    return {present, changes.any() ? changes.text() : ""};
  }
  const int64_t epoch = order.epoch_of(position.drawn);
  order_.change({position.drawn, epoch, still_had(before, order.had_before(position.drawn), now)});
  present.within = 0;
  present.changed_at = position.drawn;
  present.changed_epoch = epoch;
  return {present, changes.text() + "; the current epoch continues in a new order"};
}

// Prefetches the records that this rank will read, which are small and scattered, because disks may be slow.
void EpochSource::announce() {
  const int64_t ahead = int64_t{256} * ranks();
  const int64_t epoch_end = order_.epoch_end(drawn_);
  for (announced_ = std::max(announced_, drawn_); announced_ < std::min(drawn_ + ahead, epoch_end);
       ++announced_) {
    if (announced_ % ranks() == rank()) index_.will_read(order_.at(announced_));
  }
}

bool EpochSource::draw(Drawn& record) {
  do {
    if (drawn_ >= end()) return false;
    announce();
    record = {.number = drawn_, .epoch = order_.epoch_of(drawn_), .index = order_.at(drawn_), .raw = {}};
    ++drawn_;
  } while (index_.is_bad(record.index));
  return true;
}

void EpochSource::bring(std::span<const Move> moves, int64_t) {
  for (const auto& move : moves)
    if (move.to == rank()) index_.will_read(move.record->index);
}

void EpochSource::mark_bad(int64_t index) {
  index_.mark_bad(index);
  if (++bad_ == records()) throw Error("every record is invalid");
}

class PipeSource : public RecordSource {
 public:
  PipeSource(const io::StreamOptions& stream, const SourceOptions& options, Log& log)
      : RecordSource(stream, log), options_(options), reader_(stream, options.interrupted) {}

  bool interrupted() const override { return interrupted_; }
  void skip_to(int64_t drawn, uint64_t checksum) override;
  uint64_t drawn_checksum(int64_t drawn) override;
  bool draw(Drawn& record) override;
  void bring(std::span<const Move>, int64_t) override {}
  std::optional<io::RawRecord> ahead(int64_t i) override {
    const size_t at = i;
    return fill() && at < buffer_.size() ? std::optional(buffer_[at]) : std::nullopt;
  }
  Range known() override { return {0, fill() ? std::ssize(buffer_) : 0}; }
  std::vector<io::RawRecord> copy(Range records) const override { return {buffer_[records.begin]}; }

 private:
  bool fill();

  const SourceOptions options_;
  io::PullReader reader_;
  std::vector<io::RawRecord> buffer_;
  int64_t bytes_ = 0;                     // of the records in the buffer
  std::deque<uint64_t> checksums_ = {0};  // after the last draws, all that may still be asked for
  bool interrupted_ = false;
};

// Fills the buffer, or stops at the end of the input. Returns false if interrupted.
bool PipeSource::fill() {
  const bool shuffles = options_.order == SourceOptions::Order::shuffled;
  const size_t most = shuffles ? options_.buffer_records : 1;
  while (!reader_.ended() && buffer_.size() < most && (buffer_.empty() || bytes_ < options_.buffer_bytes)) {
    io::RawRecord record;
    if (reader_.next(record)) {
      bytes_ += record.size();
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
  std::swap(buffer_[random.below(buffer_.size())], buffer_.back());
  record = {.number = drawn_++, .epoch = 0, .index = 0, .raw = std::move(buffer_.back())};
  buffer_.pop_back();
  bytes_ -= record.raw.size();
  const std::array<uint64_t, 2> link = {
      checksums_.back(), io::fingerprint(*record.raw.source, {record.raw.bytes.data(), record.raw.size()})};
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(link)));
  checksums_.push_back(checksum.value());
  return true;
}

uint64_t PipeSource::drawn_checksum(int64_t drawn) {
  checksums_.erase(checksums_.begin(), checksums_.end() - 1 - (drawn_ - drawn));
  return checksums_.front();
}

void PipeSource::skip_to(int64_t drawn, uint64_t checksum) {
  if (drawn < drawn_) throw Error("a pipe cannot return to record ", drawn);
  Drawn record;
  while (drawn_ < drawn) {
    if (draw(record)) {
      drawn_checksum(drawn_);  // forgets the earlier ones
      continue;
    }
    if (interrupted_) return;
    throw Error("the input ends after ", drawn_, " records, but ", drawn, " were used before");
  }
  if (checksum != 0 && checksum != drawn_checksum(drawn))
    throw Error("the input is not the same as before: it lacks some of the ", drawn,
                " records used so far, or has them in another order");
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
    : invalid_utf8_(stream.invalid_utf8),
      on_error_(stream.on_error),
      reader_(stream.invalid_utf8, stream.on_error),
      peek_reader_(stream.invalid_utf8, io::OnError::skip),
      log_(log) {}

RecordSource::Continued RecordSource::continue_from(const DataPosition& position, std::span<const uint64_t>) {
  return {position, ""};
}

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

std::optional<std::string> RecordSource::read(Drawn& record, const Use& use) {
  auto bytes = raw(record);
  return reader_.read(
      bytes, [&](const io::Fields& fields, const io::Record& parsed) { use(fields, parsed, record.epoch); });
}

void RecordSource::skip(const Drawn& record, const std::string& message) {
  if (is_bad(record)) return;  // drawn again before its first turn came
  log_.error(message);
  leave_out(record.index);
}

void RecordSource::leave_out(int64_t i) {
  ++skipped_;
  mark_bad(i);
}

void RecordSource::require_valid() const {
  if (skipped_ == drawn_) throw Error(drawn_ == 0 ? "no records" : "every record is invalid");
}

void RecordSource::report_skipped(int64_t others) const {
  if (const auto count = skipped_ + others; count > 0)
    log_.error(counted(count, "record", "records") + " skipped");
}

std::string RecordSource::description() const {
  return counted(records(), "record in ", "records in ") + std::to_string(bytes()) + " bytes (" +
         std::to_string(checksum()) + ")";
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
