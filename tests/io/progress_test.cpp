#include "io/progress.h"

#include <doctest/doctest.h>

#include "io/stream_run.h"

using namespace bert::io;

TEST_CASE("the progress line says rate, share and remaining time") {
  CHECK(progress_text(100, 4, std::nullopt) == "100 records, 25/s");
  CHECK(progress_text(100, 4, 0.0) == "100 records, 25/s");
  CHECK(progress_text(100, 20, 0.25) == "100 records, 5/s, 25 %, 1:00 left");
  CHECK(progress_text(1, 7300, 0.5) == "1 records, 0/s, 50 %, 2:01:40 left");
  CHECK(progress_text(9, 9, 1.5) == "9 records, 1/s, 100 %, 0:00 left");  // the FILE grew
}

TEST_CASE("the size of the input is known if all FILEs are regular files") {
  const TemporaryDirectory directory;
  const auto a = directory.write("a", "12345"), b = directory.write("b", "123");
  CHECK(size_of_files({a, b}) == 8);
  CHECK_FALSE(size_of_files({a, "/dev/null"}).has_value());
  CHECK_FALSE(size_of_files({a, directory / "missing"}).has_value());
}
