#include "train/training_log.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "json/json.h"
#include "train/baseline.h"
#include "train/settings.h"

namespace bert::train {
namespace {

std::string formatted(double value, std::chars_format format, int precision) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, format, precision).ptr};
}

// 6540.4 -> "6,540"
std::string with_commas(double value) {
  auto digits = formatted(std::min(value, 1e18), std::chars_format::fixed, 0);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

// The two largest units: "1 h 12 min", "3 min 5 s", "2 d 0 h".
std::string duration(double seconds) {
  const int64_t s = std::llround(std::clamp(seconds, 0.0, 1e12));
  const auto two = [](int64_t a, const char* unit_a, int64_t b, const char* unit_b) {
    return std::to_string(a) + unit_a + " " + std::to_string(b) + unit_b;
  };
  constexpr int64_t kMinute = 60, kHour = 3600, kDay = 86400;
  if (s < kMinute) return std::to_string(s) + " s";
  if (s < kHour) return two(s / kMinute, " min", s % kMinute, " s");
  if (s < kDay) return two(s / kHour, " h", s % kHour / kMinute, " min");
  return two(s / kDay, " d", s % kDay / kHour, " h");
}

}  // namespace

std::string json_line(const StepLine& step) {
  std::string line;
  json::Object object(line);
  object.integer("step", step.step);
  const auto add = [&](std::string_view name, double value, int precision = -1) {
    object.number(name, value, precision);
  };
  add(metric::kLoss, step.loss);
  for (const auto& part : step.parts) add(part.name, part.value);
  object.key("lr") += setting(static_cast<float>(step.learning_rate));
  add("gradient_norm", step.gradient_norm);
  add("tokens_per_second", step.tokens_per_second, 0);
  add("seconds", step.seconds, 1);
  if (step.peak_rate) object.key("peak_lr") += setting(static_cast<float>(*step.peak_rate));
  object.end();
  return line + "\n";
}

namespace {

// An object that has begun.
void add_dev(std::span<const metric::Value> dev, json::Object& object) {
  for (const auto& metric : dev)
    json::append_double(object.key(std::string(kDevPrefix).append(metric.name)), metric.value);
  object.end();
}

}  // namespace

std::string json_line(int64_t step, std::span<const metric::Value> dev) {
  std::string line;
  json::Object object(line);
  object.integer("step", step);
  add_dev(dev, object);
  return line + "\n";
}

std::string json_line(const Baseline& baseline) {
  std::string line;
  json::Object object(line);
  object.string("baseline", baseline.name);
  add_dev(baseline.values, object);
  return line + "\n";
}

namespace {

constexpr int kStepWidth = 8, kWidth = 12;

std::string right(std::string_view text, size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ').append(text);
}

// 4 digits, without an exponent where possible.
std::string rounded(double value) { return formatted(value, std::chars_format::general, 4); }

// The columns, with the name and the text of each.
using Columns = std::vector<std::pair<std::string, std::string>>;
Columns columns_of(const StepLine& line) {
  Columns columns = {{std::string(metric::kLoss), rounded(line.loss)}};
  for (const auto& part : line.parts) columns.emplace_back(part.name, rounded(part.value));
  columns.emplace_back("lr", formatted(line.learning_rate, std::chars_format::scientific, 1));
  columns.emplace_back("gradient", rounded(line.gradient_norm));
  columns.emplace_back("tokens/s", with_commas(line.tokens_per_second));
  columns.emplace_back("time", duration(line.seconds));
  return columns;
}

std::string row(std::string_view first, const Columns& columns, std::string Columns::value_type::*cell) {
  auto row = right(first, kStepWidth);
  // A name may be longer than the numbers.
  for (const auto& column : columns)
    row += "  " + right(column.*cell, std::max<size_t>(kWidth, column.first.size()));
  return row + "\n";
}

}  // namespace

std::string table_header(const StepLine& line) {
  return row("step", columns_of(line), &Columns::value_type::first);
}

std::string table_line(const StepLine& line) {
  return row(std::to_string(line.step), columns_of(line), &Columns::value_type::second);
}

namespace {

std::string dev_line(std::string_view first, std::span<const metric::Value> dev) {
  auto text = right(first, kStepWidth) + "  dev set:";
  for (const auto& value : dev) text.append("  ").append(value.name).append(" ").append(rounded(value.value));
  return text + "\n";
}

}  // namespace

std::string table_line(int64_t step, std::span<const metric::Value> dev) {
  return dev_line(std::to_string(step), dev);
}

std::string table_line(const Baseline& baseline) { return dev_line(baseline.name, baseline.values); }

// mpirun gives its processes a terminal for stdout alone, whatever its own output is.
TrainingLog::TrainingLog()
    : is_table_(::isatty(STDOUT_FILENO) == 1 &&
                (::isatty(STDIN_FILENO) == 1 || ::isatty(STDERR_FILENO) == 1)) {}

void TrainingLog::write(const StepLine& line) {
  if (!is_table_) return out_.write(json_line(line));
  if (!std::exchange(has_header_, true)) out_.write(table_header(line));
  out_.write(table_line(line));
}

void TrainingLog::write(const Baseline& baseline) {
  out_.write(is_table_ ? table_line(baseline) : json_line(baseline));
}

std::string text(const ProgressLine& line) {
  auto text = "step " + std::to_string(line.step);
  if (line.steps) text += "/" + std::to_string(*line.steps);
  text += "  loss " + formatted(line.loss, std::chars_format::fixed, 2);
  text += "  lr " + formatted(line.learning_rate, std::chars_format::scientific, 1);
  text += "  " + with_commas(line.tokens_per_second) + " tokens/s";
  if (line.seconds_left) text += "  " + duration(*line.seconds_left) + " left";
  return text;
}

}  // namespace bert::train
