#include "io/input_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "io/squad_cutter.h"
#include "io/utf8.h"

namespace bert::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kGuessBytes = 1 << 20;  // of white space, before a FILE is taken for text

void drop_byte_order_mark(Input& input) {
  while (input.unread().size() < kByteOrderMark.size() && kByteOrderMark.starts_with(input.unread())) {
    if (!input.read_more()) return;
  }
  if (input.unread().starts_with(kByteOrderMark)) input.consume(kByteOrderMark.size());
}

// The first byte of the input that is not white, and when it is "[" the second too; less when there are none.
std::string first_marks(Input& input) {
  for (;;) {
    std::string marks;
    const auto unread = input.unread();
    for (size_t i = 0; i < unread.size(); ++i) {
      if (is_white(unread[i])) continue;
      marks += unread[i];
      if (marks.size() == 2 || marks != "[") return marks;
    }
    if (unread.size() > kGuessBytes || !input.read_more()) return marks;
  }
}

void check_columns(const std::vector<std::string>& columns, std::string_view where) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::find(columns.begin(), columns.begin() + static_cast<ptrdiff_t>(i), columns[i]) !=
        columns.begin() + static_cast<ptrdiff_t>(i)) {
      throw Error(where, ": column \"", columns[i], "\" stands twice");
    }
  }
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> names;
  for (size_t tab; (tab = line.find('\t')) != std::string_view::npos; line.remove_prefix(tab + 1)) {
    names.emplace_back(line.substr(0, tab));
  }
  names.emplace_back(line);
  return names;
}

}  // namespace

void check_files(const std::vector<std::string>& files) {
  for (const auto& name : files) {
    if (name != "-" && ::access(name.c_str(), R_OK) != 0) throw Error(name, ": ", std::strerror(errno));
  }
}

InputReader::InputReader(const StreamOptions& options, ChunkLimits limits, Ring& ring, int stop,
                         std::function<void(Chunk&)> on_chunk)
    : options_(options),
      limits_(limits),
      ring_(ring),
      stop_(stop),
      on_chunk_(std::move(on_chunk)),
      place_(options.first_record) {}

void InputReader::run() {
  try {
    if (options_.files.empty() && !read("-")) return;
    for (const auto& name : options_.files) {
      if (!read(name)) return;
    }
  } catch (const std::exception& error) {
    if (!take_chunk()) return;
    chunk_->failure = message_of(error);
    ++chunks_;
    ring_.put(*chunk_, Ring::State::finished);
  }
  ring_.end_of_input(chunks_);
}

bool InputReader::read(const std::string& name) {
  Input input(name, stop_);
  drop_byte_order_mark(input);
  int64_t line = 1;
  const auto source = open_source(input, line);
  Cutter cutter(input, source->format, line, limits_);
  SquadCutter squad(input, line, limits_);
  for (;;) {
    if (!take_chunk()) return false;
    chunk_->source = source;
    chunk_->first_place = place_;
    const bool filled = source->format == InputFormat::squad ? squad.fill(*chunk_) : cutter.fill(*chunk_);
    if (ring_.stopped()) return false;
    if (!filled) return true;
    place_ += static_cast<int64_t>(chunk_->cuts.size());
    ++chunks_;
    on_chunk_(*std::exchange(chunk_, nullptr));
  }
}

bool InputReader::take_chunk() {
  if (chunk_ == nullptr) chunk_ = ring_.take_free();
  return chunk_ != nullptr;
}

// Decides the format; for TSV also reads the header, so that records begin at the next line.
std::shared_ptr<const Source> InputReader::open_source(Input& input, int64_t& line) const {
  auto source = std::make_shared<Source>(Source{.name = input.name(), .format = options_.input_format});
  if (source->format == InputFormat::automatic) {
    auto format = options_.recognize ? options_.recognize(input) : std::nullopt;
    if (!format) format = input_format_by_suffix(input.name());
    source->format = format.value_or(InputFormat::automatic);
  }
  if (source->format == InputFormat::automatic || source->format == InputFormat::jsonl) {
    const auto marks = first_marks(input);
    if (marks == "[{")
      throw Error(input.name(), ": is one JSON array; jq -c '.[]' makes a record a line of it");
    if (source->format == InputFormat::automatic) {
      source->format = marks == "{" ? InputFormat::jsonl : InputFormat::text;
      source->format_guessed = true;
      if (source->format == InputFormat::text && !marks.empty() && !options_.columns.empty())
        throw Error(input.name(),
                    ": --columns names the columns of TSV, which needs --input-format tsv here");
    }
  }
  if (source->format != InputFormat::tsv) {
    source->columns = {options_.text_field};
  } else if (!options_.columns.empty()) {
    source->columns = options_.columns;
    check_columns(source->columns, input.name());
  } else {
    source->columns = read_header(input);
    ++line;
  }
  return source;
}

std::vector<std::string> InputReader::read_header(Input& input) const {
  size_t end;
  while ((end = input.unread().find('\n')) == std::string_view::npos && input.read_more()) {
  }
  const auto line = input.unread().substr(0, end == std::string_view::npos ? end : end + 1);
  const std::string where = input.name() + ":1";
  std::string header(without_line_end(line));
  input.consume(line.size());
  try {
    if (options_.invalid_utf8 == InvalidUtf8::replace) header = repair_utf8(header);
    check_utf8(header);
  } catch (const Error& error) {
    throw Error(where, ": ", error.what());
  }
  auto columns = split(header);
  check_columns(columns, where);
  return columns;
}

}  // namespace bert::io
