#include "search/lines.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "io/line_cutter.h"
#include "io/pull_reader.h"

namespace bert::search {
namespace {

constexpr std::string_view kMagenta = "35", kGreen = "32", kCyan = "36";  // as grep has them

std::string_view first_line(std::string_view text) {
  return io::without_line_end(text.substr(0, text.find('\n')));
}

}  // namespace

std::string LineWriter::colored(std::string_view text, std::string_view color) const {
  if (!options_.colored) return std::string(text);
  return "\x1b[" + std::string(color) + "m" + std::string(text) + "\x1b[m";
}

void LineWriter::append(std::string& out, std::span<const Passage> passages) const {
  if (options_.show != LinesOptions::Show::lines) return append_files(out, passages);
  for (const auto& passage : passages) {
    if (options_.context && &passage != &passages.front()) out += colored("--", kCyan) + "\n";
    append_passage(out, passage);
  }
}

void LineWriter::append_files(std::string& out, std::span<const Passage> passages) const {
  std::vector<std::pair<std::string_view, int64_t>> files;
  std::unordered_map<std::string_view, size_t> places;  // in files
  for (const auto& passage : passages) {
    const auto [place, is_new] = places.emplace(passage.file, files.size());
    if (is_new) files.emplace_back(passage.file, 0);
    ++files[place->second].second;
  }
  for (const auto& [file, count] : files) {
    out += colored(file, kMagenta);
    if (options_.show == LinesOptions::Show::counts) out += colored(":", kCyan) + std::to_string(count);
    out += '\n';
  }
}

void LineWriter::append_passage(std::string& out, const Passage& passage) const {
  if (!options_.context && !passage.text.empty())
    return append_line(out, passage, passage.first, first_line(passage.text));
  const auto context = options_.context.value_or(0);
  const auto first = std::max<int64_t>(1, passage.first - context);
  const auto last = options_.context ? passage.last + context : passage.first;
  const auto lines = read(passage, first, last);
  if (lines.empty()) append_line(out, passage, passage.first, first_line(passage.text));
  for (size_t i = 0; i < lines.size(); ++i)
    append_line(out, passage, first + static_cast<int64_t>(i), lines[i]);
}

void LineWriter::append_line(std::string& out, const Passage& passage, int64_t number,
                             std::string_view line) const {
  const auto separator = colored(number < passage.first || number > passage.last ? "-" : ":", kCyan);
  out += colored(passage.file, kMagenta) + separator + colored(std::to_string(number), kGreen) + separator;
  out += line;
  out += '\n';
}

// Lines of its file; fewer if it has no more, none if it cannot be read.
std::vector<std::string> LineWriter::read(const Passage& passage, int64_t first, int64_t last) const {
  std::vector<std::string> lines;
  try {
    auto stream = io::side_file(stream_, passage.file);
    stream.input_format = io::InputFormat::text;
    stream.note = nullptr;
    io::PullReader reader(stream);
    io::RawRecord raw;
    while (reader.next(raw) && raw.line <= last) {
      if (raw.line >= first) lines.emplace_back(raw.bytes, 0, raw.size());
    }
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    failures_.emplace(passage.file, error.what());
  }
  return lines;
}

std::vector<std::string> LineWriter::warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [file, failure] : failures_) warnings.push_back(failure + "; its lines cannot be shown");
  return warnings;
}

}  // namespace bert::search
