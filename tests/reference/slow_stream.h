// The expected output of a stream of PassFilter according to the contract, with all input in memory and one
// record at a time: slow reference for io/stream, cutter, record_reader and output.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/stream.h"
#include "reference/slow_json.h"
#include "reference/slow_utf8.h"

namespace bert::reference {

struct SlowResult {
  std::string out, failure;
  std::vector<std::string> skipped;
  bool failed = false;
  int64_t records = 0;
  int64_t skipped_files = 0;
};

class SlowStream {
 public:
  using File = std::pair<std::string, std::string>;  // name and bytes
  using Format = io::InputFormat;

  SlowStream(const io::StreamOptions& options, std::string added_field)
      : options_(options), added_(std::move(added_field)), place_(options.first_record) {}

  SlowResult run(const std::vector<File>& files) {
    try {
      for (const auto& [name, bytes] : files) run_or_leave_out(name, bytes, files.size() > 1);
    } catch (const std::string& message) {
      result_.failed = true;
      result_.failure = message;
    }
    return result_;
  }

 private:
  struct Unreadable {
    std::string message;
  };

  void run_or_leave_out(const std::string& name, const std::string& bytes, bool several) {
    try {
      run_file(name, bytes);
    } catch (const Unreadable& file) {
      if (!several || options_.on_error == io::OnError::stop) throw file.message;
      result_.skipped.push_back(file.message);
      ++result_.skipped_files;
    }
  }

  struct Line {
    int number;
    std::string text;
  };

  static bool white(char c) { return std::string(" \t\n\v\f\r").find(c) != std::string::npos && c != '\0'; }
  static bool blank(const std::string& text) { return std::all_of(text.begin(), text.end(), white); }

  static std::vector<Line> lines_of(const std::string& bytes) {
    std::vector<Line> lines;
    std::string line;
    for (const char c : bytes) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (!line.empty() && line.back() == '\r') line.pop_back();
      lines.push_back({static_cast<int>(lines.size()) + 1, line});
      line.clear();
    }
    if (!line.empty()) lines.push_back({static_cast<int>(lines.size()) + 1, line});
    return lines;
  }

  // Text of automatic format has no NUL in its first line.
  static void refuse_binary(const std::string& name, const std::string& bytes) {
    const size_t nul = bytes.find('\0');
    if (nul >= std::min({bytes.find('\n'), bytes.size(), size_t{4096}})) return;
    const auto is_nul = [&](size_t i) { return bytes[i] == '\0'; };
    if (bytes.size() >= 4 && is_nul(0) == is_nul(2) && is_nul(1) == is_nul(3) && is_nul(0) != is_nul(1))
      throw Unreadable{name + ": is UTF-16 without a byte order mark; use --encoding UTF-16" +
                       (is_nul(0) ? "BE" : "LE")};
    throw Unreadable{name + ": is not text: byte " + std::to_string(nul) +
                     " is NUL; --input-format text reads it anyway"};
  }

  Format format_of(const std::string& name, const std::string& bytes) const {
    Format format = options_.input_format;
    if (format == Format::automatic) refuse_binary(name, bytes);
    if (format == Format::automatic && name.ends_with(".jsonl")) format = Format::jsonl;
    if (format == Format::automatic && name.ends_with(".tsv")) format = Format::tsv;
    if (format == Format::automatic && name.ends_with(".csv")) format = Format::csv;
    if (format == Format::automatic && !options_.columns.empty()) format = Format::tsv;
    if (format == Format::automatic && name.ends_with(".txt")) format = Format::text;
    std::string seen;
    for (const char c : bytes) {
      if (!white(c)) seen += c;
    }
    const bool array = seen.substr(0, 2) == "[{";
    if (array && (format == Format::automatic || format == Format::jsonl)) {
      throw name + ": is one JSON array; convert it to one record per line with jq -c '.[]'";
    }
    if (format == Format::automatic && seen.substr(0, 1) == "{") return Format::jsonl;
    if (format != Format::automatic) return format;
    std::string first;
    for (const auto& line : lines_of(bytes)) {
      if (first.empty() && !blank(line.text)) first = line.text;
    }
    first.erase(0, static_cast<size_t>(std::find_if_not(first.begin(), first.end(), white) - first.begin()));
    if (has_field(split(first, '\t'))) return Format::tsv;
    return has_field(csv_cells_of(first)) ? Format::csv : Format::text;
  }

  bool has_field(const std::vector<std::string>& columns) const {
    return columns.size() > 1 && std::count(columns.begin(), columns.end(), options_.text_field) > 0;
  }

  void run_file(const std::string& name, std::string bytes) {
    if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.erase(0, 3);
    format_ = format_of(name, bytes);
    columns_ = {options_.text_field};
    auto lines = lines_of(bytes);
    if (format_ == Format::file) lines = {{1, bytes}};
    if (format_ == Format::paragraphs) lines = paragraphs_of(lines, " ");
    if (format_ == Format::documents) lines = paragraphs_of(lines, "\n");
    if (format_ == Format::csv) lines = csv_lines_of(bytes);
    name_ = name;
    if (io::is_table(format_)) {
      columns_ = options_.columns;
      if (columns_.empty() && !lines.empty()) {
        columns_ = cells_of(mended(lines[0].text, name + ":1"));
        lines.erase(lines.begin());
      }
      check_columns(options_.columns.empty() ? name + ":1" : name);
    }
    for (const auto& line : lines) {
      if (format_ == Format::jsonl && blank(line.text)) continue;
      if (format_ == Format::csv && line.text.empty()) continue;
      run_record(name + ":" + std::to_string(line.number), line.text);
    }
  }

  static std::vector<Line> paragraphs_of(const std::vector<Line>& lines, const std::string& separator) {
    std::vector<Line> paragraphs;
    bool open = false;
    for (const auto& line : lines) {
      if (blank(line.text)) {
        open = false;
      } else if (open) {
        paragraphs.back().text += separator + line.text;
      } else {
        paragraphs.push_back(line);
        open = true;
      }
    }
    return paragraphs;
  }

  void check_columns(const std::string& where) const {
    for (size_t i = 0; i < columns_.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (columns_[i] == columns_[j])
          throw where + ": column \"" + columns_[i] + "\" appears twice; give one another name";
      }
    }
  }

  // Like lines_of, but a line end between quotes belongs to the line. Quotes are well-formed: an odd number
  // of them between the begin of a cell and its end means that it goes on.
  static std::vector<Line> csv_lines_of(const std::string& bytes) {
    std::vector<Line> lines;
    std::string text;
    int number = 1, ends = 0;
    bool quoted = false, begins = true;  // a cell
    for (size_t i = 0; i < bytes.size(); ++i) {
      const char c = bytes[i];
      if (c == '"' && (quoted || begins || (i > 0 && bytes[i - 1] == '"'))) quoted = !quoted;
      begins = !quoted && (c == ',' || c == '\n');
      if (c == '\n') ++ends;
      if (c != '\n' || quoted) {
        text += c;
        continue;
      }
      if (!text.empty() && text.back() == '\r') text.pop_back();
      lines.push_back({number, text});
      text.clear();
      number = ends + 1;
    }
    if (!text.empty()) lines.push_back({number, text});
    return lines;
  }

  std::vector<std::string> cells_of(const std::string& line) const {
    return format_ == Format::csv ? csv_cells_of(line) : split(line, '\t');
  }

  static std::vector<std::string> csv_cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == ',' && !quoted) {
        cells.emplace_back();
      } else if (line[i] != '"' || (!quoted && !cells.back().empty())) {
        cells.back() += line[i];
      } else if (quoted && line[i + 1] == '"') {
        cells.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    }
    return cells;
  }

  static std::vector<std::string> split(const std::string& line, char separator) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == separator) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    return cells;
  }

  std::string mended(const std::string& text, const std::string& where) const {
    static const SlowUtf8 utf8;
    std::optional<size_t> bad;
    const std::string repaired = utf8.repair(text, bad);
    if (!bad || options_.invalid_utf8 == io::InvalidUtf8::replace) return repaired;
    const std::string digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[*bad]);
    throw where + ": byte 0x" + digits[byte / 16] + digits[byte % 16] + " at offset " + std::to_string(*bad) +
        " is not valid UTF-8; for Windows or Latin-1 text, use --encoding windows-1252";
  }

  void run_record(const std::string& where, const std::string& raw) {
    try {
      const auto out = format_ == Format::jsonl ? json_record(raw, where) : columns_record(raw, where);
      result_.out += out + "\n";
      ++result_.records;
    } catch (const std::string& message) {
      if (options_.on_error == io::OnError::stop || message.find(": has no column ") != message.npos) throw;
      result_.skipped.push_back(message);
    }
    ++place_;
  }

  // The fields that PassFilter adds.
  std::vector<std::pair<std::string, std::string>> answers(const std::optional<std::string>& text,
                                                           const std::vector<std::string>& names,
                                                           const std::string& where) const {
    const auto& field = options_.text_field;
    if (!text && io::is_table(format_))
      throw name_ + (options_.columns.empty() ? ":1: " : ": ") + io::MissingColumn(field, names, {}).what();
    if (!text) throw where + ": " + io::MissingField(field, names, {}, false).what();
    if (text->find("bad") != std::string::npos) throw where + ": is bad";
    if (text->find("worse") != std::string::npos) throw where + ": is worse";
    return {{added_, std::to_string(text->size())}, {"place", std::to_string(place_)}};
  }

  bool dropped(const std::string& name) const { return options_.drop.contains(name); }

  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      const std::string hex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out += std::string("\\") + c;
      } else if (c == '\n' || c == '\r' || c == '\t') {
        out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
      } else if (byte < 0x20) {
        out += std::string("\\u00") + hex[byte / 16] + hex[byte % 16];
      } else {
        out += c;
      }
    }
    return out + "\"";
  }

  static std::string object_of(std::vector<std::string> members) {
    std::string out = "{";
    for (size_t i = 0; i < members.size(); ++i) out += (i > 0 ? "," : "") + members[i];
    return out + "}";
  }

  std::string columns_record(const std::string& raw, const std::string& where) const {
    const std::string text = mended(raw, where);
    const auto cells = io::is_table(format_) ? cells_of(text) : std::vector<std::string>{text};
    if (cells.size() != columns_.size()) {
      throw where + ": has " + std::to_string(cells.size()) + (cells.size() == 1 ? " column" : " columns") +
          ", expected " + std::to_string(columns_.size());
    }
    std::optional<std::string> field;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] == options_.text_field) field = cells[i];
    }
    auto added = answers(field, columns_, where);
    if (options_.columns.empty() && cells.size() > 1 && cells == columns_)
      throw where + ": repeats the names of the columns; leave this line out";
    std::vector<std::string> members;
    if (format_ == Format::file && !dropped("file")) members.push_back(quoted("file") + ":" + quoted(name_));
    for (size_t i = 0; i < cells.size(); ++i) {
      if (dropped(columns_[i])) continue;
      const auto replaced = take(added, columns_[i]);
      members.push_back(quoted(columns_[i]) + ":" + replaced.value_or(quoted(cells[i])));
    }
    append(members, added);
    return object_of(members);
  }

  static std::optional<std::string> take(std::vector<std::pair<std::string, std::string>>& added,
                                         const std::string& name) {
    for (auto& [key, value] : added) {
      if (key != name) continue;
      key = "\xff";  // used
      return value;
    }
    return std::nullopt;
  }

  void append(std::vector<std::string>& members,
              const std::vector<std::pair<std::string, std::string>>& added) const {
    for (const auto& [key, value] : added) {
      if (key != "\xff" && !dropped(key)) members.push_back(quoted(key) + ":" + value);
    }
  }

  std::string json_record(const std::string& raw, const std::string& where) const {
    std::string line = mended(raw, where);
    while (white(line.back())) line.pop_back();
    size_t lead = 0, foreign = 0;
    for (; white(line[lead]); ++lead) {
      if (line[lead] == '\f' || line[lead] == '\v') foreign = 1;
    }
    if (foreign > 0) line.erase(0, lead), lead = 0;
    char kind = 0;
    const auto object = SlowJson(line).object(kind);
    if (!object) throw where + ": not valid JSON";
    if (kind != '{') throw where + ": is " + kind_name(kind) + ", expected an object";
    std::vector<std::string> members, replaced, names;
    for (const auto& member : *object) names.push_back(member.key);
    auto added = answers(json_text(*object, where), names, where);
    for (const auto& member : *object) {
      if (dropped(member.key)) continue;
      if (std::count(replaced.begin(), replaced.end(), member.key) > 0) {
        throw where + ": field \"" + member.key + "\" appears twice";
      }
      const auto value = take(added, member.key);
      if (value) replaced.push_back(member.key);
      members.push_back(member.before + value.value_or(member.value) + member.after);
    }
    append(members, added);
    return line.substr(0, lead) + object_of(members);
  }

  std::optional<std::string> json_text(const std::vector<SlowMember>& members,
                                       const std::string& where) const {
    const std::string field = where + ": field \"" + options_.text_field + "\" ";
    std::vector<SlowMember> found;
    for (const auto& member : members) {
      if (member.key == options_.text_field) found.push_back(member);
    }
    if (found.size() > 1) throw field + "appears twice";
    if (found.empty()) return std::nullopt;
    if (!found[0].text) throw field + "is " + kind_name(found[0].value[0]) + ", expected a string";
    return found[0].text;
  }

  static std::string kind_name(char first) {
    switch (first) {
      case '{':
        return "an object";
      case '[':
        return "an array";
      case '"':
        return "a string";
      case 't':
      case 'f':
        return "a boolean";
      case 'n':
        return "null";
      default:
        return "a number";
    }
  }

  io::StreamOptions options_;
  std::string added_;
  int64_t place_;
  Format format_ = Format::text;
  std::string name_;  // of the FILE
  std::vector<std::string> columns_;
  SlowResult result_;
};

}  // namespace bert::reference
