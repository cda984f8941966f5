#include "json/members.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace bert::json;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // keys and values

Pairs pairs_of(std::string_view object) {
  Pairs pairs;
  Members members(object);
  for (Members::Member member; members.next(member);)
    pairs.emplace_back(member.key, object.substr(member.value_begin, member.value_end - member.value_begin));
  return pairs;
}

}  // namespace

// Values are skipped several bytes at a time, so what ends them stands at each place within these.
TEST_CASE("members of any length are found whole") {
  const std::string_view parts[] = {R"("]}")", R"("\"[")", R"({"a":[]})", "[[1],{}]", "1e-5", "true", "\"\""};
  for (const std::string_view part : parts) {
    CAPTURE(part);
    for (size_t before = 0; before < 20; ++before) {
      for (size_t after = 0; after < 20; ++after) {
        std::string numbers;
        for (size_t i = 0; i < before; ++i) numbers += i % 2 == 0 ? "7" : ",";
        if (before % 2 == 0) numbers += before == 0 ? "" : "8";
        const std::string array = "[" + numbers + (before == 0 ? "" : ", ") + std::string(part) +
                                  std::string(after, ' ') + ",-0.25]";
        const Pairs expected = {{"first", array}, {"second", "{\"x\": " + array + "}"}, {"t", "3"}};
        std::string object;
        for (const auto& [key, value] : expected)
          object += (object.empty() ? "{\"" : ",\"") + key + "\":" + value;
        CHECK(pairs_of(object + "}") == expected);
      }
    }
  }
}

TEST_CASE("keys are unescaped, and white space belongs to no value") {
  CHECK(pairs_of("{}").empty());
  CHECK(pairs_of("{ }").empty());
  CHECK(pairs_of("{ \"a\\u0062\" : 1 , \"\\\"\":\t[ 1 , 2 ] }") == Pairs{{"ab", "1"}, {"\"", "[ 1 , 2 ]"}});
}
