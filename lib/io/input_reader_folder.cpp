// What InputReader does with names of files, and with folders.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"
#include "io/embedding.h"
#include "io/foreign.h"
#include "io/input_format.h"
#include "io/input_reader.h"
#include "io/sparse_weights.h"
#include "io/table_header.h"
#include "json/json.h"

namespace bert::io {
namespace {

// "notes/my day" or "my day.md", but not "It was late."
bool has_folder_or_suffix(const std::filesystem::path& path) {
  const auto suffix = path.extension().string();
  return path.has_parent_path() || (suffix.size() > 1 && suffix.find(' ') == suffix.npos);
}

}  // namespace

void check_files(const StreamOptions& options) {
  if (options.recursive() && !names_stdout(options.output))
    for (const auto& name : options.files)
      if (name != "-" && is_directory(name)) refuse_output_in(name, *options.folders, options.output);
  if (options.found || options.leaves_out_files()) return;
  for (const auto& name : options.files) {
    if (name == "-") continue;
    if (::access(name.c_str(), R_OK) != 0) {
      const auto& option = options.text_option;
      const bool may_be_text =
          errno == ENOENT && !has_folder_or_suffix(name) && (!option.empty() || name.find(' ') != name.npos);
      throw Error(name, ": ", std::strerror(errno),
                  !may_be_text     ? ""
                  : option.empty() ? "; texts come from files or standard input"
                                   : "; to search for a text, use " + option);
    }
    if (is_directory(name) && !options.recursive())
      refuse_directory(name, options.folders ? Folders::on_request : Folders::unread);
  }
}

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
    if (options_.named) throw;
    const bool is_partly_utf8 = dynamic_cast<const PartlyUtf8*>(&error) != nullptr;
    const bool is_other = !is_partly_utf8 && dynamic_cast<const NotUtf8*>(&error) != nullptr;
    ++not_text_.count;
    if (dynamic_cast<const MailNotUtf8*>(&error) != nullptr) not_text_.mail.add({.count = 1, .first = name});
    if (is_partly_utf8) not_text_.partly_utf8.add({.count = 1, .first = name});
    if (is_other) not_text_.not_utf8.add({.count = 1, .first = name});
    if (options_.detail) options_.detail(error.what());
  } catch (const Error& error) {
    if (options_.named) throw;
    warn(error.what());
  }
  is_found_ = false;
  return going_on;
}

void InputReader::warn(const std::string& message) const {
  if (options_.note) options_.note(message);
}

// Whether the first line of a table names one of the fields.
bool InputReader::has_columns(Input& input, InputFormat table) const {
  if (table == InputFormat::tsv) return is_header(input, table, header_fields_);
  if (!options_.delimiter) return separator_of(input) || is_any_header(input, header_fields_);
  const auto lines = first_lines(input, 1);
  if (lines.empty()) return false;
  try {
    const auto columns = column_names(table, *options_.delimiter, lines.front());
    return std::ranges::find_first_of(columns, header_fields_) != columns.end();
  } catch (const Error&) {
    return false;  // text with quotes
  }
}

// Records are read as such if they have the text that is asked for; all else is text.
InputFormat InputReader::format_of_found(Input& input) const {
  using enum InputFormat;
  const auto by_suffix = input_format_by_suffix(input.name()).value_or(text);
  const bool is_table =
      io::is_table(by_suffix) && (!options_.columns.empty() || has_columns(input, by_suffix));
  if (is_tagged(by_suffix) && reads(by_suffix)) return by_suffix;
  const auto& aliases = options_.usual.fields;
  const auto asked = std::ranges::find(aliases, options_.text_field, &FieldAlias::field);
  const bool is_asked = asked != aliases.end() && !options_.table_option.empty();
  if (io::is_table(by_suffix) && !is_table && (options_.named || !options_.table_option.empty()))
    warn(input.name() + ": is read as text, since its first line does not name the column " +
         json::in_quotes(is_asked ? asked->name : header_fields_.front()) +
         (options_.table_option.empty() ? "; " + opt::text_field + " names another"
                                        : " of " + options_.table_option));
  for (const auto& [what, model] : {std::pair("vectors", kVectorModel), {"weights", kSparseModel}})
    if (by_suffix == jsonl && !options_.named && is_json_line(input, {std::string(model)}))
      throw Error(input.name(), ": has ", what,
                  " of bert-embed, so it is left out; name it to read its records");
  const bool is_jsonl = by_suffix == jsonl && is_json_line(input, header_fields_);
  return is_table || is_jsonl ? by_suffix : text;
}

}  // namespace bert::io
