// A block of tokenizer.json, which knows its name for messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::text {

// A named block of the file; its Errors include the name.
class Block {
 public:
  Block(const json::File& file, std::string name, json::Value json)
      : path_(file.path()), name_(std::move(name)), json_(json) {}

  [[noreturn]] void refuse(std::string_view what, std::string_view expected) const {
    throw Error(path_, ": ", name_, " ", what, "; only ", expected, " is supported");
  }

  const std::string& name() const { return name_; }

  std::optional<json::Value> find(std::string_view key) const {
    const std::optional<json::Value> found =
        json_.kind() == json::Value::Kind::object ? json_.find(key) : std::nullopt;
    return found && !found->is_null() ? found : std::nullopt;
  }

  std::string string(std::string_view key, std::string_view otherwise) const {
    return read(key, std::string(otherwise),
                [](const json::Value& json) { return std::string(json.string()); });
  }
  bool boolean(std::string_view key, bool otherwise) const {
    return read(key, otherwise, [](const json::Value& json) { return json.boolean(); });
  }
  int64_t integer(std::string_view key, int64_t otherwise) const {
    return read(key, otherwise, [](const json::Value& json) { return json.integer(); });
  }

  void require_type(std::string_view type) const {
    const std::string found = string("type", type);
    if (found != type) refuse("is " + found, type);
  }

  // Calls `read` and prefixes its Errors with the name of this block.
  template <class Read>
  auto named(std::string_view key, const Read& read) const {
    try {
      return read();
    } catch (const Error& error) {
      throw Error(path_, ": ", name_, ".", key, " ", error.what());
    }
  }

 private:
  template <class T, class Read>
  T read(std::string_view key, T otherwise, const Read& as) const {
    const std::optional<json::Value> found = find(key);
    return found ? named(key, [&] { return as(*found); }) : otherwise;
  }

  std::string path_;
  std::string name_;
  json::Value json_;
};

inline Block required(const json::File& file, const std::string& name) {
  const std::optional<json::Value> found = file.find(name);
  if (!found) throw Error(file.path(), ": there is no ", name);
  return {file, name, *found};
}

}  // namespace bert::text
