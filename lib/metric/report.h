// The JSON object that bert-score writes: the requested metrics, in order.
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
  // `wanted`: names of the metrics to write; empty: all. `undefined` is called with the name of each metric
  // that is NaN or infinite, which is written as null.
  Report(std::vector<std::string> wanted, int precision, std::function<void(std::string_view)> undefined);

  void count(std::string_view name, int64_t value);  // always written
  void text(std::string_view name, std::string_view value);
  // False if the metric is not wanted.
  bool metric(std::string_view name, double value) { return metric(name, name, value); }
  // Selected by `name` and written as `written`.
  bool metric(std::string_view name, std::string_view written, double value);
  void metrics(const Values& values);

  // Members added until close() go into a nested object. If it is not wanted, returns false and opens
  // nothing.
  bool open(std::string_view name);
  void close();

  std::string json() &&;  // with a line feed at the end

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
