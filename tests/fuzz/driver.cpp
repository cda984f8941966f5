// Runs a fuzz target without Clang's libFuzzer. Usage as with libFuzzer:
//
//   NAME_fuzz [-runs=N] [-max_total_time=SECONDS] [-max_len=BYTES] [-seed=N] [FOLDER|FILE...]
//   NAME_fuzz -merge=1 FOLDER FOLDER...
//
// Runs the inputs in the FOLDERs, then mutations of them until N runs or SECONDS are over (default: none). If
// built with -fsanitize-coverage=trace-pc, inputs that reach new code are kept in the first FOLDER. The input
// of a failed run is written to the file crash-NUMBER.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz.h"

#ifdef __clang__
#define NOT_COUNTED __attribute__((no_sanitize("coverage")))
#else
#define NOT_COUNTED __attribute__((no_sanitize_coverage))
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));
// A size of gigabytes claimed in a file must not be trusted.
extern "C" const char* __asan_default_options() {
  // No allocation stack traces and a small quarantine: they take a third of the time.
  return "max_allocation_size_mb=1024:detect_stack_use_after_return=0:malloc_context_size=0:quarantine_size_"
         "mb=4";
}

extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

constexpr unsigned kSecondsOfARun = 20;

// The executed edges between branches, by hash. Not a std::array, because its functions would be counted.
constexpr size_t kSteps = 1 << 20;
bool taken[kSteps];
uintptr_t before;
size_t new_steps;

std::string& current = *new std::string;  // the input of the run; never destroyed

void write_current() {
  const auto name = "crash-" + std::to_string(std::hash<std::string>{}(current));
  std::ofstream(name, std::ios::binary) << current;
  std::fprintf(stderr, "the input is in %s\n", name.c_str());
}

void die(int signal) {
  write_current();
  ::_exit(128 + signal);
}

struct Options {
  uint64_t runs = 0;
  double seconds = 0;
  size_t max_length = 4096;
  unsigned seed = 1;
  bool merges = false;
  std::vector<std::filesystem::path> paths;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("-runs="))
      options.runs = std::stoull(value);
    else if (argument.starts_with("-max_total_time="))
      options.seconds = std::stod(value);
    else if (argument.starts_with("-max_len="))
      options.max_length = std::stoull(value);
    else if (argument == "-merge=1")
      options.merges = true;
    else if (argument.starts_with("-seed="))
      options.seed = static_cast<unsigned>(std::stoul(value));
    else if (!argument.starts_with("-"))
      options.paths.emplace_back(argument);
  }
  return options;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> inputs_in(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> inputs;
  for (const auto& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      inputs.push_back(bytes_of(path));
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) inputs.push_back(bytes_of(entry));
  }
  return inputs;
}

// Returns whether the run took an edge that no earlier run took.
bool run(std::string input) {
  current = std::move(input);
  before = 0;
  const size_t old = new_steps;
  ::alarm(kSecondsOfARun);
  // A copy of the exact size, so that sanitizers detect reads beyond its end.
  const std::vector<uint8_t> exact(current.begin(), current.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  return new_steps > old;
}

// Replaces a part of this input by a part of another one.
std::string spliced(std::string input, const std::string& other, std::mt19937& random) {
  const size_t at = random() % (input.size() + 1), from = random() % (other.size() + 1);
  return input.replace(at, random() % (input.size() - at + 1), other, from,
                       random() % (other.size() - from + 1));
}

std::string changed(const std::vector<std::string>& inputs, std::mt19937& random) {
  std::string input = inputs[random() % inputs.size()];
  if (random() % 4 == 0) input = spliced(std::move(input), inputs[random() % inputs.size()], random);
  return input.empty() ? std::string(1, static_cast<char>(random()))
                       : bert::fuzz::mutated(std::move(input), random);
}

}  // namespace

namespace {

void keep(const std::filesystem::path& folder, const std::string& input) {
  std::ofstream(folder / std::to_string(std::hash<std::string>{}(input)), std::ios::binary) << input;
}

// Copies inputs from the other folders to the first one if they reach code that it does not reach yet; small
// inputs first.
int merge(const std::vector<std::filesystem::path>& paths) {
  for (const auto& input : inputs_in({paths.front()})) run(input);
  auto inputs = inputs_in({paths.begin() + 1, paths.end()});
  std::ranges::stable_sort(inputs, {}, &std::string::size);
  int kept = 0;
  for (const auto& input : inputs) {
    if (!run(input)) continue;
    ++kept;
    keep(paths.front(), input);
  }
  std::printf("%d of %zu kept\n", kept, inputs.size());
  return 0;
}

}  // namespace

extern "C" NOT_COUNTED void __sanitizer_cov_trace_pc() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  bool& step = taken[(here ^ before) % kSteps];
  before = here << 1;
  if (step) return;
  step = true;
  ++new_steps;
}

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  for (const int signal : {SIGABRT, SIGALRM}) ::signal(signal, die);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(write_current);
  if (options.merges) return merge(options.paths);
  auto inputs = inputs_in(options.paths);
  for (const auto& input : inputs) run(input);
  uint64_t count = inputs.size(), kept = 0;
  if (inputs.empty()) inputs.emplace_back();

  std::mt19937 random(options.seed);
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto goes_on = [&] {
    if (options.runs == 0 && options.seconds == 0) return false;
    if (options.runs != 0 && count >= options.runs) return false;
    return options.seconds == 0 || count % 256 != 0 || seconds() < options.seconds;
  };
  while (goes_on()) {
    auto input = changed(inputs, random);
    if (input.size() > options.max_length) input.resize(options.max_length);
    ++count;
    if (!run(input)) continue;
    ++kept;
    inputs.push_back(input);
    if (!options.paths.empty() && std::filesystem::is_directory(options.paths.front()))
      keep(options.paths.front(), input);
  }
  std::printf("%llu runs in %.0f s, %llu kept\n", static_cast<unsigned long long>(count), seconds(),
              static_cast<unsigned long long>(kept));
}
