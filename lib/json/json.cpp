#include "json/json.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "base/download.h"
#include "base/error.h"
#include "base/file.h"
#include "json/syntax.h"

namespace bert::json {

using simdjson::dom::element;
using simdjson::dom::element_type;

// simdjson's element consists of a document pointer and an index: a trivially copyable pair of words like
// Words.
struct Value::Access {
  static_assert(sizeof(element) == sizeof(Words));
  static_assert(std::is_trivially_copyable_v<element>);

  static element of(const Value& json) {
    element value;
    std::memcpy(static_cast<void*>(&value), &json.words_, sizeof value);
    return value;
  }
  static Value from(const element& value) {
    Value json;
    std::memcpy(static_cast<void*>(&json.words_), static_cast<const void*>(&value), sizeof value);
    return json;
  }
};

namespace {

[[noreturn]] void wrong_kind(const Value& json, std::string_view expected) {
  throw Error("is ", json.kind_name(), ", expected ", expected);
}

// simdjson reads such integers as uint64_t or double.
bool is_beyond_64_bits(const element& value) {
  constexpr double kEnd = 0x1p63;
  double number = 0;
  return value.is_number() && !value.is_int64() && !value.get(number) && std::abs(number) >= kEnd;
}

[[noreturn]] void wrong_element(const Value& json, size_t index, std::string_view expected) {
  throw Error("has ", json.kind_name(), " at index ", index, ", expected ", expected);
}

}  // namespace

Value::Kind Value::kind() const {
  switch (Access::of(*this).type()) {
    case element_type::ARRAY:
      return Kind::array;
    case element_type::OBJECT:
      return Kind::object;
    case element_type::STRING:
      return Kind::string;
    case element_type::BOOL:
      return Kind::boolean;
    case element_type::NULL_VALUE:
      return Kind::null;
    default:
      return Kind::number;
  }
}

std::string_view Value::kind_name() const {
  constexpr std::string_view kNames[] = {"null",     "a boolean", "a number",
                                         "a string", "an array",  "an object"};  // by value
  return kNames[static_cast<size_t>(kind())];
}

bool Value::boolean() const {
  bool value = false;
  if (Access::of(*this).get(value)) wrong_kind(*this, "a boolean");
  return value;
}

int64_t Value::integer() const {
  int64_t value = 0;
  if (!Access::of(*this).get(value)) return value;
  if (is_beyond_64_bits(Access::of(*this))) throw Error("is a number that is too large for a 64-bit integer");
  wrong_kind(*this, "an integer");
}

double Value::number() const {
  double value = 0;
  if (Access::of(*this).get(value)) wrong_kind(*this, "a number");
  if (std::abs(value) == std::numeric_limits<double>::max()) throw Error("is a number that is too large");
  return value;
}

std::string_view Value::string() const {
  std::string_view value;
  if (Access::of(*this).get(value)) wrong_kind(*this, "a string");
  return value;
}

std::string Value::label() const {
  if (kind() == Kind::string) return std::string(string());
  if (kind() == Kind::number) return std::to_string(integer());
  wrong_kind(*this, "a string or an integer");
}

std::vector<Value> Value::elements() const {
  simdjson::dom::array array;
  if (Access::of(*this).get(array)) wrong_kind(*this, "an array");
  std::vector<Value> values;
  values.reserve(array.size());
  for (const element value : array) values.push_back(Access::from(value));
  return values;
}

// simdjson's size saturates at 0xFFFFFF; larger arrays are counted by iteration.
size_t Value::size() const {
  constexpr size_t kSaturated = 0xFFFFFF;
  simdjson::dom::array array;
  if (Access::of(*this).get(array)) wrong_kind(*this, "an array");
  const size_t count = array.size();
  return count < kSaturated ? count : std::distance(array.begin(), array.end());
}

std::vector<std::string_view> Value::strings() const {
  simdjson::dom::array array;
  if (Access::of(*this).get(array)) wrong_kind(*this, "an array of strings");
  std::vector<std::string_view> values;
  for (const element item : array) {
    if (item.get(values.emplace_back())) wrong_element(Access::from(item), values.size() - 1, "strings");
  }
  return values;
}

std::vector<float> Value::numbers() const {
  simdjson::dom::array array;
  if (Access::of(*this).get(array)) wrong_kind(*this, "an array of numbers");
  std::vector<float> values;
  values.reserve(array.size());
  for (const element item : array) {
    double value = 0;
    if (item.get(value)) throw Error("contains ", Access::from(item).kind_name(), ", expected numbers");
    values.push_back(static_cast<float>(value));
  }
  return values;
}

std::vector<int32_t> Value::integers() const {
  std::vector<int32_t> values;
  append_integers_to(values);
  return values;
}

void Value::append_integers_to(std::vector<int32_t>& values) const {
  simdjson::dom::array array;
  if (Access::of(*this).get(array)) wrong_kind(*this, "an array of integers");
  if (values.empty()) values.reserve(array.size());
  const size_t before = values.size();
  for (const element item : array) {
    int64_t value = 0;
    if (item.get(value)) {
      const size_t index = values.size() - before;
      if (is_beyond_64_bits(item))
        throw Error("has a number at index ", index, " that does not fit into 32 bits");
      wrong_element(Access::from(item), index, "integers");
    }
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
      throw Error("contains the number ", value, ", which does not fit into 32 bits");
    }
    values.push_back(value);
  }
}

std::vector<std::pair<std::string_view, Value>> Value::members() const {
  simdjson::dom::object object;
  if (Access::of(*this).get(object)) wrong_kind(*this, "an object");
  std::vector<std::pair<std::string_view, Value>> values;
  values.reserve(object.size());
  for (const auto& [key, value] : object) values.emplace_back(key, Access::from(value));
  return values;
}

std::optional<Value> Value::find(std::string_view key) const {
  simdjson::dom::object object;
  if (Access::of(*this).get(object)) wrong_kind(*this, "an object");
  element value;
  if (object.at_key(key).get(value)) return std::nullopt;
  return Access::from(value);
}

Value Value::member(std::string_view key) const {
  const auto found = find(key);
  if (!found) throw Error("has no \"", key, "\"");
  return *found;
}

std::optional<Value> Value::find_only(std::string_view key) const {
  simdjson::dom::object object;
  if (Access::of(*this).get(object)) wrong_kind(*this, "an object");
  std::optional<Value> found;
  for (const auto& [name, value] : object) {
    if (name != key) continue;
    if (found) throw Error("appears twice");
    found = Access::from(value);
  }
  return found;
}

uint64_t Value::key_bits() const {
  simdjson::dom::object object;
  if (Access::of(*this).get(object)) wrong_kind(*this, "an object");
  uint64_t bits = 0;
  for (const auto& [name, value] : object) bits |= key_bit(name);
  return bits;
}

struct Document::Parser {
  simdjson::dom::parser parser;
};

Document::Document() : parser_(std::make_unique<Parser>()) {}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

namespace {

// JSON numbers have any size; simdjson accepts 64-bit integers and doubles. So 12345678901234567890123
// becomes 12345678901234567890123e0, and 1e999 the largest double, which number() refuses: numbers that
// nobody reads may be anything.
std::string readable_number(std::string_view token) {
  std::string number(token);
  int64_t integer = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), integer);
  const bool fits = error == std::errc() && end == token.data() + token.size();
  if (!is_number(token) || fits) return number;
  if (std::isinf(std::strtod(number.c_str(), nullptr)))
    return token[0] == '-' ? "-1.7976931348623157e308" : "1.7976931348623157e308";
  if (token.find_first_not_of("0123456789", 1) == token.npos) number += "e0";
  return number;
}

std::string with_readable_numbers(std::string_view text) {
  std::string readable;
  readable.reserve(text.size() + 64);
  while (!text.empty()) {
    size_t size = 1;
    const bool number = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
    if (text[0] == '"') {
      while (size < text.size() && text[size] != '"') size += text[size] == '\\' ? 2 : 1;
      ++size;
    } else if (number) {
      size = std::min(text.find_first_not_of("0123456789+-.eE"), text.size());
    }
    const auto token = text.substr(0, size);
    readable += number ? readable_number(token) : std::string(token);
    text.remove_prefix(token.size());
  }
  return readable;
}

// Our own messages, since simdjson's differ between releases.
std::string explanation(std::string_view text, simdjson::error_code failure) {
  if (failure == simdjson::UTF8_ERROR) return "not valid JSON: it is not valid UTF-8";
  if (failure == simdjson::CAPACITY) return "not valid JSON: it is larger than 4 GiB";
  if (const auto fault = find_fault(text))
    return "not valid JSON at " + position_of(text, fault->at) + ": " + fault->what;
  if (failure == simdjson::DEPTH_ERROR) return "not valid JSON: arrays and objects are nested too deep";
  return "not valid JSON";
}

}  // namespace

static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

Value Document::parse(std::string_view text) { return parse(text, Padding::absent); }
Value Document::parse_padded(std::string_view text) { return parse(text, Padding::present); }

Value Document::parse(std::string_view text, Padding padding) {
  element root;
  if (text.empty()) text = "";  // the parser calls memcpy, which needs a non-null address
  auto failure = parser_->parser.parse(text.data(), text.size(), padding == Padding::absent).get(root);
  // Releases differ in the error code for an integer that does not fit 64 bits.
  if (failure) failure = parser_->parser.parse(with_readable_numbers(text)).get(root);
  if (failure == simdjson::MEMALLOC) throw std::bad_alloc();
  if (failure) throw Error(explanation(text, failure));
  return Value::Access::from(root);
}

File::File(const std::string& path) : File(path, read_file(path)) {}

File::File(std::string path, std::string_view text) : path_(std::move(path)) {
  text = without_byte_order_mark(text);
  refuse_failed_download(path_, text);
  refuse_gzip(path_, text);
  try {
    root_ = document_.parse(text);
  } catch (const Error& error) {
    throw Error(path_, ": ", error.what());
  }
  if (root_.kind() != Value::Kind::object)
    throw Error(path_, ": is ", root_.kind_name(), ", expected an object");
}

std::optional<Value> File::find(std::string_view key) const {
  const auto value = root_.find(key);
  return value && !value->is_null() ? value : std::nullopt;
}

namespace {

// The value of `key` as returned by `read`, or the default if it is missing. Errors are prefixed with file
// and key.
template <class T, class Read>
T member(const File& file, std::string_view key, const std::optional<T>& otherwise, Read read) {
  const auto value = file.find(key);
  if (!value && otherwise) return *otherwise;
  if (!value) throw Error(file.path(), ": \"", key, "\" is missing");
  try {
    return T(read(*value));
  } catch (const Error& error) {
    throw Error(file.path(), ": \"", key, "\" ", error.what());
  }
}

}  // namespace

int64_t File::integer(std::string_view key, std::optional<int64_t> otherwise) const {
  return member(*this, key, otherwise, [](const Value& value) { return value.integer(); });
}

double File::number(std::string_view key, std::optional<double> otherwise) const {
  return member(*this, key, otherwise, [](const Value& value) { return value.number(); });
}

bool File::boolean(std::string_view key, std::optional<bool> otherwise) const {
  return member(*this, key, otherwise, [](const Value& value) { return value.boolean(); });
}

std::string File::string(std::string_view key, const std::optional<std::string>& otherwise) const {
  return member(*this, key, otherwise, [](const Value& value) { return value.string(); });
}

}  // namespace bert::json
