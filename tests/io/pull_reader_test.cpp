// Records read one at a time, or by index in any order, match those of the stream. No reader hangs on a
// silent input.
#include "io/pull_reader.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <numeric>

#include "io/record_index.h"
#include "io/stream_cases.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::io;

namespace {

// The output of PassFilter for records read one at a time.
class Taken {
 public:
  Taken(const StreamOptions& options, const PassFilter::Options& pass)
      : filter_(options, {.field = pass.field}), reader_(options.invalid_utf8, options.on_error) {}

  std::string out_of(RawRecord raw) {
    Output out;
    const auto bad = reader_.read(raw, [&](const Fields& fields, const Record& seen) {
      auto& record = const_cast<Record&>(seen);  // the filter stores its state in the record
      filter_.prepare(fields, record);
      out.clear();
      filter_.finish(record, out);
    });
    if (!bad) return out.written();
    skipped.push_back(without_reason(*bad));
    return "";
  }

  StreamOptions noting(StreamOptions options) {
    options.left_out = [this](const std::string& message) { skipped.push_back(message); };
    return options;
  }

  std::vector<std::string> skipped;

 private:
  PassFilter filter_;
  RawRecordReader reader_;
};

void check_pull(const Case& made, const SlowResult& slow) {
  Taken taken(made.options, made.pass);
  std::string out, failure;
  try {
    PullReader reader(taken.noting(made.options));
    for (RawRecord raw; reader.next(raw); raw = {}) out += taken.out_of(std::move(raw));
    CHECK(reader.ended());
  } catch (const Error& error) {
    failure = error.what();
  }
  CHECK(out == slow.out);
  CHECK(without_reason(failure) == slow.failure);
  std::vector<std::string> expected;
  for (const auto& message : slow.skipped) expected.push_back(without_reason(message));
  CHECK(taken.skipped == expected);
}

void check_index(const Case& made, const SlowResult& slow, Generator& generator) {
  Taken taken(made.options, made.pass);
  const RecordIndex index(taken.noting(made.options));
  std::vector<int64_t> order(static_cast<size_t>(index.size()));
  std::iota(order.begin(), order.end(), 0);
  for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[generator.below(left)]);
  std::vector<std::string> outs(order.size());
  for (const int64_t i : order) {
    index.will_read(i);
    outs[static_cast<size_t>(i)] = taken.out_of(index.read(i));
  }
  std::string out;
  for (const auto& one : outs) out += one;
  CHECK(out == slow.out);
  CHECK(taken.skipped.size() == slow.skipped.size());
}

void check_records(uint64_t seed, bool from_pipes) {
  Generator generator(seed);
  const TemporaryDirectory directory;
  const Case made = make_case(generator, directory);
  std::vector<std::unique_ptr<Fifo>> fifos;
  for (const auto& [name, bytes] : made.files) {
    if (from_pipes) {
      fifos.push_back(std::make_unique<Fifo>(name, bytes, generator.one_in(2) ? 3 : 500, seed));
    } else {
      std::ofstream(name, std::ios::binary) << bytes;
    }
  }
  const SlowResult slow = SlowStream(made.options, made.pass.field).run(made.files);
  CAPTURE(seed);
  check_pull(made, slow);
  if (!from_pipes && !slow.failed) check_index(made, slow, generator);
}

StreamOptions text_of(std::vector<std::string> files) {
  StreamOptions options;
  options.files = std::move(files);
  options.input_format = InputFormat::text;
  return options;
}

std::string text(const RawRecord& raw) { return raw.bytes.substr(0, raw.size()); }

// Replaces stdin during its lifetime.
class Stdin {
 public:
  explicit Stdin(int fd) : kept_(::dup(STDIN_FILENO)) { ::dup2(fd, STDIN_FILENO); }
  ~Stdin() { ::dup2(kept_.get(), STDIN_FILENO); }

 private:
  FileDescriptor kept_;
};

// A pipe with both ends open.
struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("pipe");
    out = FileDescriptor(ends[0]);
    in = FileDescriptor(ends[1]);
  }
  void say(std::string_view bytes) const {
    REQUIRE(::write(in.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  FileDescriptor out, in;
};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("pulled and indexed records match the slow reference") {
  for (uint64_t seed = 20001; seed <= 20000 + tried(1000); ++seed) check_records(seed, false);
}

TEST_CASE("records pulled from pipes that deliver a few bytes at a time match the slow reference") {
  std::signal(SIGPIPE, SIG_IGN);
  for (uint64_t seed = 30001; seed <= 30000 + tried(200); ++seed) check_records(seed, true);
}

TEST_CASE("a record knows its FILE, line and position; stdin may be one of the FILEs") {
  const TemporaryDirectory directory;
  Pipe pipe;
  const Stdin from(pipe.out.get());
  pipe.say("{}\r\n\n{\"x\":1}");
  pipe.in = FileDescriptor();
  StreamOptions options;
  options.files = {directory.write("a.jsonl", "\n{}\n"), "-"};
  options.first_record = 7;
  PullReader reader(options);
  RawRecordReader parser(InvalidUtf8::error, OnError::stop);
  std::string seen;
  for (RawRecord raw; reader.next(raw);) {
    parser.read(raw, [&](const Fields& fields, const Record& record) {
      seen += record.where().substr(record.where().rfind('/') + 1) + "@" + std::to_string(record.place());
      seen += fields.json("x") ? "x " : " ";
    });
  }
  CHECK(seen == "a.jsonl:2@7 -:1@8 -:3@9x ");
}

TEST_CASE("an exception thrown while a record is used is reported for that record") {
  const TemporaryDirectory directory;
  const auto options = text_of({directory.write("a", "x\ny\n")});
  PullReader reader(options);
  RawRecordReader parser(InvalidUtf8::error, OnError::stop), skipping(InvalidUtf8::error, OnError::skip);
  RawRecord raw;
  const auto refuse = [](const Fields&, const Record&) { throw Error("field \"input_ids\" is missing"); };
  REQUIRE(reader.next(raw));
  CHECK_THROWS_WITH_AS(parser.read(raw, refuse), (directory / "a:1: field \"input_ids\" is missing").c_str(),
                       Error);
  REQUIRE(reader.next(raw));
  CHECK(skipping.read(raw, refuse) == directory / "a:2: field \"input_ids\" is missing");
  CHECK(!reader.next(raw));
}

TEST_CASE("a read error is reported after the records before it") {
  const TemporaryDirectory directory;
  const std::string unmapped = "/proc/self/mem";  // has no byte 0
  PullReader reader(text_of({directory.write("a", "x\ny"), unmapped}));
  RawRecord raw;
  CHECK(reader.next(raw));
  CHECK(reader.next(raw));
  CHECK_THROWS_WITH_AS(reader.next(raw), (unmapped + ": Input/output error").c_str(), Error);
  CHECK_THROWS_WITH_AS(PullReader(text_of({directory / "b"})),
                       (directory / "b: No such file or directory").c_str(), Error);
}

TEST_CASE("destroying a reader does not wait for a silent input") {
  const Pipe pipe;
  const FileDescriptor terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(terminal.get() >= 0);
  for (const int input : {pipe.out.get(), terminal.get()}) {
    const Stdin from(input);
    CHECK(seconds_of([] { PullReader reader(text_of({})); }) < 1);
    if (input != pipe.out.get()) continue;
    pipe.say("a\nb\nhalf a li");
    CHECK(seconds_of([] {
            PullReader reader(text_of({}));
            RawRecord raw;
            REQUIRE(reader.next(raw));
            CHECK(text(raw) == "a");
          }) < 1);
  }
}

TEST_CASE("destroying a reader works with a full read-ahead ring") {
  const TemporaryDirectory directory;
  std::string lines;
  for (int i = 0; i < 100000; ++i) lines += "a line of some length, number " + std::to_string(i) + "\n";
  auto options = text_of({directory.write("a", lines)});
  options.chunk_bytes = 1000;
  for (int i = 0; i < 50; ++i) {
    PullReader reader(options);
    RawRecord raw;
    for (int taken = 0; taken < i; ++taken) REQUIRE(reader.next(raw));
  }
}

TEST_CASE("waiting for input can be interrupted and resumed") {
  const Pipe pipe;
  const Stdin from(pipe.out.get());
  std::atomic<bool> interrupted = false;
  PullReader reader(text_of({}), [&] { return interrupted.load(); });
  pipe.say("a\nb");
  RawRecord raw;
  REQUIRE(reader.next(raw));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    interrupted = true;
  });
  CHECK(seconds_of([&] { CHECK(!reader.next(raw)); }) < 2);
  later.join();
  CHECK(!reader.ended());
  interrupted = false;
  pipe.say("c\n");
  REQUIRE(reader.next(raw));
  CHECK(text(raw) == "bc");
}
