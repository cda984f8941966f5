#include "io/decompressor.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.h"
#include "io/input.h"
#include "io/ring.h"
#include "io/stream_run.h"

using namespace bert;
using namespace bert::io;

namespace {

// The bytes of an input of `text` after `program` has read them; `program -dc` must be a decompressor.
std::string through(const std::string& text, const Compression& compression) {
  const TemporaryDirectory directory;
  const StopEvent stop;
  Input input(directory.write("in", text), stop.get());
  input.read_more();
  input.decompress(compression);
  while (input.read_more()) {
  }
  return std::string(input.unread());
}

}  // namespace

TEST_CASE("a program that is not there is an error that names its package") {
  CHECK_THROWS_WITH_AS(through("x", {"no-such-program", "package-of-it", ".no", "x"}),
                       doctest::Contains("the package package-of-it"), Error);
}

TEST_CASE("a program that fails is an error with what it says") {
  CHECK_THROWS_WITH_AS(through("xyz\n", {"gzip", "gzip", ".gz", "x"}),
                       doctest::Contains("not in gzip format"), Error);
}

TEST_CASE("an input that is destroyed early, or stopped, leaves no child") {
  StopEvent stop;
  std::array<int, 2> ends;
  REQUIRE(::pipe(ends.data()) == 0);
  {
    Input input("/dev/fd/" + std::to_string(ends[0]), stop.get());
    REQUIRE(::write(ends[1], "\x1f\x8b\x08", 3) == 3);
    input.read_more();
    input.decompress({"gzip", "gzip", ".gz", ""});
    stop.set();
    CHECK_FALSE(input.read_more());  // the child still waits for more
  }
  ::close(ends[0]);
  ::close(ends[1]);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}
