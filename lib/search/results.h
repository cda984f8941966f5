// How results are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/scan.h"

namespace bert::search {

// In f32; infinite if f32 cannot hold it.
float rounded(double value);

// A value as the user sees it: the cosine, the product, or the distance; rounded.
float score_of(Metric metric, double value);

// What is wrong with an infinite score.
constexpr std::string_view kTooLarge = " is too large for a 32-bit number";

// Appends the score of a value. Throws Error if it is infinite.
void append_score(std::string& out, Metric metric, double value, int precision);

// The least value whose score reaches the threshold in f32. So a score
// that is written as the threshold reaches it.
double value_at(Metric metric, double threshold);

}  // namespace bert::search
