// Random inputs of every format with the expected stream output, for tests of the stream and of other record
// readers.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "io/csv.h"
#include "io/stream_run.h"
#include "reference/slow_stream.h"

namespace bert::io {

using reference::SlowResult;
using reference::SlowStream;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  size_t below(size_t count) { return random_() % count; }
  bool one_in(size_t count) { return below(count) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  std::string text() {
    static const std::vector<std::string> kSubwords = {"a",
                                                       "some words",
                                                       " ",
                                                       "\"",
                                                       "\\",
                                                       "\xc3\xa4",
                                                       "\xe4\xb8\xad",
                                                       "\xf0\x9f\x98\x80",
                                                       "\x01",
                                                       "\x7f",
                                                       "\r",
                                                       "{",
                                                       "longer piece of text, with comma"};
    static const std::vector<std::string> kRare = {
        "bad",      "worse",        "\xff", "\xe4\xb8", "\xed\xa0\x80",      "\xf4\x90\x80\x80",
        "\xc0\xaf", "\xf0\x9f\x98", "\t",   "\f",       std::string(1, '\0')};
    std::string text;
    for (size_t i = below(6); i > 0; --i) text += one_in(40) ? pick(kRare) : pick(kSubwords);
    if (one_in(100)) text += std::string(below(3000), 'x');
    return text;
  }

  std::string json_string(const std::string& text) {
    std::string out;
    bert::json::append_string(out, text);
    if (one_in(10)) out.insert(1, pick<std::string>({"\\u0041", "\\ud83d\\ude00", "\\/", "\\b"}));
    return out;
  }

  std::string json_value() {
    switch (below(8)) {
      case 0:
        return "[1, {\"text\":\"}\"}, [], \"]\\\"\"]";
      case 1:
        return "{\"length\" : -0.5e3,\"x\":{}}";
      case 2:
        return pick<std::string>({"true", "null", "0", "-12.5", "123456789012345678901234567890", "1e5"});
      default:
        return json_string(text());
    }
  }

  std::string json_line() {
    if (one_in(40))
      return pick<std::string>({"{", "[1]", "{\"text\":\"a\"} x", "\"x\"", "{\"text\":01}", "3", "{}"});
    const std::string white = one_in(3) ? " " : "";
    std::string line = one_in(30) ? pick<std::string>({" ", "\f", " \v\t"}) : "";
    line += "{" + white;
    const bool has_text = !one_in(40);
    const size_t count = 1 + below(4), text_at = below(count);
    static const std::vector<std::string> kKeys = {"id", "length", "place", "l\\u0065ngth", "x y", "", "z"};
    for (size_t i = 0; i < count; ++i) {
      const bool is_text = has_text && i == text_at;
      if (i > 0) line += "," + white;
      line += "\"" +
              (is_text      ? (one_in(5) ? "t\\u0065xt" : "text")
               : one_in(40) ? "text"
                            : pick(kKeys)) +
              "\"" + white;
      line += ":" + white + (is_text ? json_string(text()) : json_value()) + white;
    }
    return line + "}" + (one_in(8) ? " \t" : "");
  }

  std::string csv_cell() {
    std::string cell = text();
    if (one_in(3)) cell += line_end() + text();
    if (!one_in(3) && cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
    std::string quoted;
    append_csv_cell(quoted, cell + ",");
    return quoted;
  }

  std::string line_end() { return one_in(5) ? "\r\n" : "\n"; }

  std::string file(InputFormat format) {
    std::string bytes = one_in(8) ? "\xef\xbb\xbf" : "";
    if (one_in(10)) return bytes;
    if (format == InputFormat::tsv)
      bytes += pick<std::string>({"text\tid", "id\ttext\tlength", "text"}) + line_end();
    if (format == InputFormat::csv)
      bytes += pick<std::string>({"text,id", "\"id\",\"text\",length", "text"}) + line_end();
    for (size_t i = below(25); i > 0; --i) {
      if (one_in(6)) {
        bytes += one_in(3) ? " \f" + line_end() : line_end();
      } else if (format == InputFormat::jsonl) {
        bytes += json_line() + line_end();
      } else if (format == InputFormat::tsv) {
        bytes += text() + (one_in(3) ? "" : "\t" + text()) + line_end();
      } else if (format == InputFormat::csv) {
        bytes += csv_cell() + (one_in(3) ? "" : "," + csv_cell()) + line_end();
      } else {
        bytes += text() + line_end();
      }
    }
    if (one_in(3)) bytes += format == InputFormat::jsonl ? "{\"text\":\"the end\"}" : "the end";
    if (one_in(60)) bytes.insert(0, "[\n{");
    return bytes;
  }

 private:
  std::mt19937_64 random_;
};

// Removes simdjson's own wording of errors, and advice.
inline std::string without_reason(std::string message) {
  for (const auto* advice : {"; quotes are kept in tsv", "; the first line must hold", "; use --delimiter"})
    message = message.substr(0, message.find(advice));
  const size_t at = message.find("not valid JSON");
  return at == std::string::npos ? message : message.substr(0, at + 14);
}

inline std::vector<std::string> skipped_in(const std::string& messages) {
  std::vector<std::string> lines;
  std::istringstream in(messages);
  for (std::string line; std::getline(in, line);)
    if (!line.ends_with("no records") && line.find("; rename ") == line.npos)
      lines.push_back(without_reason(line));
  return lines;
}

inline std::vector<std::string> expected_messages(const SlowResult& slow) {
  std::vector<std::string> lines;
  for (const auto& message : slow.skipped) lines.push_back("test: " + message);
  const auto files = slow.skipped_files, records = static_cast<int64_t>(lines.size()) - files;
  if (records > 0) lines.push_back("test: " + counted(records, "record", "records") + " skipped");
  if (files > 0) lines.push_back("test: " + counted(files, "FILE", "FILEs") + " skipped");
  return lines;
}

struct Case {
  StreamOptions options;
  PassFilter::Options pass;
  std::vector<SlowStream::File> files;
  int threads;
};

inline Case make_case(Generator& generator, const TemporaryDirectory& directory) {
  static const std::vector<InputFormat> kFormats = {
      InputFormat::text, InputFormat::paragraphs, InputFormat::file,     InputFormat::jsonl,
      InputFormat::tsv,  InputFormat::csv,        InputFormat::documents};
  Case made;
  auto& options = made.options;
  const InputFormat format = generator.pick(kFormats);
  const bool named_by_suffix = generator.one_in(3);
  const std::string suffix = !named_by_suffix               ? ""
                             : format == InputFormat::jsonl ? ".jsonl"
                             : format == InputFormat::tsv   ? ".tsv"
                             : format == InputFormat::csv   ? ".csv"
                                                            : ".txt";
  options.input_format = named_by_suffix || generator.one_in(4) ? InputFormat::automatic : format;
  for (size_t i = 1 + generator.below(3); i > 0; --i) {
    const std::string name = directory / (std::to_string(i) + suffix);
    made.files.emplace_back(name, generator.file(format));
    options.files.push_back(name);
  }
  if (generator.one_in(4)) options.columns = {"text", "more"};
  if (generator.one_in(3)) options.on_error = OnError::skip;
  if (generator.one_in(3)) options.invalid_utf8 = InvalidUtf8::replace;
  if (generator.one_in(6)) options.line_buffered = true;
  if (generator.one_in(4)) options.first_record = 1000;
  options.chunk_bytes = generator.pick<size_t>({1, 7, 100, 1000, 256 << 10});
  options.chunk_records = generator.pick<size_t>({1, 3, 4096});
  options.budget = generator.pick<int64_t>({1, 40, 2048});
  made.pass = {.field = generator.one_in(2) ? "length" : "z",
               .computes = generator.one_in(2),
               .budget = options.budget};
  if (generator.one_in(3))
    options.drop = std::vector{generator.pick<std::string>({"text", made.pass.field, "place"})};
  made.threads = 1 + static_cast<int>(generator.below(4));
  return made;
}

}  // namespace bert::io
