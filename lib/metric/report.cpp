#include "metric/report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "json/json.h"
#include "json/utf8.h"

namespace bert::metric {
namespace {

constexpr int kUsualPrecision = 4;

using Row = std::vector<std::string>;

size_t width_of(const std::string& text) { return json::count_code_points(text); }

// The first column is aligned to the left, the others to the right.
void append_rows(std::string& out, const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      out += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    out += '\n';
  }
}

}  // namespace

std::string rounded(double value, int precision) {
  char digits[400];  // the largest double has 309 before the point
  const auto end = std::to_chars(digits, std::end(digits), value, std::chars_format::fixed, precision);
  return {digits, end.ptr};
}

Report::Report(std::vector<std::string> wanted, int precision,
               std::function<void(std::string_view)> undefined)
    : wanted_(std::move(wanted)), precision_(precision), undefined_(std::move(undefined)) {}

// Inside a nested object every metric is wanted.
bool Report::take(std::string_view name) {
  written_.emplace(name);
  return !path_.empty() || wanted_.empty() ||
         std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end();
}

std::string& Report::begin(std::string_view name) {
  if (path_.empty()) return *(object_ = &fields_.field(name));
  if (object_->back() != '{') *object_ += ',';
  json::append_string(*object_, name);
  return *object_ += ':';
}

void Report::show(std::string_view name, std::string value) {
  cells_.push_back({path_, std::string(name), std::move(value)});
}

void Report::count(std::string_view name, int64_t value) {
  json::append_integer(begin(name), value);
  show(name, std::to_string(value));
}

void Report::text(std::string_view name, std::optional<std::string_view> value) {
  if (std::string& out = begin(name); value) {
    json::append_string(out, *value);
  } else {
    out += "null";
  }
  show(name, std::string(value.value_or("-")));
}

bool Report::metric(std::string_view name, std::string_view written, double value) {
  if (!take(name)) return false;
  append(written, value);
  if (!std::isfinite(value)) undefined_(name);
  return true;
}

void Report::value(std::string_view name, std::optional<double> value) {
  append(name, value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

void Report::append(std::string_view name, double value) {
  const bool is_number = std::isfinite(value);
  if (std::string& out = begin(name); is_number) {
    json::append_double(out, value, precision_);
  } else {
    out += "null";
  }
  show(name, is_number ? rounded(value, precision_ < 0 ? kUsualPrecision : precision_) : "-");
}

bool Report::open(std::string_view name) {
  if (!take(name)) return false;
  begin(name) += '{';
  path_.emplace_back(name);
  return true;
}

void Report::close() {
  *object_ += '}';
  path_.pop_back();
}

std::optional<std::string> Report::unwritten() const {
  const auto found =
      std::ranges::find_if(wanted_, [&](const auto& name) { return !written_.contains(name); });
  return found == wanted_.end() ? std::nullopt : std::optional(*found);
}

std::string Report::text_of(std::span<const Report> rows) {
  std::vector<Row> lines(1);
  std::map<std::string_view, size_t> columns;
  for (const Report& report : rows) {
    Row line;
    for (const Cell& cell : report.cells_) {
      if (!cell.path.empty()) continue;
      const auto column = columns.emplace(cell.name, columns.size()).first->second;
      if (column == lines[0].size()) lines[0].push_back(cell.name);
      line.resize(std::max(line.size(), column + 1));
      line[column] = cell.shown;
    }
    lines.push_back(std::move(line));
  }
  std::string text;
  append_rows(text, lines);
  return text;
}

std::string Report::text() const {
  std::vector<Row> lines;
  std::map<std::string, std::vector<Row>> tables;
  for (const Cell& cell : cells_) {
    if (cell.path.size() < 2) {
      lines.push_back({cell.name, cell.shown});
      continue;
    }
    auto& rows = tables[cell.path[0]];
    if (rows.empty()) rows.push_back({cell.path[0]});
    if (rows.size() == 1 || rows.back()[0] != cell.path[1]) rows.push_back({cell.path[1]});
    if (rows.size() == 2) rows.front().push_back(cell.name);
    rows.back().push_back(cell.shown);
  }
  std::string out;
  append_rows(out, lines);
  for (const auto& [name, rows] : tables) append_rows(out += '\n', rows);
  return out;
}

}  // namespace bert::metric
