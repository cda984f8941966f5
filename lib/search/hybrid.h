// Joins what a search by vectors and one by words found.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/nearest.h"

namespace bert::search {

constexpr double kSmoothing = 60;
constexpr double kMostByRanks = 2 / (kSmoothing + 1);  // the score of a row that is first in both lists

// The sum of 1 / (60 + rank) over the lists that have a row (reciprocal rank fusion, Cormack, Clarke and
// Buettcher, SIGIR 2009). Both are best first; so is the result.
std::vector<Neighbor> join_by_ranks(std::span<const Neighbor> by_vector, std::span<const Neighbor> by_words);

// A row that one of the searches found, with the values that it has in both.
struct Candidate {
  int64_t row;
  double vector, words;
};

// weight · vector + (1 - weight) · words / the best words; best first.
std::vector<Neighbor> join_by_weight(std::span<const Candidate> candidates, double weight);

// The parts of a query between pairs of " or “ and ”; none of them is empty.
std::vector<std::string_view> quoted_parts(std::string_view query);

}  // namespace bert::search
