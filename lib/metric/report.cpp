#include "metric/report.h"

#include <algorithm>
#include <cmath>

#include "json/json.h"

namespace bert::metric {

Report::Report(std::vector<std::string> wanted, int precision,
               std::function<void(std::string_view)> undefined)
    : wanted_(std::move(wanted)), precision_(precision), undefined_(std::move(undefined)) {}

// Inside a nested object every metric is wanted.
bool Report::take(std::string_view name) {
  written_.emplace(name);
  return depth_ > 0 || wanted_.empty() || std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end();
}

void Report::begin(std::string_view name) {
  if (json_.back() != '{') json_ += ',';
  json::append_string(json_, name);
  json_ += ':';
}

void Report::count(std::string_view name, int64_t value) {
  begin(name);
  json::append_integer(json_, value);
}

void Report::text(std::string_view name, std::string_view value) {
  begin(name);
  json::append_string(json_, value);
}

bool Report::metric(std::string_view name, std::string_view written, double value) {
  if (!take(name)) return false;
  begin(written);
  if (std::isfinite(value)) {
    json::append_double(json_, value, precision_);
  } else {
    json_ += "null";
    undefined_(name);
  }
  return true;
}

void Report::metrics(const Values& values) {
  for (const Value& value : values) metric(value.name, value.value);
}

bool Report::open(std::string_view name) {
  if (!take(name)) return false;
  begin(name);
  json_ += '{';
  ++depth_;
  return true;
}

void Report::close() {
  json_ += '}';
  --depth_;
}

std::optional<std::string> Report::unwritten() const {
  const auto found =
      std::ranges::find_if(wanted_, [&](const auto& name) { return !written_.contains(name); });
  return found == wanted_.end() ? std::nullopt : std::optional(*found);
}

std::string Report::json() && { return std::move(json_) + "}\n"; }

}  // namespace bert::metric
