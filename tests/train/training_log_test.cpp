#include "train/training_log.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>

#include "base/error.h"
#include "json/json.h"

using namespace bert;
using namespace bert::train;

namespace {

constexpr metric::Value kParts[] = {{"mlm_loss", 5.5}, {"nsp_loss", 0.625}};
const StepLine kLine = {.step = 1200,
                        .loss = 6.125,
                        .parts = kParts,
                        .learning_rate = 8.1e-4,
                        .gradient_norm = 1.3,
                        .tokens_per_second = 6540.4,
                        .seconds = 183.52};

}  // namespace

TEST_CASE("a training log line has fixed field order and the shortest form of numbers") {
  CHECK(json_line(kLine) ==
        R"({"step":1200,"loss":6.125,"mlm_loss":5.5,"nsp_loss":0.625,"lr":0.00081,"gradient_norm":1.3,)"
        R"("tokens_per_second":6540,"seconds":183.5})"
        "\n");
  const metric::Value dev[] = {
      {"loss", 6.5}, {"mlm_loss", 5.75}, {"mlm_accuracy", 1.0 / 3}, {"nsp_accuracy", 0.75}};
  CHECK(
      json_line(1200, dev) ==
      R"({"step":1200,"dev_loss":6.5,"dev_mlm_loss":5.75,"dev_mlm_accuracy":0.3333333333333333,"dev_nsp_accuracy":0.75})"
      "\n");
}

TEST_CASE("a training log line is valid JSON for any numbers and never contains NaN") {
  auto line = kLine;
  for (const double value : {1e-30, 1e30, -0.0, 0.1, 123456789.0}) {
    line.loss = line.learning_rate = line.tokens_per_second = value;
    json::Document document;
    const auto root = document.parse(json_line(line));
    CHECK(root.find("loss")->number() == doctest::Approx(value));
  }
  for (const double value : {double{NAN}, double{INFINITY}, -double{INFINITY}, 1e300}) {
    line.loss = value;
    CHECK_THROWS_AS(json_line(line), Error);
  }
}

TEST_CASE("each training log line is written at once, and a closed pipe ends the process silently") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    TrainingLog log;
    for (;;) {
      log.write(kLine);
      ::usleep(1000);
    }
  }
  ::close(ends[1]);
  const auto expected = json_line(kLine);
  std::string found(expected.size(), '\0');
  CHECK(::read(ends[0], found.data(), found.size()) == static_cast<ssize_t>(expected.size()));
  CHECK(found == expected);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGPIPE);
}

TEST_CASE("on a terminal, the log is a table") {
  CHECK(table_header(kLine) ==
        "    step          loss      mlm_loss      nsp_loss            lr      gradient      tokens/s        "
        "  time\n");
  CHECK(table_line(kLine) ==
        "    1200         6.125           5.5         0.625       8.1e-04           1.3         6,540     3 "
        "min 4 s\n");
  CHECK(table_line(1200, kParts) == "    1200  dev set:  mlm_loss 5.5  nsp_loss 0.625\n");
}

TEST_CASE("the progress line shows step, loss, rate, speed and time left") {
  ProgressLine line = {.step = 1200,
                       .steps = 20000,
                       .loss = 6.119,
                       .learning_rate = 8.1e-4,
                       .tokens_per_second = 6540.4,
                       .seconds_left = 4335};
  CHECK(text(line) == "step 1200/20000  loss 6.12  lr 8.1e-04  6,540 tokens/s  1 h 12 min left");
  line.seconds_left = 59.4;
  CHECK(text(line).ends_with("  59 s left"));
  line.seconds_left = 185;
  CHECK(text(line).ends_with("  3 min 5 s left"));
  line.seconds_left = 200000;
  CHECK(text(line).ends_with("  2 d 7 h left"));
  line = {.step = 3, .loss = 10, .learning_rate = 0, .tokens_per_second = 1234567};
  CHECK(text(line) == "step 3  loss 10.00  lr 0.0e+00  1,234,567 tokens/s");
  line.tokens_per_second = 999.4;
  CHECK(text(line).ends_with("  999 tokens/s"));
}
