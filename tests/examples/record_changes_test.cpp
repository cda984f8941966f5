#include "examples/record_changes.h"

#include <doctest/doctest.h>

using namespace bert::examples;
using Prints = std::vector<uint64_t>;

TEST_CASE("changes of records are counted, and those in place are told from others") {
  struct Case {
    Prints now;
    const char* text;
    bool any, in_place;
  };
  const Prints before = {10, 20, 30, 20, 40};
  for (const auto& [now, text, any, in_place] : {
           Case{{10, 20, 30, 20, 40}, "records moved", false, true},
           Case{{10, 21, 30, 20, 41}, "2 records changed", true, true},
           Case{{10, 20, 30, 40}, "1 record removed", true, false},
           Case{{10, 20, 30, 20, 40, 50, 60}, "2 records added", true, false},
           Case{{11, 20, 30, 40}, "1 record changed, 1 removed", true, false},
           Case{{20, 10, 30, 20, 40}, "records moved", true, false},
           Case{{20, 10, 31, 20, 40}, "1 record changed", true, false},
       }) {
    const auto changes = compare_records(before, now);
    CHECK(changes.text() == text);
    CHECK(changes.any() == any);
    CHECK(changes.in_place == in_place);
  }
}

TEST_CASE("records are recognized by their content, equal ones by their number") {
  const Prints before = {10, 20, 30, 20, 40, 20};
  const std::vector<bool> had = {true, true, false, true, false, false};
  CHECK(still_had(before, had, Prints{20, 50, 20, 20, 30, 10}) ==
        std::vector<bool>{true, false, true, false, false, true});
  CHECK(still_had(before, std::vector<bool>(6), before) == std::vector<bool>(6));
  CHECK(still_had({}, {}, before) == std::vector<bool>(6));
}
