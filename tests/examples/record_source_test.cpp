#include "examples/record_source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "base/random.h"
#include "corpus/chi_square.h"
#include "examples/records.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::examples;
using io::Fifo;
using io::TemporaryDirectory;
using Order = SourceOptions::Order;

namespace {

Log& quiet() {
  static Log log("test");
  return log;
}

std::vector<int64_t> sorted(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<int64_t> up_to(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// The order of records from a pipe, implemented from the header's description.
std::vector<int64_t> slow_buffer(int64_t count, size_t size, uint64_t seed) {
  std::vector<int64_t> buffer, drawn;
  for (int64_t next = 0;;) {
    while (buffer.size() < size && next < count) buffer.push_back(next++);
    if (buffer.empty()) return drawn;
    Random random(seed, {0x627566666572, drawn.size()});
    const size_t chosen = random.below(static_cast<uint32_t>(buffer.size()));
    drawn.push_back(buffer[chosen]);
    buffer[chosen] = buffer.back();
    buffer.pop_back();
  }
}

std::vector<int64_t> from_pipe(int64_t count, const SourceOptions& options, size_t largest = 300) {
  const TemporaryDirectory directory;
  const Fifo fifo(directory / "fifo", numbered(count), largest, 1);
  return numbers(draw(*open_records(stream_of({directory / "fifo"}), options, quiet())));
}

int64_t resident_kib() {
  std::istringstream statm(read_file("/proc/self/statm"));
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) / 1024;
}

}  // namespace

TEST_CASE("each epoch reads every record of the FILEs once, in its own order") {
  const TemporaryDirectory directory;
  const auto all = numbered(1000);
  const auto half = all.size() / 2 - all.size() / 2 % 4 + 2;  // after a newline
  REQUIRE(all[half - 1] == '\n');
  const auto stream =
      stream_of({directory.write("a", all.substr(0, half)), directory.write("b", all.substr(half))});
  std::set<std::vector<int64_t>> orders{up_to(1000)};
  for (const uint64_t seed : {1, 2}) {
    const auto source = open_records(stream, {.seed = seed, .epochs = 3}, quiet());
    CHECK(source->records() == 1000);
    CHECK(source->bytes() == static_cast<int64_t>(all.size()));
    const auto seen = draw(*source);
    REQUIRE(seen.size() == 3000);
    CHECK(source->drawn() == 3000);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<int64_t> order;
      for (int64_t i = 0; i < 1000; ++i) {
        const auto& one = seen[static_cast<size_t>(1000 * epoch + i)];
        CHECK(one.epoch == epoch);
        order.push_back(one.number);
      }
      CHECK(sorted(order) == up_to(1000));
      CHECK(orders.insert(order).second);
    }
    CHECK(draw(*open_records(stream, {.seed = seed, .epochs = 3}, quiet())) == seen);
  }
}

TEST_CASE("all orders of an epoch are equally likely") {
  const TemporaryDirectory directory;
  const auto source = open_records(stream_of({directory.write("a", numbered(4))}), {.seed = 5}, quiet());
  std::map<std::vector<int64_t>, int64_t> counts;
  for (int epoch = 0; epoch < 24 * 500; ++epoch) ++counts[numbers(draw(*source, 4))];
  std::vector<int64_t> found;
  for (const auto& [order, count] : counts) found.push_back(count);
  CHECK(found.size() == 24);
  CHECK(test::equally_likely(found));
}

TEST_CASE("Order::given keeps the input order in each epoch and from a pipe") {
  const TemporaryDirectory directory;
  const auto stream = stream_of({directory.write("a", numbered(50))});
  const SourceOptions options{.order = Order::given, .epochs = 2};
  auto twice = up_to(50);
  for (const int64_t i : up_to(50)) twice.push_back(i);
  CHECK(numbers(draw(*open_records(stream, options, quiet()))) == twice);
  CHECK(from_pipe(500, {.order = Order::given}) == up_to(500));
}

TEST_CASE("records of a pipe are drawn from the buffer like the slow reference, however the bytes arrive") {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int64_t size : {1, 2, 7, 100, 1000}) {
    for (const int64_t count : {1, 6, 7, 8, 99, 700}) {
      const uint64_t seed = static_cast<uint64_t>(size + count);
      const auto expected = slow_buffer(count, static_cast<size_t>(size), seed);
      CHECK(sorted(expected) == up_to(count));
      for (const size_t largest : {2, 5000})
        CHECK(from_pipe(count, {.seed = seed, .buffer_records = size}, largest) == expected);
    }
  }
  CHECK(slow_buffer(700, 100, 1) != slow_buffer(700, 100, 2));
}

TEST_CASE("the time a record spends in the buffer is geometrically distributed") {
  constexpr int64_t kSize = 100, kCount = 60000;
  const auto drawn = from_pipe(kCount, {.seed = 3, .buffer_records = kSize}, 60000);
  // Each draw takes a given record with probability 1 / kSize. Twenty bins of about equal weight.
  const double stays = 1 - 1.0 / kSize;
  std::vector<int64_t> counts(20);
  std::vector<double> shares(20);
  std::vector<size_t> bin_of;
  for (int64_t wait = 0; wait < kCount; ++wait) {
    const double middle = 1 - std::pow(stays, static_cast<double>(wait) + 0.5);
    bin_of.push_back(std::min<size_t>(19, static_cast<size_t>(20 * middle)));
    shares[bin_of.back()] += std::pow(stays, static_cast<double>(wait)) / kSize;
  }
  for (int64_t draw = 0; draw < kCount; ++draw) {
    const int64_t number = drawn[static_cast<size_t>(draw)];
    const int64_t wait = draw - (number - kSize + 1);  // the record enters before draw number - kSize + 1
    REQUIRE((number < kSize || wait >= 0));
    // Every tenth record, so that waits are nearly independent; none near the end of the input.
    if (number >= kSize && number < kCount - 20 * kSize && number % 10 == 0)
      ++counts[bin_of[static_cast<size_t>(wait)]];
  }
  CHECK(test::agrees(counts, shares));
}

TEST_CASE("the buffer is also limited in bytes and holds at least one record") {
  // Numbers from 1000 on have four digits: 25 of them reach 100 bytes. Shorter ones are gone by draw 2000.
  auto drawn = from_pipe(9000, {.seed = 1, .buffer_records = 1000000, .buffer_bytes = 100});
  CHECK(sorted(drawn) == up_to(9000));
  int64_t most = 0;
  for (int64_t draw = 2000; draw < 9000; ++draw)
    most = std::max(most, drawn[static_cast<size_t>(draw)] - draw);
  CHECK(most == 24);
  CHECK(from_pipe(50, {.buffer_records = 10, .buffer_bytes = 1}) == up_to(50));
}

TEST_CASE("resuming after any number of draws gives the same remaining records, also with bad records") {
  const TemporaryDirectory directory;
  for (const int64_t bad_each : {0, 7}) {
    auto files = stream_of({directory.write("a", numbered(40, bad_each))});
    files.on_error = io::OnError::skip;
    const SourceOptions epochs{.seed = 8, .epochs = 3}, once{.seed = 8, .buffer_records = 16};
    for (const bool pipe : {false, true}) {
      const auto open = [&] { return open_records(files, pipe ? once : epochs, quiet()); };
      std::vector<std::pair<int64_t, Seen>> all;  // with the number of draws before each
      const auto with_fifo = [&](auto work) {
        std::unique_ptr<Fifo> fifo;
        if (pipe) {
          fifo = std::make_unique<Fifo>(directory / "fifo", numbered(40, bad_each), 1000, 1);
          files.files = {directory / "fifo"};
        }
        messages_of(work);
        fifo.reset();
        std::filesystem::remove(directory / "fifo");
      };
      with_fifo([&] {
        const auto source = open();
        for (int64_t before = 0;; before = source->drawn()) {
          const auto one = draw(*source, 1);
          if (one.empty()) break;
          all.emplace_back(source->drawn() - 1, one[0]);
          REQUIRE(all.back().first >= before);
        }
        CHECK(source->skipped() == (bad_each > 0 ? 6 : 0));
      });
      REQUIRE(all.size() == (bad_each > 0 ? 34 : 40) * (pipe ? 1 : 3));
      for (int64_t drawn = 0; drawn <= (pipe ? 40 : 120); ++drawn) {
        std::vector<Seen> rest;
        for (const auto& [before, one] : all)
          if (before >= drawn) rest.push_back(one);
        with_fifo([&] {
          const auto source = open();
          source->skip_to(drawn);
          CHECK(source->drawn() == drawn);
          CHECK(draw(*source) == rest);
        });
      }
    }
  }
}

TEST_CASE("FILEs can seek backwards; a pipe can neither go back nor skip past its end") {
  const TemporaryDirectory directory;
  const auto stream = stream_of({directory.write("a", numbered(30))});
  const auto source = open_records(stream, {.epochs = 1}, quiet());
  const auto all = draw(*source);
  source->skip_to(0);
  CHECK(draw(*source) == all);
  source->skip_to(11);
  CHECK(draw(*source, 1).at(0) == all[11]);

  const Fifo fifo(directory / "fifo", numbered(30), 50, 1);
  const auto pipe = open_records(stream_of({directory / "fifo"}), {}, quiet());
  pipe->skip_to(20);
  CHECK_THROWS_WITH_AS(pipe->skip_to(10), "a pipe cannot return to record 10", Error);
  CHECK_THROWS_WITH_AS(pipe->skip_to(31), "the input ends after 30 records, but 31 were used before", Error);
}

TEST_CASE("a pipe that differs in the records drawn so far is rejected") {
  const TemporaryDirectory directory;
  const auto open = [&](const std::string& lines) {
    return open_records(stream_of({directory.write("a", lines), "/dev/null"}),
                        {.seed = 3, .buffer_records = 4}, quiet());
  };
  const auto lines = numbered(30);
  const auto source = open(lines);
  draw(*source, 12);
  const auto checksum = source->drawn_checksum(10);
  CHECK(checksum != 0);
  open(lines)->skip_to(10, checksum);
  open(lines.substr(0, lines.find("29")) + "88\n")->skip_to(10, checksum);  // not drawn yet
  CHECK_THROWS_WITH_AS(open(numbered(30, 4))->skip_to(10, checksum),
                       "the input is not the same as before: it lacks some of the 10 records used so far, or "
                       "has them in another "
                       "order",
                       Error);
}

TEST_CASE("a run over FILEs goes on with changed records") {
  const TemporaryDirectory directory;
  const auto open = [&](const std::string& lines) {
    return open_records(stream_of({directory.write("a", lines)}), {.seed = 3, .epochs = 2}, quiet());
  };
  const auto position_of = [](RecordSource& source, int64_t drawn) {
    return DataPosition{
        .drawn = drawn, .records = source.records(), .bytes = source.bytes(), .checksum = source.checksum()};
  };
  const auto list_of = [](const RecordSource& source) {
    std::vector<uint64_t> list;
    for (int64_t i = 0; i < source.records(); ++i) list.push_back(source.list_entry(i));
    return list;
  };
  const auto rest_of = [](RecordSource& source, int64_t drawn) {
    source.skip_to(drawn);
    return numbers(draw(source));
  };
  const auto first = open("0\n1\n2\n3\n4\n5\n");
  const auto position = position_of(*first, 3);
  const auto listed = list_of(*first);
  const auto whole = rest_of(*first, 0);

  SUBCASE("unchanged ones in the same order") {
    const auto again = open("0\n1\n2\n3\n4\n5\n");
    const auto [from, changes, refusal] = again->continue_from(position, listed);
    CHECK(changes.empty());
    CHECK(refusal.empty());
    CHECK(from == position);
    CHECK(rest_of(*again, 3) == std::vector<int64_t>(whole.begin() + 3, whole.end()));
  }
  SUBCASE("changed ones in their places") {
    const auto again = open("0\n1\n2\n3\n4\n77\n");
    const auto [from, changes, refusal] = again->continue_from(position, listed);
    CHECK(changes == "1 record changed");
    CHECK(from == position_of(*again, 3));
    auto expected = std::vector<int64_t>(whole.begin() + 3, whole.end());
    std::ranges::replace(expected, 5, 77);
    CHECK(rest_of(*again, 3) == expected);
  }
  SUBCASE("if most are others, it is another input") {
    const auto again = open("0\n1\n72\n73\n74\n75\n");
    CHECK(again->continue_from(position, listed).refusal ==
          "only 2 of the 6 records of the run so far are still in the training data");
  }
  SUBCASE("others in a new order, which repeats itself") {
    const std::string lines = "8\n0\n1\n2\n3\n4\n9\n";  // without 5
    const auto again = open(lines);
    const auto [from, changes, refusal] = again->continue_from(position, listed);
    CHECK(changes == "1 record changed, 1 added; the current epoch continues in a new order");
    CHECK(from.drawn == 3);
    auto rest = rest_of(*again, 3);
    std::vector<int64_t> missing = {0, 1, 2, 3, 4, 8, 9};
    for (int i = 0; i < 3; ++i) std::erase(missing, whole[static_cast<size_t>(i)]);
    REQUIRE(rest.size() == missing.size() + 7);
    CHECK(again->draws() == 3 + std::ssize(rest));
    CHECK(sorted({rest.begin(), rest.begin() + std::ssize(missing)}) == missing);
    CHECK(sorted({rest.begin() + std::ssize(missing), rest.end()}) ==
          std::vector<int64_t>{0, 1, 2, 3, 4, 8, 9});
    // The run is stopped again, one draw later.
    auto later = from;
    later.drawn = 4;
    const auto third = open(lines);
    const auto [third_from, none, third_refusal] = third->continue_from(later, list_of(*again));
    CHECK(none.empty());
    CHECK(third_from == later);
    CHECK(rest_of(*third, 4) == std::vector<int64_t>(rest.begin() + 1, rest.end()));
  }
}

TEST_CASE("a bad record stops with its line number, or is reported once and skipped in all epochs") {
  const TemporaryDirectory directory;
  auto stream = stream_of({directory.write("a", numbered(10, 4))});
  const std::string bad =
      ": byte 0xff at offset 0 is not valid UTF-8; for Windows or Latin-1 text, use --encoding windows-1252";
  const auto stopping = open_records(stream, {.order = Order::given}, quiet());
  CHECK_THROWS_WITH_AS(draw(*stopping), (directory / "a:1" + bad).c_str(), Error);

  stream.on_error = io::OnError::skip;
  const auto said = messages_of([&] {
    const auto source = open_records(stream, {.order = Order::given, .epochs = 3}, quiet());
    CHECK(numbers(draw(*source, 14)) == std::vector<int64_t>{1, 2, 3, 5, 6, 7, 9, 1, 2, 3, 5, 6, 7, 9});
    CHECK(draw(*source).size() == 7);
    CHECK(source->drawn() == 30);
    source->report_skipped();
  });
  std::string expected;
  for (const auto* line : {"a:1", "a:5", "a:9"}) expected += "test: " + directory / line + bad + "\n";
  CHECK(said == expected + "test: 3 records skipped\n");
}

TEST_CASE("an input without valid records is an error") {
  const TemporaryDirectory directory;
  const auto empty = directory.write("empty", ""), blank = directory.write("blank.jsonl", "\n \n");
  CHECK_THROWS_WITH_AS(open_records(stream_of({empty}), {}, quiet()), (empty + ": no records").c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(open_records(stream_of({empty, blank}), {}, quiet()),
                       (empty + " and the other FILEs: no records").c_str(), Error);
  CHECK_THROWS_WITH_AS(from_pipe(0, {}), "no records", Error);

  auto bad = stream_of({directory.write("a", numbered(10, 1))});
  bad.on_error = io::OnError::skip;
  messages_of([&] {
    const auto source = open_records(bad, {}, quiet());
    CHECK_THROWS_WITH_AS(draw(*source), "every record is invalid", Error);
    const Fifo fifo(directory / "fifo", numbered(10, 1), 50, 1);
    bad.files = {directory / "fifo"};
    const auto pipe = open_records(bad, {}, quiet());
    CHECK_THROWS_WITH_AS(draw(*pipe), "every record is invalid", Error);
  });
}

TEST_CASE("peeking at the first valid record draws nothing and reports nothing") {
  const TemporaryDirectory directory;
  auto stream = stream_of({directory.write("a", "\xff\n\xff\n2\n3\n4\n")});
  stream.on_error = io::OnError::skip;
  for (const bool pipe : {false, true}) {
    if (pipe) stream.files.push_back("/dev/null");
    const auto source = open_records(stream, {.seed = 1, .epochs = 1}, quiet());
    const auto said = messages_of([&] {
      for (int look = 0; look < 2; ++look) {
        CHECK(source->peek([](const io::Fields& fields, const io::Record& record, int64_t epoch) {
          CHECK(fields.text("text") == "2");
          CHECK(record.place() == 2);
          CHECK(epoch == 0);
        }));
      }
    });
    CHECK(said == "");
    CHECK(source->drawn() == 0);
    CHECK(source->skipped() == 0);
    messages_of([&] { CHECK(sorted(numbers(draw(*source))) == std::vector<int64_t>{2, 3, 4}); });
    CHECK(source->skipped() == 2);
    CHECK(!open_records(stream_of({directory.write("b", "\xff\n")}), {}, quiet())->peek([](auto&&...) {}));
  }
}

TEST_CASE("more than one epoch needs regular FILEs") {
  const TemporaryDirectory directory;
  const auto file = directory.write("a", numbered(3));
  CHECK_THROWS_WITH_AS(open_records(stream_of({}), {.epochs = 3}, quiet()),
                       "-: can be read only once; 3 epochs need regular FILEs", Error);
  CHECK_THROWS_WITH_AS(open_records(stream_of({file, "/dev/null"}), {.epochs = 2}, quiet()),
                       "/dev/null: can be read only once; 2 epochs need regular FILEs", Error);
  CHECK(draw(*open_records(stream_of({file, "/dev/null"}), {.epochs = 1}, quiet())).size() == 3);
}

TEST_CASE("a changed FILE ends training, even with --on-error skip") {
  const TemporaryDirectory directory;
  const auto name = directory.write("a", numbered(100));
  auto stream = stream_of({name});
  stream.on_error = io::OnError::skip;
  const auto source = open_records(stream, {}, quiet());
  draw(*source, 150);
  directory.write("a", numbered(10));
  CHECK_THROWS_AS(draw(*source, 1), Error);
}

TEST_CASE("an interruption leaves a pipe unchanged: no draw, no end") {
  const TemporaryDirectory directory;
  ::mkfifo((directory / "fifo").c_str(), 0600);
  const FileDescriptor both(::open((directory / "fifo").c_str(), O_RDWR | O_CLOEXEC));
  const auto lines = numbered(20);
  REQUIRE(::write(both.get(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()));
  std::atomic<bool> interrupted = false;
  const SourceOptions options{.buffer_records = 16, .interrupted = [&] { return interrupted.load(); }};
  const auto source = open_records(stream_of({directory / "fifo"}), options, quiet());
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    interrupted = true;
  });
  CHECK(draw(*source).size() == 5);  // draws for which the buffer could be filled
  later.join();
  CHECK(source->interrupted());
  CHECK(source->drawn() == 5);
}

TEST_CASE("memory stays constant over a million records from a pipe") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::thread feeder([fd = ends[1]] {
    Random random(1);
    std::string lines;
    for (int i = 0; i < 1000000; ++i) {
      lines += std::string(100 + random.below(400), 'x') + "\n";
      for (size_t done = 0; lines.size() > 100000 || (i == 999999 && done < lines.size());) {
        const ssize_t count = ::write(fd, lines.data() + done, lines.size() - done);
        if (count > 0) done += static_cast<size_t>(count);
        if (done == lines.size()) lines.clear();
      }
    }
    ::close(fd);
  });
  auto stream = stream_of({"/dev/fd/" + std::to_string(ends[0])});
  stream.chunk_bytes = 256 << 10;
  {
    const auto source = open_records(stream, {}, quiet());
    source->skip_to(500000);
    const int64_t before = resident_kib();
    source->skip_to(1000000);
    const int64_t more = resident_kib() - before;
    if (!kSanitized) CHECK(more < 6144);  // the ring, possibly empty before, holds 4 MiB; the input is 270 MB
    CHECK(draw(*source).empty());
  }
  feeder.join();
  ::close(ends[0]);
}
