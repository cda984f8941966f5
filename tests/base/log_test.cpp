#include "base/log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"

namespace {

// What `write` writes to stderr.
template <class Write>
std::string written(Write write) {
  std::string path = "/tmp/bert_log_test.XXXXXX";
  const int file = mkstemp(path.data()), kept = dup(STDERR_FILENO);
  dup2(file, STDERR_FILENO);
  close(file);
  write();
  dup2(kept, STDERR_FILENO);
  close(kept);
  const auto text = bert::read_file(path);
  unlink(path.c_str());
  return text;
}

}  // namespace

TEST_CASE("progress is drawn over the line before") {
  CHECK(written([] {
          bert::Log log("tool");
          log.progress("1 record");
          log.progress("2 records");
          log.warn("a note");
        }) == "\r1 record\r\033[K\r2 records\r\033[Ktool: a note\n");
}

TEST_CASE("in a file, progress has lines of its own, not too many") {
  CHECK(written([] {
          bert::Log log("tool");
          log.write_progress_every(0);
          log.progress("1 record");
          log.progress("");
          log.progress("2 records");
        }) == "tool: 1 record\ntool: 2 records\n");
  CHECK(written([] {
          bert::Log log("tool");
          log.write_progress_every(60);
          log.progress("1 record");
          log.warn("a note");
        }) == "tool: a note\n");
}
