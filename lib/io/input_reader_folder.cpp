// What InputReader does with folders.
#include "base/error.h"
#include "io/foreign.h"
#include "io/input_reader.h"
#include "io/table_header.h"

namespace bert::io {

bool InputReader::read_folder(const std::string& folder) {
  FolderWalk walk(folder, *options_.folders, [this](const std::string& message) { warn(message); });
  while (const auto file = walk.next()) {
    if (!read_found(*file)) return false;
  }
  left_out_ += walk.left_out();
  return true;
}

// What cannot be read is left out, since files come and go.
bool InputReader::read_found(const std::string& name) {
  is_found_ = true;
  bool going_on = true;
  try {
    going_on = read(name);
  } catch (const NotText& error) {
    const bool may_be_text = dynamic_cast<const NotUtf8*>(&error) != nullptr;
    not_text_.add({.count = 1, .not_utf8 = may_be_text ? 1 : 0, .first = may_be_text ? name : ""});
    if (options_.detail) options_.detail(error.what());
  } catch (const Error& error) {
    warn(error.what());
  }
  is_found_ = false;
  return going_on;
}

void InputReader::warn(const std::string& message) const {
  if (options_.note) options_.note(message);
}

// Records are read as such if they have the text that is asked for; all else is text.
InputFormat InputReader::format_of_found(Input& input) const {
  using enum InputFormat;
  const auto by_suffix = input_format_by_suffix(input.name()).value_or(text);
  const bool is_table =
      io::is_table(by_suffix) && (!options_.columns.empty() || is_header(input, by_suffix, header_fields_));
  if (is_tagged(by_suffix) && reads(by_suffix)) return by_suffix;
  const bool is_jsonl = by_suffix == jsonl && is_json_line(input, header_fields_);
  return is_table || is_jsonl ? by_suffix : text;
}

}  // namespace bert::io
