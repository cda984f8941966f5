#include "cli/amounts.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "cli/app.h"

using namespace bert::cli;

TEST_CASE("durations are numbers with units, largest unit first") {
  const std::pair<const char*, double> cases[] = {{"45s", 45},     {"90m", 5400},      {"2h", 7200},
                                                  {"1h30m", 5400}, {"1.5h", 5400},     {"2d", 172800},
                                                  {"0h10s", 10},   {"1d2h3m4s", 93784}};
  for (const auto& valid : cases)
    CHECK_MESSAGE(duration_s("--budget", valid.first) == valid.second, valid.first);
  for (const char* text : {"", "2", "h", "2x", "30m1h", "1h1h", "-1h", "0s", "1h 30m", "1h30", "infs", "nans",
                           "1e3s", " 2h", "2H"}) {
    CHECK_THROWS_WITH_AS(
        duration_s("--budget", text),
        ("--budget must be a duration such as 45s, 90m or 1h30m, not \"" + std::string(text) + "\"").c_str(),
        UsageError);
  }
}

TEST_CASE("whole numbers are counts; fractions and percentages are shares") {
  struct Case {
    const char* text;
    double amount;
    bool is_share;
  };
  for (const auto& valid : {Case{"1000", 1000, false},
                            {"0", 0, false},
                            {"1", 1, false},
                            {"0.1", 0.1, true},
                            {"10%", 0.1, true},
                            {"1.0", 1, true},
                            {"0.0", 0, true},
                            {"100%", 1, true},
                            {"2.5%", 0.025, true}}) {
    const auto read = count_or_share("--warmup", valid.text);
    CHECK_MESSAGE(read.amount == doctest::Approx(valid.amount).epsilon(1e-15), valid.text);
    CHECK_MESSAGE(read.is_share == valid.is_share, valid.text);
  }
  for (const char* text : {"", "%", "x", "-1", "-0.1", "1e3", "inf", "nan", "10 %", "5x"}) {
    CHECK_THROWS_WITH_AS(
        count_or_share("--warmup", text),
        ("--warmup must be a count or a share such as 0.1 or 10%, not \"" + std::string(text) + "\"").c_str(),
        UsageError);
  }
  for (const char* text : {"1.5", "101%"}) CHECK_THROWS_AS(count_or_share("--warmup", text), UsageError);
}
