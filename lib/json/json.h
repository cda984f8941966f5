// Reading and writing JSON: a parsed document and views of its values. The interface hides simdjson.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert::json {

// A view of one value, valid until its Document parses again or is destroyed. Asking for the wrong type
// throws Error("is a string, expected an integer"); the caller prefixes the name.
class Value {
 public:
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind() const;
  bool is_null() const { return kind() == Kind::null; }
  bool is_array() const { return kind() == Kind::array; }
  std::string_view kind_name() const;  // with an article: "a string"; "null"

  bool boolean() const;
  int64_t integer() const;  // 3.0 is not an integer
  double number() const;
  std::string_view string() const;  // unescaped, valid UTF-8
  std::string label() const;        // a string, or an integer as text
  std::vector<Value> elements() const;
  size_t size() const;                                              // elements of an array
  std::vector<std::string_view> strings() const;                    // an array of strings
  std::vector<float> numbers() const;                               // an array of numbers, rounded to f32
  std::vector<int32_t> integers() const;                            // an array of integers that fit 32 bits
  void append_integers_to(std::vector<int32_t>& values) const;      // the same, appended to `values`
  std::vector<std::pair<std::string_view, Value>> members() const;  // in document order

  // A member of an object; the first one if the key is repeated.
  std::optional<Value> find(std::string_view key) const;
  // The same, but throws Error if the key is repeated.
  std::optional<Value> find_only(std::string_view key) const;
  // The same, but throws Error if there is none.
  Value member(std::string_view key) const;
  // The key_bit()s of all keys of an object, combined by OR.
  uint64_t key_bits() const;

 private:
  friend class Document;
  struct Access;  // converts Words to simdjson's element
  struct Words {
    const void* document = nullptr;
    uint64_t index = 0;
  };
  Words words_;
};

constexpr size_t kPadding = 64;

// One of 64 bits, chosen by a hash of the length and three bytes: keys with different bits are different.
// Names of parts, "scores.pos" and "embedding_0", have the bits of "scores" and "embedding".
inline uint64_t key_bit(std::string_view key) {
  const auto is_numbering = [](char c) { return c == '_' || (c >= '0' && c <= '9'); };
  size_t end = 0;
  while (end < key.size() && key[end] != '.') ++end;
  while (end > 0 && is_numbering(key[end - 1])) --end;
  if (end == 0) return 1;
  const auto byte = [key](size_t i) { return uint64_t{static_cast<uint8_t>(key[i])}; };
  const uint64_t some = end << 24 | byte(0) << 16 | byte(end / 2) << 8 | byte(end - 1);
  return uint64_t{1} << (some * 0x9e3779b97f4a7c15 >> 58);
}

// Owns the memory of one parsed text. Reusing it for the next text avoids allocations.
class Document {
 public:
  Document();
  ~Document();
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;

  // Validates the whole text, UTF-8 included, and returns its value. The Error says what is wrong but not
  // where.
  Value parse(std::string_view text);
  // The same without a copy. At least kPadding bytes after the text must be readable; their contents do
  // not matter.
  Value parse_padded(std::string_view text);

 private:
  struct Parser;
  enum class Padding { absent, present };
  Value parse(std::string_view text, Padding padding);

  std::unique_ptr<Parser> parser_;
};

// A JSON configuration file that must contain an object. Errors name the file and the key.
class File {
 public:
  explicit File(const std::string& path);
  // The same for a text in memory; `path` is used in messages.
  File(std::string path, std::string_view text);

  const std::string& path() const { return path_; }
  Value root() const { return root_; }
  std::optional<Value> find(std::string_view key) const;  // nullopt if absent or null

  // The member `key`; `otherwise` if it is missing, or Error if that is not given.
  int64_t integer(std::string_view key, std::optional<int64_t> otherwise = {}) const;
  double number(std::string_view key, std::optional<double> otherwise = {}) const;
  bool boolean(std::string_view key, std::optional<bool> otherwise = {}) const;
  std::string string(std::string_view key, const std::optional<std::string>& otherwise = {}) const;

 private:
  std::string path_;
  Document document_;
  Value root_;
};

// A name quoted for a one-line message, with special characters escaped.
std::string in_quotes(std::string_view name);

// Writing: each function appends one JSON value to `out`, without white space.
void append_string(std::string& out, std::string_view text);  // quoted; escapes only what JSON requires
void append_integer(std::string& out, int64_t value);

// The shortest decimal that reads back to the same f32, or `precision` digits after the decimal point if >= 0
// (trailing zeros dropped). NaN and infinity throw Error.
void append_number(std::string& out, float value, int precision = -1);
// The same for f64, for numbers that are compared digit by digit.
void append_double(std::string& out, double value, int precision = -1);

// An array; `append_one(out, item)` appends each element.
template <class Items, class AppendOne>
void append_array(std::string& out, const Items& items, AppendOne append_one) {
  out += '[';
  const char* separator = "";
  for (const auto& item : items) {
    append_one(out += separator, item);
    separator = ",";
  }
  out += ']';
}
void append_integers(std::string& out, std::span<const int32_t> values);
void append_strings(std::string& out, std::span<const std::string> values);

// An object, appended member by member.
class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  // With one member on each line, as Python's json.dumps(indent=2) writes it. `depth`: objects around it.
  Object(std::string& out, size_t depth) : Object(out) { line_ = '\n' + std::string(2 * (depth + 1), ' '); }

  // Starts a member; append its value to the returned string.
  std::string& key(std::string_view name);
  void string(std::string_view name, std::string_view value) { append_string(key(name), value); }
  void integer(std::string_view name, int64_t value) { append_integer(key(name), value); }
  void number(std::string_view name, float value, int precision = -1) {
    append_number(key(name), value, precision);
  }
  void boolean(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
  void null(std::string_view name) { key(name) += "null"; }
  void strings(std::string_view name, std::span<const std::string> values) {
    append_strings(key(name), values);
  }
  void end();

 private:
  std::string& out_;
  std::string line_;  // line break and indent before each member
  bool empty_ = true;
};

}  // namespace bert::json
