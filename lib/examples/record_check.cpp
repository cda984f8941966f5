#include "examples/record_check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <deque>
#include <iomanip>
#include <locale>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "base/signals.h"
#include "comm/message.h"
#include "io/record_reader.h"

namespace bert::examples {
namespace {

using Clock = std::chrono::steady_clock;
using Range = RecordSource::Range;

constexpr int64_t kBlock = 64;       // records that a thread reads at a time
constexpr int64_t kBlocks = 64;      // blocks of each thread between two looks at the results
constexpr int64_t kSameError = 256;  // if the first records all have one error, the others are not read

// What a run of consecutive records contains.
struct Found {
  CheckedRecords examples;
  int64_t records = 0, bytes = 0;
  bool all = true;     // all records were read
  int64_t signal = 0;  // that ended the check
  // The first records with an example without and with a next-sentence label, for ExampleReader::check.
  std::array<std::string, 2> first;
  std::vector<int64_t> bad;           // all that are
  std::vector<std::string> messages;  // of the first of them
  std::string error;                  // of the first, without its place
  bool one_error = true;              // that of all bad ones

  bool all_bad() const { return std::ssize(bad) == records && one_error && records > 0; }
  // `listed`: most messages to keep.
  void add(Found next, size_t listed);
};

void Found::add(Found next, size_t listed) {
  examples.add(next.examples);
  records += next.records;
  bytes += next.bytes;
  all = all && next.all;
  if (signal == 0) signal = next.signal;
  for (size_t i = 0; i < first.size(); ++i)
    if (first[i].empty()) first[i] = std::move(next.first[i]);
  if (next.bad.empty()) return;
  one_error = next.one_error && (bad.empty() || (one_error && error == next.error));
  if (bad.empty()) error = std::move(next.error);
  bad.insert(bad.end(), next.bad.begin(), next.bad.end());
  for (auto& message : next.messages)
    if (messages.size() < listed) messages.push_back(std::move(message));
}

std::string packed(const Found& found) {
  using comm::append;
  std::string out;
  for (const int64_t number : {found.examples.records, found.examples.examples, found.records, found.bytes})
    append(out, number);
  for (const int64_t number : found.examples.counts) append(out, number);
  for (const auto& where : found.examples.first) append(out, std::string_view(where));
  for (const auto& where : found.first) append(out, std::string_view(where));
  append(out, found.bad.size());
  for (const int64_t i : found.bad) append(out, i);
  append(out, found.messages.size());
  for (const auto& message : found.messages) append(out, std::string_view(message));
  append(out, std::string_view(found.error));
  append(out, int64_t{found.one_error});
  append(out, int64_t{found.all});
  append(out, found.signal);
  const auto digests = std::as_bytes(std::span(found.examples.digests));
  append(out, std::string_view(reinterpret_cast<const char*>(digests.data()), digests.size()));
  return out;
}

Found unpacked(std::string_view in) {
  using comm::take_number, comm::take_text;
  Found found;
  for (int64_t* number : {&found.examples.records, &found.examples.examples, &found.records, &found.bytes})
    *number = take_number(in);
  for (int64_t& number : found.examples.counts) number = take_number(in);
  for (auto& where : found.examples.first) where = take_text(in);
  for (auto& where : found.first) where = take_text(in);
  for (auto count = take_number(in); count > 0; --count) found.bad.push_back(take_number(in));
  for (auto count = take_number(in); count > 0; --count) found.messages.push_back(take_text(in));
  found.error = take_text(in);
  found.one_error = take_number(in) != 0;
  found.all = take_number(in) != 0;
  found.signal = take_number(in);
  const auto digests = take_text(in);
  found.examples.digests.resize(digests.size() / sizeof(RecordDigest));
  std::memcpy(found.examples.digests.data(), digests.data(), digests.size());
  return found;
}

class Check {
 public:
  Check(RecordSource& source, const ExampleReader& reader, const CheckTools& tools)
      : source_(source), reader_(reader), tools_(tools) {
    for (int i = 0; i < tools.pool.size(); ++i)
      threads_.push_back({.parser = {source.invalid_utf8(), io::OnError::skip}, .examples = {}});
  }

  // The records of this rank.
  Found run();

 private:
  struct Thread {
    io::RawRecordReader parser;
    Examples examples;
  };

  void read(Range records, Thread& thread, Found& found) const;
  void read(int64_t i, io::RawRecord& raw, Thread& thread, Found& found) const;
  void show(int64_t done, int64_t all);

  RecordSource& source_;
  const ExampleReader& reader_;
  const CheckTools& tools_;
  std::deque<Thread> threads_;
  Clock::time_point shown_ = Clock::now();
};

Found Check::run() {
  const auto known = source_.known();
  Found found;
  for (int64_t begin = known.begin; begin < known.end && StopOnSignal::requested() == 0;) {
    // The first records alone, in case that all have the same error.
    const int64_t most = begin == known.begin ? kSameError : kBlocks * kBlock * tools_.pool.size();
    const int64_t end = std::min(known.end, begin + most);
    std::vector<Found> blocks((end - begin + kBlock - 1) / kBlock);
    tools_.pool.run_grid(std::ssize(blocks), [&](int64_t block, int thread) {
      const int64_t first = begin + block * kBlock;
      read({first, std::min(end, first + kBlock)}, threads_[thread], blocks[block]);
    });
    for (auto& block : blocks) found.add(std::move(block), tools_.listed);
    begin = end;
    found.all = end == known.end || source_.skips() || !found.all_bad();
    if (!found.all) break;
    show(begin - known.begin, known.end - known.begin);
  }
  if (tools_.shows_progress) tools_.log.progress("");
  found.signal = StopOnSignal::requested();
  return found;
}

// Threads call it for different records.
void Check::read(Range records, Thread& thread, Found& found) const {
  while (records.begin < records.end)
    for (auto& raw : source_.copy(records)) read(records.begin++, raw, thread, found);
}

void Check::read(int64_t i, io::RawRecord& raw, Thread& thread, Found& found) const {
  const auto& examples = thread.examples;
  ++found.records;
  found.bytes += raw.size();
  thread.examples.clear();
  const auto bad = thread.parser.read(raw, [&](const io::Fields& fields, const io::Record& record) {
    reader_.read(fields, record, 0, thread.examples);
    if (examples.empty()) return;
    auto& first = found.first[examples.front()->has_next_sentence_label() ? 1 : 0];
    if (first.empty()) first = record.where();
  });
  if (bad) {
    const auto place = raw.source->name + ":" + std::to_string(raw.line) + ": ";
    const auto error = bad->starts_with(place) ? bad->substr(place.size()) : *bad;
    if (found.bad.empty()) found.error = error;
    found.one_error = found.one_error && found.error == error;
    found.bad.push_back(i);
    if (found.messages.size() < tools_.listed) found.messages.push_back(*bad);
    thread.examples.clear();
  } else if (!examples.empty()) {
    auto traits = examples.front()->traits;
    traits.set(Trait::split, examples.size() > 1);
    found.examples.add(traits, raw.source->name + ":" + std::to_string(raw.line));
    found.examples.examples += std::ssize(examples);
  }
  found.examples.digests.push_back(digest_of(examples));
}

void Check::show(int64_t done, int64_t all) {
  constexpr auto kInterval = std::chrono::milliseconds(200);
  const auto now = Clock::now();
  if (!tools_.shows_progress || now - shown_ < kInterval) return;
  shown_ = now;
  tools_.log.progress("checking: " + std::to_string(done) + " of " + std::to_string(all) + " records");
}

std::string rest_of(const Found& found) {
  const size_t rest = found.bad.size() - found.messages.size();
  return rest == 0 ? "" : "and " + std::to_string(rest) + " more";
}

std::string summary(const Found& found, double seconds) {
  constexpr double kMegabyte = 1e6;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << std::setprecision(1) << "checked " << counted(found.records, "record, ", "records, ")
       << found.bytes / kMegabyte << " MB in " << seconds << " s";
  return std::move(text).str();
}

// All bad records are known, but a single one needs no summary.
[[noreturn]] void refuse(const Found& found, const RecordSource& source, Log& log) {
  const int64_t bad = found.bad.size();
  if (bad == 1) throw Error(found.messages.front());
  if (found.all_bad())
    throw Error(found.messages.front(), "; ", counted(bad - 1, "more record has", "more records have"),
                " the same error");
  for (const auto& message : found.messages) log.error(message);
  const auto rest = rest_of(found);
  throw Error(rest, rest.empty() ? "" : ": ", found.all ? "" : "at least ", bad, " of ",
              source.records() == 0 ? "the first " : "", found.records, " records are invalid",
              bad < found.records ? "; " + opt::on_error + " skip leaves them out" : "");
}

}  // namespace

void CheckedRecords::add(const Traits& traits, const std::string& where) {
  ++records;
  for (size_t i = 0; i < counts.size(); ++i)
    if (traits.has(static_cast<Trait>(i)) && counts[i]++ == 0) first[i] = where;
}

void CheckedRecords::add(const CheckedRecords& others) {
  records += others.records;
  examples += others.examples;
  digests.insert(digests.end(), others.digests.begin(), others.digests.end());
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) first[i] = others.first[i];
    counts[i] += others.counts[i];
  }
}

std::optional<CheckedRecords> check_records(RecordSource& source, ExampleReader& reader,
                                            const CheckTools& tools) {
  if (source.records() == 0 && source.skips()) return CheckedRecords();
  const auto begin = Clock::now();
  source.peek([&](const io::Fields& fields, const io::Record&, int64_t) { reader.begin(fields); });
  Found found;
  for (const auto& message : tools.ranks.all_gather(packed(Check(source, reader, tools).run())))
    found.add(unpacked(message), tools.listed);
  if (found.signal != 0) {  // of any rank
    StopOnSignal::request(found.signal);
    return std::nullopt;
  }
  if (!found.bad.empty() && !source.skips()) {
    auto apart = tools;
    apart.whole = nullptr;
    if (tools.whole) check_records(*tools.whole(), reader, apart);
    refuse(found, source, tools.log);
  }
  for (const auto& message : found.messages) tools.log.error(message);
  if (const auto rest = rest_of(found); !rest.empty()) tools.log.error(rest);
  for (const int64_t i : found.bad) source.leave_out(i);
  for (size_t labelled = 0; labelled < found.first.size(); ++labelled) {
    if (found.first[labelled].empty()) continue;
    reader.check({.where = found.first[labelled], .has_next_sentence_label = labelled == 1});
  }
  tools.log.info(summary(found, std::chrono::duration<double>(Clock::now() - begin).count()));
  return found.examples;
}

}  // namespace bert::examples
