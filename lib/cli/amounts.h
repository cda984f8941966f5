// Option values with a unit, for App::custom.
#pragma once

#include <string>

namespace bert::cli {

// Converts "45s", "90m", "1h30m", "2d" to seconds. Units must be in descending order, the total above 0.
double duration_s(const std::string& name, const std::string& value);

// "1000" is a count; "0.1" and "10%" are shares, from 0 to 1. So "1" means one and "1.0" means everything.
struct CountOrShare {
  double amount = 0;
  bool is_share = false;
};
CountOrShare count_or_share(const std::string& name, const std::string& value);

}  // namespace bert::cli
