#include "examples/record_check.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "examples/records.h"

using namespace bert;
using namespace bert::examples;

namespace {

// Reads numbered records; those from `end` on are bad. Labels the record `labelled`.
class NumberReader : public ExampleReader {
 public:
  explicit NumberReader(int64_t end, int64_t labelled = -1) : end_(end), labelled_(labelled) {}

  void read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const override {
    const auto text = std::string(fields.required_text("text"));
    const int64_t number = std::stoll(text);
    if (number >= end_) throw Error(number % 2 == 0 ? "is too large" : "is too large and odd");
    struct Labelled : Example {
      bool has_next_sentence_label() const override { return true; }
    };
    auto example = number == labelled_ ? std::make_unique<Labelled>() : std::make_unique<Example>();
    example->traits.set(Trait::truncated, number < 3);
    example->traits.set(Trait::paired, number < 2);
    examples.push_back(std::move(example));
  }
  void check(const Outline& example) override {
    if (example.has_next_sentence_label) throw Error(example.where, " has a label");
  }

 private:
  const int64_t end_, labelled_;
};

struct Tried {
  std::string said, error;
  std::optional<CheckedRecords> found;
};

Tried check(RecordSource& source, ExampleReader& reader, Log& log) {
  static Pool pool(3);
  static comm::Communicator ranks;
  Tried tried;
  tried.said = messages_of([&] {
    try {
      tried.found = check_records(source, reader, {pool, ranks, log, false});
    } catch (const Error& error) {
      tried.error = error.what();
    }
  });
  return tried;
}

// The lines of numbered records from `first` to `last`, in messages.
std::string listed(const std::string& file, int64_t first, int64_t last) {
  std::string lines;
  for (int64_t i = first; i <= last; ++i)
    lines +=
        "test: " + file + ":" + std::to_string(i + 1) + ": is too large" + (i % 2 ? " and odd" : "") + "\n";
  return lines;
}

}  // namespace

TEST_CASE("all valid records are counted, and none is drawn") {
  const io::TemporaryDirectory directory;
  Log log("test");
  const auto file = directory.write("a", numbered(1000));
  const auto source = open_records(stream_of({file}), {}, log);
  NumberReader reader(1000);
  const auto tried = check(*source, reader, log);
  REQUIRE(tried.found);
  CHECK(tried.found->records == 1000);
  CHECK(tried.found->with(Trait::truncated) == 3);
  CHECK(tried.found->with(Trait::paired) == 2);
  CHECK(tried.said + tried.error == "");
  CHECK(source->drawn() == 0);
}

TEST_CASE("bad records are listed in order of their lines, the first 20 of them") {
  const io::TemporaryDirectory directory;
  Log log("test");
  const auto file = directory.write("a", numbered(1000));
  for (const int64_t bad : {2, 20, 21, 700}) {
    CAPTURE(bad);
    const auto source = open_records(stream_of({file}), {}, log);
    NumberReader reader(1000 - bad);
    const auto tried = check(*source, reader, log);
    CHECK(tried.said == listed(file, 1000 - bad, std::min<int64_t>(999, 1000 - bad + 19)));
    CHECK(tried.error == (bad > 20 ? "and " + std::to_string(bad - 20) + " more: " : "") +
                             std::to_string(bad) +
                             " of 1000 records are invalid; --on-error skip leaves them out");
  }
}

TEST_CASE("a single bad record is the error itself") {
  const io::TemporaryDirectory directory;
  Log log("test");
  const auto file = directory.write("a", numbered(1000));
  const auto source = open_records(stream_of({file}), {}, log);
  NumberReader reader(999);
  const auto tried = check(*source, reader, log);
  CHECK(tried.said == "");
  CHECK(tried.error == file + ":1000: is too large and odd");
}

TEST_CASE("if all records have the same error, the first is shown, and not all are read") {
  const io::TemporaryDirectory directory;
  Log log("test");
  for (const auto& expected :
       {std::pair(3, "2 more records have"), {2, "1 more record has"}, {5000, "255 more records have"}}) {
    const auto& [count, others] = expected;
    INFO(expected.second);
    std::string lines;
    for (int i = 0; i < count; ++i) lines += "8\n";
    const auto file = directory.write("a", lines);
    const auto source = open_records(stream_of({file}), {}, log);
    NumberReader reader(0);
    const auto tried = check(*source, reader, log);
    CHECK(tried.said == "");
    CHECK(tried.error == file + ":1: is too large; " + others + " the same error");
  }
}

TEST_CASE("skipped records are listed, counted and not drawn") {
  const io::TemporaryDirectory directory;
  Log log("test");
  const auto file = directory.write("a", numbered(1000));
  auto stream = stream_of({file});
  stream.on_error = io::OnError::skip;
  const auto source = open_records(stream, {.epochs = 2}, log);
  NumberReader reader(970);
  const auto tried = check(*source, reader, log);
  CHECK(tried.error == "");
  CHECK(tried.said == listed(file, 970, 989) + "test: and 10 more\n");
  CHECK(source->skipped() == 30);
  CHECK(draw(*source).size() == 2 * 970);
}

TEST_CASE("of a pipe, the shuffle buffer is checked") {
  const io::TemporaryDirectory directory;
  Log log("test");
  const auto try_pipe = [&](int64_t end, io::OnError on_error) {
    const io::Fifo fifo(directory / "fifo", numbered(100), 1000, 1);
    auto stream = stream_of({directory / "fifo"});
    stream.on_error = on_error;
    const auto source = open_records(stream, {.buffer_records = 10}, log);
    NumberReader reader(end);
    auto tried = check(*source, reader, log);
    if (tried.error.empty()) CHECK(draw(*source).size() == 100);
    return tried;
  };
  CHECK(try_pipe(10, io::OnError::stop).error == "");
  CHECK(try_pipe(7, io::OnError::stop).error ==
        "3 of the first 10 records are invalid; --on-error skip leaves them out");
  CHECK(try_pipe(7, io::OnError::skip).said == "");  // reported when their turn comes
}

TEST_CASE("what a reader says of the whole input is known") {
  const io::TemporaryDirectory directory;
  Log log("test");
  const auto file = directory.write("a", numbered(1000));
  const auto source = open_records(stream_of({file}), {}, log);
  NumberReader reader(1000, 777);
  CHECK(check(*source, reader, log).error == file + ":778 has a label");
}
