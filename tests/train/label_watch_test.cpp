#include "train/label_watch.h"

#include <doctest/doctest.h>

#include <vector>

#include "comm/memory_transport.h"

using namespace bert;

namespace {

// The only label of records that several ranks have read; "-" if there is none.
std::string only_label(const std::vector<std::vector<std::string>>& of_ranks) {
  std::vector<std::string> found(of_ranks.size());
  const auto find = [&](comm::Communicator& ranks) {
    train::LabelWatch watch;
    for (const auto& label : of_ranks[ranks.rank()]) watch.add(label);
    found[ranks.rank()] = watch.only_label(ranks).value_or("-");
  };
  if (comm::Communicator alone; of_ranks.size() == 1)
    find(alone);
  else
    comm::run_ranks(static_cast<int>(of_ranks.size()), find);
  for (const auto& other : found) CHECK(other == found.front());
  return found.front();
}

}  // namespace

TEST_CASE("a label is the only one if all ranks have no other") {
  CHECK(only_label({{"a", "a"}}) == "a");
  CHECK(only_label({{"a", "b"}}) == "-");
  CHECK(only_label({{"a"}, {"a"}}) == "a");
  CHECK(only_label({{}, {"", ""}, {""}}).empty());
  CHECK(only_label({{"a", "a"}, {"b"}, {}}) == "-");
  CHECK(only_label({{"a"}, {"a", "b"}}) == "-");
}

TEST_CASE("a single record has no other label to differ from") {
  CHECK(only_label({{"a"}}) == "-");
  CHECK(only_label({{}, {"a"}}) == "-");
  CHECK(only_label({{}, {}}) == "-");
}
