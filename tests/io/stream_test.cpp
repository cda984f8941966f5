// The stream compared with its slow reference: generated inputs of every format, any chunk size, any number
// of threads, from files and from pipes that deliver a few bytes at a time.
#include <doctest/doctest.h>

#include <csignal>

#include "io/stream_cases.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::io;

namespace {

void check_case(uint64_t seed, bool from_pipes) {
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
  const Ran ran = run_and_catch(made.options, made.threads, made.pass);
  CAPTURE(seed);
  CHECK(ran.out == slow.out);
  CHECK(without_reason(ran.failure) == slow.failure);
  CHECK(skipped_in(ran.messages) == expected_messages(slow));
  if (!slow.failed) CHECK(ran.result.records == slow.records);
}

}  // namespace

TEST_CASE("output for files matches the slow reference for any chunk size and thread count") {
  for (uint64_t seed = 1; seed <= tried(2000); ++seed) check_case(seed, false);
}

TEST_CASE("output for pipes that deliver a few bytes at a time matches the slow reference") {
  std::signal(SIGPIPE, SIG_IGN);  // a stream that stops early closes the pipe of its producers
  for (uint64_t seed = 10001; seed <= 10000 + tried(400); ++seed) check_case(seed, true);
}
