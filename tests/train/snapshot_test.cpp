#include "train/snapshot.h"

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

// The arrays of a run whose every bit follows from `step`; NaNs and negative zeros are among them.
struct Run {
  explicit Run(int64_t step = 0) { set(step); }

  void set(int64_t step) {
    std::mt19937 random(static_cast<uint32_t>(step));
    for (auto* params : {&weights, &first, &second}) {
      for (int place = 0; place < 3; ++place) {
        for (float& number : params->tensor(place))
          number = std::bit_cast<float>(static_cast<uint32_t>(random()));
      }
    }
  }
  bool operator==(const Run& other) const {
    const auto same = [](const nn::Params& a, const nn::Params& b) {
      return std::memcmp(a.all().data(), b.all().data(), a.all().size_bytes()) == 0;
    };
    return same(weights, other.weights) && same(first, other.first) && same(second, other.second);
  }
  std::vector<ParamsToKeep> kept() const {
    return {{"weights", weights}, {"adam_m", first}, {"adam_v", second}};
  }
  std::vector<ParamsToFill> filled() { return {{"weights", weights}, {"adam_m", first}, {"adam_v", second}}; }

  nn::Layout layout = small_layout();
  nn::Params weights{layout}, first{layout}, second{layout};
};

State state_at(int64_t step) {
  State state = {
      .step = step,
      .optimizer_step = step + 3,
      .data = {.drawn = std::numeric_limits<int64_t>::max(), .within = 2, .records = 0, .bytes = -1},
      .elapsed_s = 0.1 + static_cast<double>(step),
      .best = 1.0 / 3,
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

// What a child process ends with; 2 when it throws.
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

TEST_CASE("a snapshot gives back every bit of a run") {
  const Folder folder;
  QuietLog log;
  Snapshots snapshots(folder.path("run/snapshots"), 2, log);
  CHECK(snapshots.empty());
  CHECK(!snapshots.last());
  const Run run(7);
  auto state = state_at(7);
  CHECK(snapshots.write(state, run.kept()) == folder.path("run/snapshots/step-00000007"));
  CHECK(names_in(folder.path("run/snapshots/step-00000007")) == Names{"state.json", "training.safetensors"});
  const auto found = snapshots.last();
  REQUIRE(found);
  CHECK(found->state() == state);
  CHECK(std::signbit(found->state().sums[1].second));
  Run read;
  found->fill(read.filled());
  CHECK(read == run);
  Run moments;
  found->fill(std::vector<ParamsToFill>{{"adam_m", moments.first}, {"adam_v", moments.second}});
  CHECK(!(moments == run));
  std::ranges::copy(run.weights.all(), moments.weights.all().begin());
  CHECK(moments == run);

  state.best.reset();
  state.sums.clear();
  state.settings.clear();
  state.curve = {};
  state.step = 123'456'789'012;
  CHECK(snapshots.write(state, run.kept()) == folder.path("run/snapshots/step-123456789012"));
  CHECK(snapshots.last()->state() == state);
}

TEST_CASE("doubles of all sizes are kept to the bit, and what is not a number is refused") {
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

TEST_CASE("older snapshots go once the new one is there, later ones of a given-up branch too") {
  const Folder folder;
  QuietLog log;
  const Run run(1);
  {
    Snapshots snapshots(folder.path(), 2, log);
    for (const int64_t step : {10, 20, 30, 40}) snapshots.write(state_at(step), run.kept());
    CHECK(names_in(folder.path()) == Names{"step-00000030", "step-00000040"});
  }
  change_byte(folder.path("step-00000040/training.safetensors"), 300);
  Snapshots snapshots(folder.path(), 2, log);
  CHECK(snapshots.last()->state().step == 30);
  snapshots.write(state_at(35), run.kept());
  CHECK(names_in(folder.path()) == Names{"step-00000030", "step-00000035"});
  snapshots.write(state_at(35), Run(2).kept());  // again, in place of itself
  Run read;
  snapshots.last()->fill(read.filled());
  CHECK(read == Run(2));
  snapshots.clear();
  CHECK(snapshots.empty());
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("any damage is seen, and the snapshot before it is used") {
  const Folder folder;
  QuietLog log;
  Snapshots snapshots(folder.path(), 2, log);
  snapshots.write(state_at(1), Run(1).kept());
  snapshots.write(state_at(2), Run(2).kept());
  const auto state_file = folder.path("step-00000002/state.json");
  const auto training_file = folder.path("step-00000002/training.safetensors");
  const auto good_state = read_file(state_file), good_training = read_file(training_file);
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const auto& path = round % 2 == 0 ? state_file : training_file;
    const auto& good = round % 2 == 0 ? good_state : good_training;
    // The last bytes of state.json, `"}` and a line end, say nothing.
    const size_t size = good.size() - (round % 2 == 0 ? 3 : 0);
    if (round % 4 < 2) {
      change_byte(path, random() % size);
    } else {
      fs::resize_file(path, random() % size);
    }
    const auto found = snapshots.last();
    REQUIRE(found);
    CHECK(found->state().step == 1);
    std::ofstream(path, std::ios::binary) << good;
    if (round % 50 == 0) CHECK(snapshots.last()->state().step == 2);
  }
  fs::remove(training_file);
  CHECK(snapshots.last()->state().step == 1);
  fs::resize_file(folder.path("step-00000001/state.json"), 100);
  CHECK_THROWS_WITH_AS(snapshots.last(), (folder.path() + ": no snapshot is whole").c_str(), Error);
}

TEST_CASE("a snapshot of another model is refused by name") {
  const Folder folder;
  QuietLog log;
  Snapshots snapshots(folder.path(), 1, log);
  const Run run(1);
  snapshots.write(state_at(1), run.kept());
  const auto snapshot = *snapshots.last();
  const auto file = folder.path("step-00000001/training.safetensors");
  Run read;
  CHECK_THROWS_WITH_AS(snapshot.fill(std::vector<ParamsToFill>{{"weights", read.weights}, {"m", read.first}}),
                       (file + ": m.embeddings.word_embeddings.weight is missing").c_str(), Error);
  nn::Layout less;
  less.add_plain("embeddings.word_embeddings.weight", {30, 7});
  less.add_plain("cls.predictions.bias", {30});
  nn::Params few(less);
  CHECK_THROWS_WITH_AS(
      snapshot.fill(std::vector<ParamsToFill>{{"weights", few}}),
      (file + ": holds weights.encoder.layer.0.output.dense.weight, which the model has not").c_str(), Error);
  nn::Layout other;
  other.add_plain("embeddings.word_embeddings.weight", {30, 8});
  nn::Params params(other);
  CHECK_THROWS_WITH_AS(
      snapshot.fill(std::vector<ParamsToFill>{{"weights", params}}),
      (file + ": weights.embeddings.word_embeddings.weight is F32 [30, 7], expected F32 [30, 8]").c_str(),
      Error);
}

TEST_CASE("settings that differ are named, each by its old and its new value") {
  const Settings then = {{"--seed", "1"}, {"--lr", "0.001"}, {"--clip", "1"}};
  require_same(then, {{"--clip", "1"}, {"--lr", "0.001"}, {"--seed", "1"}});
  CHECK_THROWS_WITH_AS(require_same(then, {{"--seed", "2"}, {"--lr", "0.001"}, {"--dropout", "0"}}),
                       "--seed was 1 in the snapshot, 2 now; --dropout was not set in the snapshot, 0 now; "
                       "--clip was 1 in the snapshot, not set now",
                       Error);
}

TEST_CASE("snapshots belong to one process at a time") {
  const Folder folder;
  QuietLog log;
  const auto attempt = [&] {
    try {
      Snapshots second(folder.path(), 1, log);
      return 0;
    } catch (const Error& error) {
      return error.what() == folder.path() + ": another process is training here" ? 3 : 4;
    }
  };
  {
    Snapshots first(folder.path(), 1, log);
    CHECK(attempt() == 3);
    CHECK(exit_of_child(attempt) == 3);
  }
  CHECK(attempt() == 0);
}

TEST_CASE("a disk that is full leaves the snapshot before, and no leftovers") {
  const Folder folder;
  QuietLog log;
  Snapshots snapshots(folder.path(), 1, log);
  snapshots.write(state_at(1), Run(1).kept());
  const auto size = static_cast<rlim_t>(fs::file_size(folder.path("step-00000001/training.safetensors")));
  for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, size / 2, size - 1, size}) {
    const bool fits = limit == size;  // then state.json does, too
    const int status = exit_of_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const struct rlimit sizes = {.rlim_cur = limit, .rlim_max = limit};
      ::setrlimit(RLIMIT_FSIZE, &sizes);
      try {
        snapshots.write(state_at(2), Run(2).kept());
        return 0;
      } catch (const Error& error) {
        return std::string(error.what()).ends_with("write error: File too large") ? 3 : 4;
      }
    });
    CHECK(status == (fits ? 0 : 3));
    CHECK(names_in(folder.path()) == Names{fits ? "step-00000002" : "step-00000001"});
  }
  CHECK(snapshots.last()->state().step == 2);
}

TEST_CASE("a process killed at any moment loses no snapshot that it had told of") {
  const Folder folder;
  QuietLog log;
  std::mt19937 random(11);
  int64_t told = 0;  // the last step that the writer had brought to safety
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto directory = folder.path("snapshots");
  double patience_us = 5000;  // about as long as a snapshot takes, however fast the machine is just now
  int unfinished = 0;         // rounds that ended within a snapshot
  for (int round = 0; round < 200; ++round) {
    fs::create_directory(directory);  // a round without any snapshot has removed it
    const pid_t child = ::fork();
    if (child == 0) {
      Snapshots snapshots(directory, 2, log);
      Run run;
      int64_t step = 0;
      if (const auto last = snapshots.last()) {
        step = last->state().step;
        last->fill(run.filled());
        if (!(run == Run(step)) || !(last->state() == state_at(step))) ::_exit(1);
      }
      for (;;) {
        run.set(++step);
        snapshots.write(state_at(step), run.kept());
        if (::write(ends[1], &step, sizeof step) != sizeof step) ::_exit(2);
      }
    }
    ::usleep(static_cast<useconds_t>(random() % static_cast<uint32_t>(2 * patience_us)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));           // it had not ended by itself: what it found was right
    const int64_t end = -1, before = told;  // the pipe stays open, so its end is a number
    REQUIRE(::write(ends[1], &end, sizeof end) == sizeof end);
    for (int64_t step = 0; ::read(ends[0], &step, sizeof step) == sizeof step && step != end;) told = step;
    patience_us = told == before ? patience_us * 1.25 : std::max(patience_us * 0.8, 100.0);
    unfinished += std::ranges::any_of(names_in(directory), [](auto& name) { return name.starts_with("."); });

    Snapshots snapshots(directory, 2, log);
    for (const auto& name : names_in(directory)) CHECK(name.starts_with("step-"));
    const auto last = snapshots.last();
    if (!last) {
      CHECK(told == 0);
      continue;
    }
    const auto step = last->state().step;
    CHECK(step >= told);
    CHECK(step <= told + 1);
    CHECK(last->state() == state_at(step));
    Run run;
    last->fill(run.filled());
    CHECK(run == Run(step));
    told = step;
  }
  CHECK(told > 20);
  CHECK(unfinished > 20);
  ::close(ends[0]);
  ::close(ends[1]);
}
