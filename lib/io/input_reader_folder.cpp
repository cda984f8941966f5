// What InputReader does with folders.
#include "base/error.h"
#include "io/foreign.h"
#include "io/input_reader.h"
#include "io/table_header.h"

namespace bert::io {

// What cannot be read is left out, since files come and go.
bool InputReader::read_folder(const std::string& folder) {
  const auto warn = [this](const std::string& message) {
    if (options_.note) options_.note(message);
  };
  FolderWalk walk(folder, *options_.folders, warn);
  in_folder_ = true;
  while (const auto file = walk.next()) {
    try {
      if (!read(*file)) return false;
    } catch (const NotText& error) {
      ++not_text_;
      if (options_.detail) options_.detail(error.what());
    } catch (const Error& error) {
      warn(error.what());
    }
  }
  in_folder_ = false;
  return true;
}

// Records are read as such if they have the text that is asked for; all else is text.
InputFormat InputReader::format_of_found(Input& input) const {
  using enum InputFormat;
  const auto by_suffix = input_format_by_suffix(input.name()).value_or(text);
  const bool is_table =
      io::is_table(by_suffix) && (!options_.columns.empty() || is_header(input, by_suffix, header_fields_));
  const bool is_jsonl = by_suffix == jsonl && is_json_line(input, header_fields_);
  return is_table || is_jsonl ? by_suffix : text;
}

}  // namespace bert::io
