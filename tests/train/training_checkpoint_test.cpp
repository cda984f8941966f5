#include "train/training_checkpoint.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <set>

#include "base/error.h"
#include "ckpt/written_files.h"
#include "sanitized.h"
#include "train/state_json.h"

using namespace bert;
using namespace bert::train;
namespace fs = std::filesystem;

namespace {

nn::Layout small_layout() {
  nn::Layout layout;
  layout.add_plain("embeddings.word_embeddings.weight", {30, 7});
  layout.add_matrix("encoder.layer.0.output.dense.weight", 5, 9);
  layout.add_plain("cls.predictions.bias", {30});
  return layout;
}

// The arrays of a run, every bit determined by `step`; they include NaNs and negative zeros.
struct Run {
  explicit Run(int64_t step = 0) { set(step); }

  void set(int64_t step) {
    std::mt19937 random(static_cast<uint32_t>(step));
    for (int place = 0; place < 3; ++place) {
      const auto numbers = weights.tensor(place);
      const auto draw = [&] {
        for (float& number : numbers) number = std::bit_cast<float>(static_cast<uint32_t>(random()));
      };
      for (const Moment moment : {Moment::m, Moment::v}) {
        draw();
        optimizer.moments.fill(moment, place, std::as_bytes(numbers));
      }
      draw();
    }
  }
  bool operator==(const Run& other) const {
    const auto same = [](auto a, auto b) { return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0; };
    const Moments &own = optimizer.moments, &others = other.optimizer.moments;
    return same(weights.all(), other.weights.all()) && same(own.all(Moment::m), others.all(Moment::m)) &&
           same(own.all(Moment::v), others.all(Moment::v));
  }
  WriteModel write_model() const {
    return [this](OutputDirectory& output) {
      std::vector<ckpt::TensorToWrite> tensors;
      for (int place = 0; place < 3; ++place) {
        const auto& entry = layout.entries()[static_cast<size_t>(place)];
        tensors.push_back({.name = "bert." + entry.name,
                           .shape = entry.shape,
                           .data = std::as_bytes(weights.tensor(place))});
      }
      return ckpt::write_safetensors(output.file("model.safetensors"), tensors);
    };
  }
  std::string write(Checkpoints& checkpoints, const State& state) const {
    return checkpoints.write(state, write_model(), optimizer.moments);
  }
  void fill(const TrainingCheckpoint& checkpoint) {
    checkpoint.fill(weights);
    checkpoint.fill(optimizer);
  }

  nn::Layout layout = small_layout();
  nn::Params weights{layout};
  Optimizer::State optimizer{.moments = Moments(layout)};
};

State state_at(int64_t step) {
  State state = {
      .step = step,
      .optimizer_step = step + 3,
      .data = {.drawn = std::numeric_limits<int64_t>::max(), .within = 2, .records = 0, .bytes = -1},
      .elapsed_s = 0.1 + static_cast<double>(step),
      .best = 1.0 / 3,
      .dev_checksum = 0xfedcba9876543210,
      .sums = {{"mlm_loss", 1e300}, {"nsp \"loss\"", -0.0}, {"tokens", 1e20}, {"tiny", 5e-324}},
      .settings = {{"--seed", "1"}, {"--lr", "0.001"}, {"--data", "a \"b\"\n.jsonl"}}};
  for (int i = 1; i < 40; ++i) state.curve.add("loss", i, 1.0 / i);
  state.curve.add("dev_loss", 40, 3);
  return state;
}

struct QuietLog : Log {
  QuietLog() : Log("test", Level::quiet) {}
};

std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename().string());
  return names;
}

using Names = std::set<std::string>;

void change_byte(const std::string& path, size_t at) {
  auto bytes = read_file(path);
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  std::ofstream(path, std::ios::binary) << bytes;
}

// The exit code of a child process; 2 if it throws.
template <class Body>
int exit_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(body());
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("a checkpoint restores every bit of a run") {
  const Folder folder;
  QuietLog log;
  Checkpoints checkpoints(folder.path("run/checkpoints"), 2, log);
  CHECK(!checkpoints.last());
  const Run run(7);
  auto state = state_at(7);
  CHECK(run.write(checkpoints, state) == folder.path("run/checkpoints/step-00000007"));
  CHECK(names_in(folder.path("run/checkpoints/step-00000007")) ==
        Names{"model.safetensors", "optimizer.safetensors", "state.json"});
  const auto found = checkpoints.last();
  REQUIRE(found);
  CHECK(found->state() == state);
  CHECK(std::signbit(found->state().sums[1].second));
  Run read;
  read.fill(*found);
  CHECK(read == run);
  Run moments;
  found->fill(moments.optimizer);
  CHECK(moments.optimizer.steps == state.optimizer_step);
  CHECK(!(moments == run));
  std::ranges::copy(run.weights.all(), moments.weights.all().begin());
  CHECK(moments == run);

  state.best.reset();
  state.sums.clear();
  state.settings.clear();
  state.curve = {};
  state.step = 123'456'789'012;
  CHECK(run.write(checkpoints, state) == folder.path("run/checkpoints/step-123456789012"));
  CHECK(checkpoints.last()->state() == state);
}

TEST_CASE("finite doubles are stored bit for bit; NaN is rejected") {
  std::mt19937_64 random(5);
  StateFile file;
  while (file.state.sums.size() < 20000) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) file.state.sums.emplace_back(std::to_string(file.state.sums.size()), value);
  }
  file.state.sums.emplace_back("whole", 1234567890123456789.0);
  const auto read = parse_state("state.json", state_json(file));
  REQUIRE(read.state.sums.size() == file.state.sums.size());
  size_t same = 0;
  for (size_t i = 0; i < read.state.sums.size(); ++i) {
    same += std::bit_cast<uint64_t>(read.state.sums[i].second) ==
            std::bit_cast<uint64_t>(file.state.sums[i].second);
  }
  CHECK(same == read.state.sums.size());
  file.state.sums = {{"loss", NAN}};
  CHECK_THROWS_AS(state_json(file), Error);
}

TEST_CASE("older checkpoints, and later ones of an abandoned branch, are removed after a write") {
  const Folder folder;
  QuietLog log;
  const Run run(1);
  {
    Checkpoints checkpoints(folder.path(), 2, log);
    for (const int64_t step : {10, 20, 30, 40}) run.write(checkpoints, state_at(step));
    CHECK(names_in(folder.path()) == Names{"step-00000030", "step-00000040"});
  }
  change_byte(folder.path("step-00000040/model.safetensors"), 300);
  Checkpoints checkpoints(folder.path(), 2, log);
  CHECK(checkpoints.last()->state().step == 30);
  run.write(checkpoints, state_at(35));
  CHECK(names_in(folder.path()) == Names{"step-00000030", "step-00000035"});
  Run(2).write(checkpoints, state_at(35));  // replaces the checkpoint of the same step
  Run read;
  read.fill(*checkpoints.last());
  CHECK(read == Run(2));
}

TEST_CASE("any damage is detected, and the checkpoint before it is used") {
  const Folder folder;
  QuietLog log;
  Checkpoints checkpoints(folder.path(), 2, log);
  Run(1).write(checkpoints, state_at(1));
  Run(2).write(checkpoints, state_at(2));
  const std::vector<std::string> files = {folder.path("step-00000002/state.json"),
                                          folder.path("step-00000002/model.safetensors"),
                                          folder.path("step-00000002/optimizer.safetensors")};
  std::vector<std::string> intact;
  for (const auto& path : files) intact.push_back(read_file(path));
  std::mt19937 random(3);
  for (size_t round = 0; round < 450; ++round) {
    const size_t file = round % files.size();
    const auto& path = files[file];
    // Changes to the last bytes of state.json, `"}` and a newline, have no effect.
    const size_t size = intact[file].size() - (file == 0 ? 3 : 0);
    if (round % 2 == 0) {
      change_byte(path, random() % size);
    } else {
      fs::resize_file(path, random() % size);
    }
    const auto found = checkpoints.last();
    REQUIRE(found);
    CHECK(found->state().step == 1);
    std::ofstream(path, std::ios::binary) << intact[file];
    if (round % 50 == 0) CHECK(checkpoints.last()->state().step == 2);
  }
  fs::remove(files[2]);
  CHECK(checkpoints.last()->state().step == 1);
  fs::resize_file(folder.path("step-00000001/state.json"), 100);
  CHECK_THROWS_WITH_AS(
      checkpoints.last(),
      (folder.path() + ": all checkpoints are damaged; start over with --force instead of --resume").c_str(),
      Error);
}

TEST_CASE("a checkpoint of another model is rejected by name") {
  const Folder folder;
  QuietLog log;
  Checkpoints checkpoints(folder.path(), 1, log);
  const Run run(1);
  run.write(checkpoints, state_at(1));
  const auto checkpoint = *checkpoints.last();
  const auto weights = folder.path("step-00000001/model.safetensors");
  const auto moments = folder.path("step-00000001/optimizer.safetensors");
  nn::Layout renamed;
  renamed.add_plain("word_embeddings", {30, 7});
  Optimizer::State optimizer{.moments = Moments(renamed, {false})};  // checked even if not held
  CHECK_THROWS_WITH_AS(checkpoint.fill(optimizer), (moments + ": adam_m.word_embeddings is missing").c_str(),
                       Error);
  nn::Layout less;
  less.add_plain("embeddings.word_embeddings.weight", {30, 7});
  less.add_plain("cls.predictions.bias", {30});
  nn::Params few(less);
  CHECK_THROWS_WITH_AS(
      checkpoint.fill(few),
      (weights + ": contains encoder.layer.0.output.dense.weight, which the model does not have").c_str(),
      Error);
  nn::Layout other;
  other.add_plain("embeddings.word_embeddings.weight", {30, 8});
  nn::Params params(other);
  CHECK_THROWS_WITH_AS(
      checkpoint.fill(params),
      (weights + ": embeddings.word_embeddings.weight is F32 [30, 7], expected F32 [30, 8]").c_str(), Error);
}

TEST_CASE("changed settings are reported with old and new value") {
  const Settings then = {{"--seed", "1"}, {"--lr", "0.001"}, {"--clip", "1"}};
  require_same(then, {{"--clip", "1"}, {"--lr", "0.001"}, {"--seed", "1"}}, "run");
  require_same(then, {{"--clip", "1"}, {"--lr", "1e-3"}, {"--seed", "1"}}, "run");
  CHECK_THROWS_WITH_AS(
      require_same(then, {{"--seed", "2"}, {"--lr", "0.001"}, {"--dropout", "0"}}, "run/step-1"),
      "run/step-1 cannot be resumed with other settings: --seed: 1, now 2; --dropout: not set, now 0; "
      "--clip: 1, now not set; use the settings of the run, or start over with --force "
      "instead of --resume",
      Error);
}

TEST_CASE("settings that are not set are equal to those that are absent") {
  const Settings then = {{"--seed", "1"}, {"--dev", "not set"}};
  CHECK_FALSE(require_same(then, {{"--seed", "1"}, {"--eval-every", "not set"}}, "run"));
}

TEST_CASE("with --max-length, the limit of the tokenizer is not reported") {
  const Settings then = {{"--max-length", "not set"}, {"the tokenizer's model_max_length", "48"}};
  CHECK_THROWS_WITH_AS(require_same(then, {{"--max-length", "40"}}, "run"),
                       "run cannot be resumed with other settings: --max-length: not set, now 40; use the "
                       "settings of the run, or start over with --force instead of --resume",
                       Error);
}

TEST_CASE("epochs instead of steps are reported with the steps") {
  const Settings then = {{"--steps", "2"}, {"--epochs", "not set"}};
  CHECK_THROWS_WITH_AS(require_same(then, {{"--steps", "not set"}, {"--epochs", "3"}}, "run"),
                       "run cannot be resumed with other settings: --steps: 2, now not set; --epochs: not "
                       "set, now 3; use the settings of the run, or start over with --force instead of "
                       "--resume",
                       Error);
}

TEST_CASE("more steps or epochs extend a run") {
  const Settings then = {{"--seed", "1"}, {"--steps", "20"}, {"--epochs", "2"}};
  CHECK_FALSE(require_same(then, then, "run"));
  CHECK(require_same(then, {{"--seed", "1"}, {"--steps", "30"}, {"--epochs", "3"}}, "run") ==
        "--steps from 20 to 30, --epochs from 2 to 3");
  CHECK_THROWS_AS(require_same(then, {{"--seed", "1"}, {"--steps", "10"}, {"--epochs", "2"}}, "run"), Error);
  CHECK_THROWS_AS(require_same(then, {{"--seed", "2"}, {"--steps", "30"}, {"--epochs", "2"}}, "run"), Error);
}

TEST_CASE("checkpoints of older versions are resumed") {
  const Settings then = {{"--steps", "20"}, {"--epochs", "2"}, {"--on-error", "stop"}, {"--lr", "3e-04"}};
  CHECK_FALSE(require_same(then,
                           {{"--steps", "not set"},
                            {"--epochs", "2"},
                            {"--lr", "0.0003"},
                            {"the tokenizer's do_lower_case", "yes"}},
                           "run"));
}

TEST_CASE("numbers are written as people write them") {
  CHECK(setting(0.0003f) == "0.0003");
  CHECK(setting(5e-5) == "5e-5");
  CHECK(setting(0.0) == "0");
  CHECK(setting(-2.5) == "-2.5");
  CHECK(setting(1e30) == "1e30");
  CHECK(setting(1234567.0) == "1.234567e6");
}

TEST_CASE("a checkpoint directory is used by one process at a time") {
  const Folder folder;
  QuietLog log;
  const auto attempt = [&] {
    try {
      Checkpoints second(folder.path(), 1, log);
      return 0;
    } catch (const Error& error) {
      return error.what() == folder.path() + ": another process is training here" ? 3 : 4;
    }
  };
  {
    Checkpoints first(folder.path(), 1, log);
    CHECK(attempt() == 3);
    CHECK(exit_of_child(attempt) == 3);
  }
  CHECK(attempt() == 0);
}

TEST_CASE("a full disk keeps the previous checkpoint and leaves no other files") {
  const Folder folder;
  QuietLog log;
  Checkpoints checkpoints(folder.path(), 1, log);
  Run(1).write(checkpoints, state_at(1));
  const auto size = static_cast<rlim_t>(fs::file_size(folder.path("step-00000001/optimizer.safetensors")));
  for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, size / 2, size - 1, size}) {
    const bool fits = limit == size;  // state.json is smaller and fits too
    const int status = exit_of_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const struct rlimit sizes = {.rlim_cur = limit, .rlim_max = limit};
      ::setrlimit(RLIMIT_FSIZE, &sizes);
      try {
        Run(2).write(checkpoints, state_at(2));
        return 0;
      } catch (const Error& error) {
        return std::string(error.what()).ends_with("write error: File too large") ? 3 : 4;
      }
    });
    CHECK(status == (fits ? 0 : 3));
    CHECK(names_in(folder.path()) == Names{fits ? "step-00000002" : "step-00000001"});
  }
  CHECK(checkpoints.last()->state().step == 2);
}

TEST_CASE("a process killed at any moment loses no checkpoint that it has reported") {
  const Folder folder;
  QuietLog log;
  std::mt19937 random(11);
  int64_t told = 0;  // the last step that the writer reported as saved
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto directory = folder.path("checkpoints");
  double patience_us = 5000;  // about the time to write a checkpoint on this machine
  int unfinished = 0;         // rounds killed while writing a checkpoint
  for (int round = 0; round < tried(200); ++round) {
    fs::create_directory(directory);  // a round without a checkpoint removes the directory
    const pid_t child = ::fork();
    if (child == 0) {
      Checkpoints checkpoints(directory, 2, log);
      Run run;
      int64_t step = 0;
      if (const auto last = checkpoints.last()) {
        step = last->state().step;
        run.fill(*last);
        if (!(run == Run(step)) || !(last->state() == state_at(step))) ::_exit(1);
      }
      for (;;) {
        run.set(++step);
        run.write(checkpoints, state_at(step));
        if (::write(ends[1], &step, sizeof step) != sizeof step) ::_exit(2);
      }
    }
    ::usleep(static_cast<useconds_t>(random() % static_cast<uint32_t>(2 * patience_us)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));           // it did not exit by itself, so what it read was right
    const int64_t end = -1, before = told;  // -1 marks the end, because the pipe stays open
    REQUIRE(::write(ends[1], &end, sizeof end) == sizeof end);
    for (int64_t step = 0; ::read(ends[0], &step, sizeof step) == sizeof step && step != end;) told = step;
    patience_us = told == before ? patience_us * 1.25 : std::max(patience_us * 0.8, 100.0);
    unfinished += std::ranges::any_of(names_in(directory), [](auto& name) { return name.starts_with("."); });

    Checkpoints checkpoints(directory, 2, log);
    for (const auto& name : names_in(directory)) CHECK(name.starts_with("step-"));
    const auto last = checkpoints.last();
    if (!last) {
      CHECK(told == 0);
      continue;
    }
    const auto step = last->state().step;
    CHECK(step >= told);
    CHECK(step <= told + 1);
    CHECK(last->state() == state_at(step));
    Run run;
    run.fill(*last);
    CHECK(run == Run(step));
    told = step;
  }
  CHECK(told > tried(20));
  CHECK(unfinished > tried(20));
  ::close(ends[0]);
  ::close(ends[1]);
}
