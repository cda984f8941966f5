#include "examples/steps.h"

#include <doctest/doctest.h>

#include <atomic>

#include "base/error.h"
#include "base/random.h"
#include "examples/records.h"

using namespace bert;
using namespace bert::examples;
using io::TemporaryDirectory;

namespace {

// Record n has n % 4 examples. Each one encodes (n, window, epoch) and has n % 5 + window + 1 tokens.
class WindowReader : public ExampleReader {
 public:
  void read(const io::Fields& fields, const io::Record&, int64_t epoch, Examples& examples) const override {
    const auto text = fields.required_text("text");
    if (text == "bad") throw Error("is bad");
    const int32_t number = std::stoi(std::string(text));
    for (int32_t window = 0; window < number % 4; ++window) {
      auto example = std::make_unique<Example>();
      example->ids.assign(static_cast<size_t>(number % 5 + window + 1), 0);
      example->ids[0] = number * 1000 + window * 100 + static_cast<int32_t>(epoch);
      examples.push_back(std::move(example));
    }
  }
  void check(const Example& example) override { last = example.where; }

  std::string last;
};

using Ids = std::vector<std::vector<std::vector<int32_t>>>;  // of the batches of a step

Ids ids_of(const Step& step) {
  Ids ids;
  int64_t sequences = 0, tokens = 0;
  for (const auto& batch : step.batches) {
    CHECK(!batch.empty());
    for (auto& one = ids.emplace_back(); const auto& example : batch) {
      one.push_back(example->ids);
      tokens += example->tokens();
      ++sequences;
    }
  }
  CHECK(step.sequences == sequences);
  CHECK(step.tokens == tokens);
  return ids;
}

std::vector<Ids> all_of(Steps& steps) {
  std::vector<Ids> all;
  for (Step step; steps.next(step);) all.push_back(ids_of(step));
  return all;
}

// All sequences of the data, arranged into steps as the header describes.
std::vector<Ids> slow_steps(const std::vector<std::vector<int32_t>>& sequences, const StepOptions& options) {
  std::vector<Ids> steps;
  bool batch_full = true;
  size_t tokens = 0;
  for (const auto& ids : sequences) {
    if (!batch_full && options.tokens)
      batch_full = tokens + ids.size() > static_cast<size_t>(*options.tokens);
    if (batch_full) {
      if (steps.empty() || steps.back().size() == static_cast<size_t>(options.accumulate))
        steps.emplace_back();
      steps.back().emplace_back();
      tokens = 0;
    }
    steps.back().back().push_back(ids);
    tokens += ids.size();
    batch_full = !options.tokens && steps.back().back().size() == static_cast<size_t>(options.sequences);
  }
  return steps;
}

StepOptions random_options(Random& random) {
  StepOptions options{.sequences = 1 + random.below(9), .tokens = {}, .accumulate = 1 + random.below(4)};
  if (random.chance(0.5)) options.tokens = 1 + random.below(40);
  return options;
}

Log& quiet() {
  static Log log("test");
  return log;
}

}  // namespace

TEST_CASE("steps take all examples in order, by sequences or tokens, and resume after any step") {
  const TemporaryDirectory directory;
  const auto stream = stream_of({directory.write("a", numbered(60))});
  Random random(4);
  for (int turn = 0; turn < 60; ++turn) {
    const auto options = random_options(random);
    const auto open = [&] {
      return open_records(stream, {.seed = static_cast<uint64_t>(turn), .epochs = 2}, quiet());
    };
    WindowReader reader;
    std::vector<std::vector<int32_t>> sequences;
    auto source = open();
    for (const auto& [number, epoch] : draw(*source)) {
      for (int64_t window = 0; window < number % 4; ++window) {
        sequences.emplace_back(static_cast<size_t>(number % 5 + window + 1), 0);
        sequences.back()[0] = static_cast<int32_t>(number * 1000 + window * 100 + epoch);
      }
    }
    const auto expected = slow_steps(sequences, options);
    CAPTURE(turn);
    source = open();
    Steps steps(*source, reader, options);
    std::vector<DataPosition> positions{steps.position()};
    size_t count = 0;
    for (Step step; steps.next(step); ++count) {
      REQUIRE(count < expected.size());
      CHECK(ids_of(step) == expected[count]);
      CHECK(reader.last == step.batches.back().back()->where);
      positions.push_back(steps.position());
    }
    CHECK(count == expected.size());
    for (size_t i = 0; i < positions.size(); ++i) {
      const auto again = open();
      Steps rest(*again, reader, options);
      rest.skip_to(positions[i]);
      CHECK(rest.position() == positions[i]);
      CHECK(all_of(rest) == std::vector<Ids>(expected.begin() + static_cast<ptrdiff_t>(i), expected.end()));
    }
  }
}

TEST_CASE("skipped records leave no gap in the steps") {
  const TemporaryDirectory directory;
  auto stream = stream_of({directory.write("a", "1\nbad\n5\nbad\n9\n13\nbad\n")});
  stream.on_error = io::OnError::skip;
  const auto said = messages_of([&] {
    const auto source = open_records(stream, {.order = SourceOptions::Order::given, .epochs = 2}, quiet());
    WindowReader reader;
    Steps steps(*source, reader, {.sequences = 3});
    Step step;
    std::vector<size_t> sizes;
    std::vector<int64_t> drawn;
    while (steps.next(step)) {
      sizes.push_back(step.batches[0].size());
      drawn.push_back(steps.position().drawn);
    }
    CHECK(sizes == std::vector<size_t>{3, 3, 2});
    CHECK(drawn == std::vector<int64_t>{5, 10, 14});
  });
  CHECK(said.find("a:2: is bad") != std::string::npos);
}

TEST_CASE("reading can restart from a saved position") {
  const TemporaryDirectory directory;
  const auto source = open_records(stream_of({directory.write("a", numbered(20))}), {.epochs = 1}, quiet());
  WindowReader reader;
  Steps steps(*source, reader, {.sequences = 4});
  const auto begin = steps.position();
  const auto all = all_of(steps);
  steps.skip_to(begin);
  Step step;
  REQUIRE(steps.next(step));
  steps.skip_to(begin);
  CHECK(all_of(steps) == all);
}

TEST_CASE("FILEs that differ from those of the checkpoint are rejected") {
  const TemporaryDirectory directory;
  const auto source = open_records(stream_of({directory.write("a", numbered(20))}), {}, quiet());
  WindowReader reader;
  Steps steps(*source, reader, {});
  CHECK_THROWS_WITH_AS(steps.skip_to({.drawn = 3, .within = 0, .records = 20, .bytes = 51}),
                       "the training data are FILEs of 20 records in 50 bytes, but the run so far used "
                       "FILEs of 20 records in 51 bytes",
                       Error);
  CHECK_THROWS_WITH_AS(
      steps.skip_to({.drawn = 3}),
      "the training data are FILEs of 20 records in 50 bytes, but the run so far used a pipe", Error);
}

TEST_CASE("an interrupted step consumes nothing, so resuming from its position loses no example") {
  const TemporaryDirectory directory;
  ::mkfifo((directory / "fifo").c_str(), 0600);
  const auto lines = numbered(50);
  const SourceOptions uninterrupted{.seed = 2, .buffer_records = 8};
  const auto all =
      open_records(stream_of({directory.write("a", lines), "/dev/null"}), uninterrupted, quiet());
  WindowReader reader;
  Steps expected(*all, reader, {.sequences = 10});
  const auto steps_expected = all_of(expected);

  const FileDescriptor both(::open((directory / "fifo").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(::write(both.get(), lines.data(), 80) == 80);
  std::atomic<bool> interrupted = true;
  SourceOptions options = uninterrupted;
  options.interrupted = [&] { return interrupted.load(); };
  const auto source = open_records(stream_of({directory / "fifo"}), options, quiet());
  Steps steps(*source, reader, {.sequences = 10});
  const auto before = all_of(steps);
  REQUIRE(!before.empty());
  REQUIRE(before.size() < steps_expected.size());
  CHECK(before == std::vector<Ids>(steps_expected.begin(),
                                   steps_expected.begin() + static_cast<ptrdiff_t>(before.size())));
  const auto again = open_records(stream_of({directory / "a", "/dev/null"}), uninterrupted, quiet());
  Steps rest(*again, reader, {.sequences = 10});
  rest.skip_to(steps.position());
  CHECK(all_of(rest) == std::vector<Ids>(steps_expected.begin() + static_cast<ptrdiff_t>(before.size()),
                                         steps_expected.end()));
}
