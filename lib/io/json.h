// Reading JSON: a parsed document and views of the values in it. This is the one place that knows simdjson.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert::io {

// A view of one value; valid until its JsonDocument parses again or dies. Asking for a type the value is not
// throws Error("is a string, expected an integer"); the caller, who knows the name, puts it in front.
class Json {
 public:
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind() const;
  bool is_null() const { return kind() == Kind::null; }
  std::string_view kind_name() const;  // with its article: "a string", "null"

  bool boolean() const;
  int64_t integer() const;  // 3.0 is not an integer
  double number() const;
  std::string_view string() const;  // unescaped, valid UTF-8
  std::vector<Json> elements() const;
  size_t size() const;                                             // elements of an array
  std::vector<int32_t> integers() const;                           // an array of integers that fit 32 bits
  void append_integers_to(std::vector<int32_t>& values) const;     // the same behind what is there
  std::vector<std::pair<std::string_view, Json>> members() const;  // in the order of the text

  // A member of an object; the first when the key repeats.
  std::optional<Json> find(std::string_view key) const;
  // The same, but Error("stands twice") when the key repeats.
  std::optional<Json> find_only(std::string_view key) const;
  // The keys of an object together, a bit for each by key_bit().
  uint64_t key_bits() const;

 private:
  friend class JsonDocument;
  struct Access;  // turns the words into simdjson's element
  struct Words {
    const void* document = nullptr;
    uint64_t index = 0;
  };
  Words words_;
};

constexpr size_t kJsonPadding = 64;

// One of 64 bits, by hash: two keys with different bits differ.
inline uint64_t key_bit(std::string_view key) {
  return uint64_t{1} << (std::hash<std::string_view>{}(key)&63);
}

// Owns the memory of one parsed text and is used again for the next, so that a
// stream of records allocates nothing.
class JsonDocument {
 public:
  JsonDocument();
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  // Validates the whole text (UTF-8 included) and returns its value; Error says what
  // is wrong, without a place.
  Json parse(std::string_view text);
  // The same without a copy: kJsonPadding bytes after the text can be read (whatever they are).
  Json parse_padded(std::string_view text);

 private:
  struct Parser;
  enum class Padding { absent, present };
  Json parse(std::string_view text, Padding padding);

  std::unique_ptr<Parser> parser_;
};

// A JSON file that must hold an object, for configuration. Errors name the file and the key.
class JsonFile {
 public:
  explicit JsonFile(std::string path);
  // The same from a text already in memory; `path` is what messages call it.
  JsonFile(std::string path, std::string_view text);

  const std::string& path() const { return path_; }
  Json root() const { return root_; }
  std::optional<Json> find(std::string_view key) const;  // absent and null alike give nullopt

  // The member `key`; without it the default, or an Error when there is none.
  int64_t integer(std::string_view key, std::optional<int64_t> otherwise = {}) const;
  double number(std::string_view key, std::optional<double> otherwise = {}) const;
  bool boolean(std::string_view key, std::optional<bool> otherwise = {}) const;
  std::string string(std::string_view key, std::optional<std::string> otherwise = {}) const;

 private:
  std::string path_;
  JsonDocument document_;
  Json root_;
};

// A name as a message shows it, in quotes: what a file holds may be anything, a message is one line.
std::string in_quotes(std::string_view name);

// Writing: appends one JSON value to `out`, compactly.
void append_string(std::string& out, std::string_view text);  // quoted; only what JSON demands is escaped
void append_integer(std::string& out, int64_t value);
void append_integers(std::string& out, const std::vector<int32_t>& values);  // [1,2,3]

// The shortest decimal that reads back to the same f32, or `precision` digits after the point when >= 0
// (trailing zeros dropped). NaN and infinity throw Error.
void append_number(std::string& out, float value, int precision = -1);
// The same for an f64, for figures that are compared digit by digit.
void append_double(std::string& out, double value, int precision = -1);

}  // namespace bert::io
