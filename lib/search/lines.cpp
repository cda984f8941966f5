#include "search/lines.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"
#include "io/input_format.h"
#include "io/line_cutter.h"
#include "io/pull_reader.h"
#include "json/utf8.h"

namespace bert::search {
namespace {

constexpr std::string_view kMagenta = "35", kGreen = "32", kCyan = "36";  // as grep has them

std::string_view first_line(std::string_view text) {
  const size_t end = text.find('\n');
  return io::without_line_end(end == text.npos ? text : text.substr(0, end + 1));
}

}  // namespace

std::string LineWriter::colored(std::string_view text, std::string_view color) const {
  if (!options_.colored) return std::string(text);
  return "\x1b[" + std::string(color) + "m" + std::string(text) + "\x1b[m";
}

void LineWriter::append(std::string& out, std::span<const Passage> passages) const {
  for (const auto& passage : passages) require_kept(passage.file);
  if (options_.show != LinesOptions::Show::lines) return;
  for (const auto& passage : passages) {
    if (&passage != &passages.front()) out += separator();
    append_passage(out, passage);
  }
}

std::string LineWriter::separator() const {
  const bool lines = options_.show == LinesOptions::Show::lines;
  return lines && options_.context ? colored("--", kCyan) + "\n" : "";
}

void LineWriter::require_kept(const std::string& file) const {
  const std::lock_guard lock(mutex_);
  if (kept_.contains(file)) return;
  if (same_file(names_stdout(stream_.output) ? "/dev/stdout" : stream_.output, file))
    throw Error(file, ": is the output, but its lines are to be shown; name another file");
  kept_.insert(file);
}

void LineWriter::append_new_files(std::string& out, std::span<const Passage> passages) {
  if (options_.show == LinesOptions::Show::lines) return;
  for (const auto& passage : passages) {
    const auto [place, is_new] = places_.emplace(passage.file, files_.size());
    if (is_new) files_.emplace_back(passage.file, 0);
    ++files_[place->second].second;
    if (is_new && options_.show == LinesOptions::Show::files) append_name(out, passage.file, "\n");
  }
}

void LineWriter::append_counts(std::string& out) const {
  if (options_.show != LinesOptions::Show::counts) return;
  for (const auto& [file, count] : files_) {
    append_name(out, file, ":");
    out += std::to_string(count) + '\n';
  }
}

void LineWriter::append_name(std::string& out, std::string_view file, std::string_view after) const {
  out += colored(file, kMagenta);
  if (options_.null)
    out += '\0';
  else
    out += after == "\n" ? "\n" : colored(after, kCyan);
}

void LineWriter::append_passage(std::string& out, const Passage& passage) const {
  if (!options_.context && !passage.text.empty())
    return append_line(out, passage, passage.first, first_line(passage.text));
  const auto context = options_.context.value_or(0);
  const auto first = std::max<int64_t>(1, passage.first - context);
  const auto last = options_.context ? passage.last + context : passage.first;
  const auto lines = read(passage, first, last);
  if (!fits(passage, first, lines))
    warn(passage.file, passage.file + ": has changed since its vectors were made");
  if (lines.empty()) append_line(out, passage, passage.first, first_line(passage.text));
  for (size_t i = 0; i < lines.size(); ++i) append_line(out, passage, first + i, lines[i]);
}

void LineWriter::append_line(std::string& out, const Passage& passage, int64_t number,
                             std::string_view line) const {
  const std::string separator = number < passage.first || number > passage.last ? "-" : ":";
  append_name(out, passage.file, separator);
  out += colored(std::to_string(number), kGreen) + colored(separator, kCyan);
  out += line;
  out += '\n';
}

// Whether the lines of the file, from `first` on, have the passage, as far as can be seen.
bool LineWriter::fits(const Passage& passage, int64_t first, std::span<const std::string> lines) const {
  const int64_t before = passage.first - first;
  const auto last = options_.context ? passage.last : passage.first;
  if (std::ssize(lines) < last - first + 1) return false;
  const auto format = io::input_format_by_suffix(passage.file);
  const bool plain = !format || io::entry(*format).kind == io::RecordKind::text;
  return !plain || lines[before].find(first_line(passage.text)) != std::string::npos;
}

void LineWriter::warn(const std::string& file, const std::string& what) const {
  const std::lock_guard lock(mutex_);
  warnings_.emplace(file, what);
}

// Lines of its file; fewer if it has no more, none if it cannot be read.
std::vector<std::string> LineWriter::read(const Passage& passage, int64_t first, int64_t last) const {
  std::vector<std::string> lines;
  try {
    if (passage.file == "-") throw Error("-: is stdin, which cannot be read again");
    auto stream = io::side_file(stream_, passage.file);
    stream.input_format = io::InputFormat::text;
    stream.encoding = options_.encoding;
    stream.note = nullptr;
    io::PullReader reader(stream);
    io::RawRecord raw;
    while (reader.next(raw) && raw.line <= last) {
      if (raw.line >= first)
        lines.push_back(json::repair_utf8(std::string_view(raw.bytes).substr(0, raw.size())));
    }
  } catch (const Error& error) {
    warn(passage.file, std::string(error.what()) + "; its lines cannot be shown");
  }
  return lines;
}

std::vector<std::string> LineWriter::warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [file, warning] : warnings_) warnings.push_back(warning);
  return warnings;
}

}  // namespace bert::search
