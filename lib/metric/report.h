// The JSON object that bert-score writes: metrics in order, those that were asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "metric/value.h"

namespace bert::metric {

class Report {
 public:
  // `wanted` metrics, all when empty. `undefined` hears the names of metrics that are not a number; they are
  // null.
  Report(std::vector<std::string> wanted, int precision, std::function<void(std::string_view)> undefined);

  void count(std::string_view name, int64_t value);  // always there
  void text(std::string_view name, std::string_view value);
  // False when it is not wanted.
  bool metric(std::string_view name, double value) { return metric(name, name, value); }
  // Asked for by one name and written under another.
  bool metric(std::string_view name, std::string_view written, double value);
  void metrics(const Values& values);

  // Members until close() stand in an object of their own. False, and nothing is opened, when it is not
  // wanted.
  bool open(std::string_view name);
  void close();

  std::string json() &&;  // with a line end

 private:
  bool wanted(std::string_view name) const;
  void begin(std::string_view name);

  std::vector<std::string> wanted_;
  int precision_;
  std::function<void(std::string_view)> undefined_;
  std::string json_ = "{";
  int depth_ = 0;
};

}  // namespace bert::metric
