#include "train/state_json.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/checksum.h"
#include "base/error.h"
#include "json/json.h"

namespace bert::train {
namespace {

constexpr int64_t kFormat = 1;
constexpr std::string_view kLastKey = ",\n\"checksum\":\"";

std::string hex(uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

uint64_t from_hex(std::string_view digits) {
  uint64_t value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || rest != digits.data() + digits.size() || digits.size() != 16)
    throw Error("is ", digits, ", expected 16 hexadecimal digits");
  return value;
}

uint64_t sum_of(std::string_view text) {
  Checksum checksum;
  checksum.add(text);
  return checksum.value();
}

// The shortest decimal that reads back to the same double, always with a point or an exponent. Otherwise it
// would be read as an integer, which has no -0 and is limited to 64 bits.
void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) throw Error("the state of the run contains ", value, ", which is not a number");
  char digits[32];
  const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  out += text;
  if (text.find_first_of(".e") == text.npos) out += ".0";
}

// Appends the members of an object, on lines of their own.
class Members {
 public:
  explicit Members(std::string& out, std::string_view separator) : out_(out), separator_(separator) {}
  std::string& key(std::string_view name) {
    if (!first_) out_ += separator_;
    first_ = false;
    json::append_string(out_, name);
    return out_ += ':';
  }
  void integer(std::string_view name, int64_t value) { json::append_integer(key(name), value); }
  void number(std::string_view name, double value) { append_double(key(name), value); }
  void string(std::string_view name, std::string_view value) { json::append_string(key(name), value); }

 private:
  std::string& out_;
  std::string_view separator_;
  bool first_ = true;
};

void append_point(std::string& out, const Point& point) {
  append_double(out += '[', point.step);
  append_double(out += ',', point.value);
  out += ']';
}

void append_series(std::string& out, const Series& series) {
  json::Object members(out);
  members.string("name", series.name);
  members.integer("stride", series.stride);
  members.integer("count", series.count);
  append_point(members.key("sum"), series.sum);
  json::append_array(members.key("points"), series.points, append_point);
  members.end();
}

// [step, value]
Point point_of(const json::Value& json) {
  const auto numbers = json.elements();
  if (numbers.size() != 2) throw Error("has a point of ", numbers.size(), " numbers, expected 2");
  return {numbers[0].number(), numbers[1].number()};
}

Series series_of(const json::Value& json) {
  Series series{.name = std::string(json.member("name").string()),
                .stride = json.member("stride").integer(),
                .sum = point_of(json.member("sum")),
                .count = json.member("count").integer()};
  for (const auto& point : json.member("points").elements()) series.points.push_back(point_of(point));
  return series;
}

std::optional<int64_t> optional_integer(const json::Value& json, std::string_view name) {
  const auto value = json.find(name);
  return value ? std::optional(value->integer()) : std::nullopt;
}

examples::DataPosition data_of(const json::Value& json) {
  const auto checksum = json.find("checksum");
  return {.drawn = json.member("drawn").integer(),
          .within = json.member("within").integer(),
          .records = json.member("records").integer(),
          .bytes = json.member("bytes").integer(),
          .checksum = checksum ? from_hex(checksum->string()) : 0,
          .changed_at = optional_integer(json, "changed_at"),
          .changed_epoch = optional_integer(json, "changed_epoch")};
}

ckpt::WrittenFile file_of(const json::Value& root, const std::string& name) {
  return {.bytes = root.member(name + "_bytes").integer(),
          .checksum = from_hex(root.member(name + "_checksum").string())};
}

StateFile read(const json::Value& root) {
  if (const auto format = root.member("format").integer(); format != kFormat)
    throw Error("has format ", format, ", expected ", kFormat);
  StateFile file;
  State& state = file.state;
  state.step = root.member("step").integer();
  state.optimizer_step = root.member("optimizer_step").integer();
  state.data = data_of(root.member("data"));
  state.elapsed_s = root.member("elapsed_s").number();
  if (const auto best = root.find("best")) state.best = best->number();
  state.stale = root.member("stale").integer();
  if (const auto evaluated = root.find("evaluated")) state.evaluated = evaluated->integer();
  if (const auto dev = root.find("dev_checksum")) state.dev_checksum = from_hex(dev->string());
  for (const auto& [name, value] : root.member("sums").members())
    state.sums.emplace_back(name, value.number());
  for (const auto& [name, value] : root.member("settings").members())
    state.settings.emplace_back(name, value.string());
  for (const auto& series : root.member("curve").elements()) state.curve.series.push_back(series_of(series));
  file.weights = file_of(root, "weights");
  file.optimizer = file_of(root, "optimizer");
  return file;
}

}  // namespace

std::string state_json(const StateFile& file) {
  const State& state = file.state;
  std::string text = "{\n";
  Members members(text, ",\n");
  members.integer("format", kFormat);
  members.integer("step", state.step);
  members.integer("optimizer_step", state.optimizer_step);
  json::Object data(members.key("data"));
  data.integer("drawn", state.data.drawn);
  data.integer("within", state.data.within);
  data.integer("records", state.data.records);
  data.integer("bytes", state.data.bytes);
  data.string("checksum", hex(state.data.checksum));
  if (state.data.changed_at) data.integer("changed_at", *state.data.changed_at);
  if (state.data.changed_epoch) data.integer("changed_epoch", *state.data.changed_epoch);
  data.end();
  members.number("elapsed_s", state.elapsed_s);
  if (state.best) members.number("best", *state.best);
  members.integer("stale", state.stale);
  members.integer("evaluated", state.evaluated);
  if (state.dev_checksum != 0) members.string("dev_checksum", hex(state.dev_checksum));
  json::Object sums(members.key("sums"));
  for (const auto& [name, value] : state.sums) append_double(sums.key(name), value);
  sums.end();
  {
    Members settings(members.key("settings") += "{\n  ", ",\n  ");
    for (const auto& [name, value] : state.settings) settings.string(name, value);
    text += '}';
  }
  members.key("curve") += '[';
  for (size_t i = 0; i < state.curve.series.size(); ++i)
    append_series(i > 0 ? text += ",\n" : text, state.curve.series[i]);
  text += ']';
  for (const auto& [name, part] : {std::pair("weights", file.weights), {"optimizer", file.optimizer}}) {
    members.integer(name + std::string("_bytes"), part.bytes);
    members.string(name + std::string("_checksum"), hex(part.checksum));
  }
  const auto sum = hex(sum_of(text));
  return text.append(kLastKey) + sum + "\"}\n";
}

StateFile parse_state(const std::string& path, const std::string& text) {
  const size_t last = text.rfind(kLastKey);
  if (last == text.npos) throw Error(path, ": is truncated");
  try {
    const auto stated = std::string_view(text).substr(last + kLastKey.size());
    if (from_hex(stated.substr(0, stated.find('"'))) != sum_of(std::string_view(text).substr(0, last)))
      throw Error("the checksum does not match");
    const json::File file(path, text);
    return read(file.root());
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.starts_with(path)) throw;
    throw Error(path, ": ", message);
  }
}

}  // namespace bert::train
