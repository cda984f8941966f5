// The JSON object or the text that bert-score writes of metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/output.h"

namespace bert::metric {

// The ratio of two counts; 0 if `whole` is 0, as in sklearn and conlleval.
inline double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / whole;
}

std::string rounded(double value, int precision);  // digits after the point, zeros included

// The requested metrics, in order.
class Report {
 public:
  // `wanted`: names of the metrics to write; empty: all. `undefined` is called with the name of each metric
  // that is NaN or infinite, which is written as null.
  Report(std::vector<std::string> wanted, int precision, std::function<void(std::string_view)> undefined);

  void count(std::string_view name, int64_t value);                         // always written
  void text(std::string_view name, std::optional<std::string_view> value);  // null if there is none
  void value(std::string_view name, std::optional<double> value);           // null if there is none
  // False if the metric is not wanted.
  bool metric(std::string_view name, double value) { return metric(name, name, value); }
  // Selected by `name` and written as `written`.
  bool metric(std::string_view name, std::string_view written, double value);

  // Members added until close() go into a nested object. If it is not wanted, returns false and opens
  // nothing.
  bool open(std::string_view name);
  void close();

  // The first wanted metric that was not written; nullopt if there is none.
  std::optional<std::string> unwritten() const;

  const io::Added& fields() const { return fields_; }  // a nested object is the value of one
  // For people, rounded to 4 digits if there is no `precision`: a line for each metric, and a table of each
  // nested object of objects.
  //
  //   accuracy  0.7500
  //
  //   labels  precision  recall      f1  gold  predicted
  //   good       0.5000  1.0000  0.6667     1          2
  std::string text() const;
  // The same for several, without nested objects: a table with a column for each name; a row may lack some.
  static std::string text_of(std::span<const Report> rows);

 private:
  struct Cell {
    std::vector<std::string> path;  // of nested objects
    std::string name, shown;
  };

  bool take(std::string_view name);           // whether the metric is wanted
  std::string& begin(std::string_view name);  // to append the JSON value
  void append(std::string_view name, double value);
  void show(std::string_view name, std::string value);

  std::vector<std::string> wanted_;
  std::set<std::string, std::less<>> written_;
  int precision_;
  std::function<void(std::string_view)> undefined_;
  io::Added fields_;
  std::string* object_ = nullptr;  // the value of the last field, if a nested object is open
  std::vector<std::string> path_;
  std::vector<Cell> cells_;
};

}  // namespace bert::metric
