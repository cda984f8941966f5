#include "train/training_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "json/json.h"
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

std::string json_line(int64_t step, std::span<const metric::Value> dev) {
  std::string line;
  json::Object object(line);
  object.integer("step", step);
  for (const auto& metric : dev)
    json::append_double(object.key(std::string(kDevPrefix).append(metric.name)), metric.value);
  object.end();
  return line + "\n";
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
