#include "examples/steps.h"

#include <doctest/doctest.h>

#include <atomic>
#include <map>

#include "base/error.h"
#include "base/random.h"
#include "comm/memory_transport.h"
#include "examples/records.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::examples;
using io::TemporaryDirectory;

namespace {

// Has as many sequences as it is told.
struct Several : Example {
  std::vector<TokenSequence> sequences() const override {
    return std::vector<TokenSequence>(static_cast<size_t>(count), TokenSequence{ids, types});
  }
  int32_t count = 1;
};

// Record n has n % 4 examples. Each one encodes (n, window, epoch) and has n % 5 + window + 1 tokens, in
// n % 3 + 1 sequences.
class WindowReader : public ExampleReader {
 public:
  void read(const io::Fields& fields, const io::Record&, int64_t epoch, Examples& examples) const override {
    ++records_read;
    const auto text = fields.required_text("text");
    if (text == "bad") throw Error("is bad");
    const int32_t number = std::stoi(std::string(text));
    for (int32_t window = 0; window < number % 4; ++window) {
      auto example = std::make_unique<Several>();
      example->count = number % 3 + 1;
      example->ids.assign(static_cast<size_t>(number % 5 + window + 1), 0);
      example->ids[0] = number * 1000 + window * 100 + static_cast<int32_t>(epoch);
      examples.push_back(std::move(example));
    }
  }
  void check(const Outline& example) override { last = example.where; }

  std::string last;
  mutable int64_t records_read = 0;
};

using Ids = std::vector<std::vector<std::vector<int32_t>>>;  // of the batches of a step

Ids ids_of(const Step& step) {
  Ids ids;
  int64_t sequences = 0, tokens = 0;
  uint64_t number = 0;
  for (const auto& batch : step.batches) {
    CHECK(!batch.examples.empty());
    size_t expected = 0;
    for (const auto& example : batch.examples) expected += example->sequences().size();
    CHECK(batch.sequences.size() == expected);
    for (const uint64_t sequence : batch.sequences) CHECK(sequence == number++);
    for (auto& one = ids.emplace_back(); const auto& example : batch.examples) {
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
  if (random.bernoulli(0.5)) options.tokens = 1 + random.below(40);
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
  for (int turn = 0; turn < tried(60); ++turn) {
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
      CHECK(reader.last == step.batches.back().examples.back()->where);
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
      sizes.push_back(step.batches[0].examples.size());
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

namespace {

// What a rank has of the data, and how it ended.
struct Part {
  struct OfStep {
    std::map<uint64_t, std::pair<size_t, std::vector<int32_t>>>
        examples;  // batch and ids, by the number of its first sequence
    size_t batches = 0;
    int64_t sequences = 0, tokens = 0;
    DataPosition position;
  };
  std::vector<OfStep> steps;
  std::string error;
  int64_t records_read = 0, skipped = 0;
};

struct SharedRun {
  io::StreamOptions stream;
  SourceOptions source;
  StepOptions step;
  std::optional<DataPosition> from;
};

Part part_of(comm::Communicator& ranks, const SharedRun& run) {
  Part part;
  WindowReader reader;
  try {
    auto options = run.source;
    options.ranks = &ranks;
    const auto source = open_records(run.stream, options, quiet());
    Steps steps(*source, reader, run.step, ranks);
    if (run.from) steps.skip_to(*run.from);
    for (Step step; steps.next(step);) {
      auto& own = part.steps.emplace_back();
      own = {.batches = step.batches.size(), .sequences = step.sequences, .tokens = step.tokens};
      own.position = steps.position();
      for (size_t i = 0; i < step.batches.size(); ++i) {
        auto sequence = step.batches[i].sequences.begin();
        for (const auto& example : step.batches[i].examples) {
          own.examples[*sequence] = {i, example->ids};
          sequence += static_cast<ptrdiff_t>(example->sequences().size());
        }
      }
    }
    part.skipped = source->skipped();
  } catch (const Error& error) {
    part.error = error.what();
  }
  part.records_read = reader.records_read;
  return part;
}

// Checks that the parts of several ranks make up what one rank has.
void check_parts(const SharedRun& run, int size) {
  std::vector<Part> parts(static_cast<size_t>(size));
  Part whole;
  messages_of([&] {
    comm::Communicator alone;
    whole = part_of(alone, run);
    comm::run_ranks(size, [&](comm::Communicator& ranks) {
      parts[static_cast<size_t>(ranks.rank())] = part_of(ranks, run);
    });
  });
  for (const auto& part : parts) {
    CHECK(part.error == whole.error);
    CHECK(part.skipped == whole.skipped);
    REQUIRE(part.steps.size() == whole.steps.size());
  }
  for (size_t i = 0; i < whole.steps.size(); ++i) {
    auto expected = whole.steps[i].examples;
    for (const auto& part : parts) {
      CHECK(part.steps[i].batches == whole.steps[i].batches);
      CHECK(part.steps[i].sequences == whole.steps[i].sequences);
      CHECK(part.steps[i].tokens == whole.steps[i].tokens);
      auto position = part.steps[i].position;
      // Only rank 0 reads a pipe.
      if (&part != &parts.front()) position.checksum = whole.steps[i].position.checksum;
      CHECK(position == whole.steps[i].position);
      for (const auto& [sequence, example] : part.steps[i].examples) {
        CHECK(expected.at(sequence) == example);
        expected.erase(sequence);
      }
    }
    CHECK(expected.empty());
  }
}

}  // namespace

TEST_CASE("several ranks share the steps of one and read about as much as they get") {
  const TemporaryDirectory directory;
  const auto good = directory.write("good", numbered(200)), bad = directory.write("bad", numbered(61, 7));
  Random random(5);
  for (int turn = 0; turn < tried(80); ++turn) {
    CAPTURE(turn);
    SharedRun run;
    run.stream = stream_of({turn % 3 == 0 ? bad : good});
    run.stream.on_error = turn % 2 == 0 ? io::OnError::skip : io::OnError::stop;
    run.source = {.seed = static_cast<uint64_t>(turn), .epochs = 2};
    run.step = random_options(random);
    if (turn % 4 == 1) {
      run.stream.files.push_back("/dev/null");  // read as a pipe
      run.source.epochs = 1;
      run.source.buffer_records = 30;
    }
    check_parts(run, 2 + turn % 3);
    comm::Communicator alone;
    Part whole;
    messages_of([&] { whole = part_of(alone, run); });
    if (whole.steps.size() < 2) continue;
    run.from = whole.steps[whole.steps.size() / 2].position;
    check_parts(run, 2 + turn % 3);
  }
}

TEST_CASE("a rank reads its part of the records, and again those that it gets from others") {
  const TemporaryDirectory directory;
  const auto name = directory.write("a", numbered(4000));
  for (const bool pipe : {false, true}) {
    SharedRun run{.stream = stream_of({name}), .source = {.seed = 3, .epochs = 1}, .step = {.sequences = 16}};
    if (pipe) run.stream.files.push_back("/dev/null");
    std::vector<Part> parts(4);
    comm::run_ranks(4, [&](comm::Communicator& ranks) {
      parts[static_cast<size_t>(ranks.rank())] = part_of(ranks, run);
    });
    for (const auto& part : parts)
      CHECK(part.records_read <= 2200);  // a quarter, and less than that of others
  }
}
