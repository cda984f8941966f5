#include "io/input_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "io/context_cutter.h"
#include "io/csv.h"
#include "io/input_format.h"
#include "io/row_cutter.h"
#include "io/squad_cutter.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

void drop_byte_order_mark(Input& input) {
  while (input.unread().size() < kByteOrderMark.size() && kByteOrderMark.starts_with(input.unread())) {
    if (!input.read_more()) return;
  }
  if (input.unread().starts_with(kByteOrderMark)) input.consume(kByteOrderMark.size());
}

void check_columns(const std::vector<std::string>& columns, std::string_view where) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::find(columns.begin(), columns.begin() + static_cast<ptrdiff_t>(i), columns[i]) !=
        columns.begin() + static_cast<ptrdiff_t>(i)) {
      throw Error(where, ": column \"", columns[i], "\" appears twice");
    }
  }
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
  if (!is_raw(name)) drop_byte_order_mark(input);
  int64_t line = 1;
  const auto source = open_source(input, line);
  Cutter cutter(input, source->format, line, limits_);
  SquadCutter squad(input, line, limits_);
  ContextCutter context(cutter, *source,
                        {.most = options_.context_words,
                         .text_field = options_.text_field,
                         .tag_field = options_.context_tags,
                         .invalid_utf8 = options_.invalid_utf8,
                         .apart = options_.context_apart});
  RowCutter rows(input, source->format, options_.row_width, limits_);
  for (;;) {
    if (!take_chunk()) return false;
    chunk_->source = source;
    chunk_->first_place = place_;
    const bool filled = is_array(source->format)               ? rows.fill(*chunk_)
                        : source->format == InputFormat::squad ? squad.fill(*chunk_)
                        : source->in_context                   ? context.fill(*chunk_)
                                                               : cutter.fill(*chunk_);
    if (ring_.stopped()) return false;
    if (!filled) {
      read_ += input.consumed();
      return true;
    }
    chunk_->read = read_ + input.consumed();
    place_ += static_cast<int64_t>(chunk_->cuts.size());
    ++chunks_;
    on_chunk_(*std::exchange(chunk_, nullptr));
  }
}

bool InputReader::take_chunk() {
  if (chunk_ == nullptr) chunk_ = ring_.take_free();
  return chunk_ != nullptr;
}

// Determines the format. For TSV and CSV also reads the header, so that records start behind it.
std::shared_ptr<const Source> InputReader::open_source(Input& input, int64_t& line) const {
  auto source = std::make_shared<Source>(Source{.name = input.name(), .format = options_.input_format});
  if (!is_raw(input.name())) check_uncompressed(input);
  if (source->format == InputFormat::automatic) source->format = format_of(input, source->format_guessed);
  if (source->format == InputFormat::jsonl && first_marks(input) == "[{")
    throw Error(input.name(), ": is one JSON array; convert it to one record per line with jq -c '.[]'");
  source->in_context = options_.context_words > 0;
  if (source->in_context && options_.input_format == InputFormat::automatic && first_marks(input).empty())
    source->format = InputFormat::jsonl;  // an empty FILE
  if (source->in_context && source->format != InputFormat::conll && source->format != InputFormat::jsonl)
    throw Error(input.name(), ": is read as ", name_of(source->format),
                ", but documents need CoNLL, or JSONL with words");
  source->field_options = options_.field_options;
  source->pair_use = options_.pair_use;
  if (!is_table(source->format)) {
    source->columns = {options_.text_field};
  } else if (!options_.columns.empty()) {
    source->columns = options_.columns;
    check_columns(source->columns, input.name());
  } else {
    source->columns = read_header(input, source->format, line);
    source->has_header = true;
  }
  if (is_table(source->format) && options_.check_columns) {
    try {
      options_.check_columns(source->columns);
    } catch (const Error& error) {
      throw Error(input.name(), options_.columns.empty() ? ":1: " : ": ", error.what());
    }
  }
  return source;
}

bool InputReader::reads(InputFormat format) const {
  return std::find(options_.more.begin(), options_.more.end(), format) != options_.more.end();
}

// Whether any bytes are valid contents, so that the contents tell nothing.
bool InputReader::is_raw(const std::string& name) const {
  return options_.input_format == InputFormat::f32 || (options_.input_format == InputFormat::automatic &&
                                                       reads(InputFormat::f32) && name.ends_with(".f32"));
}

// By the tool's own rule, by the suffix, by --columns, else by the contents.
InputFormat InputReader::format_of(Input& input, bool& guessed) const {
  using enum InputFormat;
  if (options_.recognize) {
    if (const auto format = options_.recognize(input)) return *format;
  }
  if (is_raw(input.name())) return f32;
  if (reads(npy) && is_npy(input)) return npy;
  const auto by_suffix = input_format_by_suffix(input.name());
  if (!options_.columns.empty() && by_suffix.value_or(text) == text) return tsv;
  if (by_suffix.value_or(jsonl) == jsonl && reads(squad) && is_squad(input)) return squad;
  if (by_suffix.value_or(text) == text && reads(conll) && is_conll(input)) return conll;
  if (by_suffix) return *by_suffix;
  const auto marks = first_marks(input);
  if (marks != "{" && marks != "[{") {
    const auto& field = options_.table_field.empty() ? options_.text_field : options_.table_field;
    if (is_header(input, tsv, field)) return tsv;
    if (is_header(input, csv, field)) return csv;
  }
  guessed = true;
  return marks == "{" || marks == "[{" ? jsonl : text;
}

std::vector<std::string> InputReader::read_header(Input& input, InputFormat format, int64_t& line) const {
  const std::string where = input.name() + ":1";
  size_t end = std::string_view::npos;
  CsvScanner csv;
  for (size_t searched = 0; end == std::string_view::npos;) {
    const auto text = input.unread();
    const size_t found = text.find('\n', searched);
    if (format == InputFormat::csv) {
      end = csv.record_end(text, searched);
    } else if (found != std::string_view::npos) {
      end = found + 1;
    }
    searched = text.size();
    if (end == std::string_view::npos && !input.read_more()) break;
  }
  const auto text = input.unread().substr(0, end);
  std::string header(without_line_end(text));
  line += 1 + std::count(header.begin(), header.end(), '\n');
  input.consume(text.size());
  std::vector<std::string> columns;
  try {
    if (options_.invalid_utf8 == InvalidUtf8::replace) header = json::repair_utf8(header);
    json::check_utf8(header);
    columns = column_names(format, header);
  } catch (const Error& error) {
    throw Error(where, ": ", error.what());
  }
  check_columns(columns, where);
  return columns;
}

}  // namespace bert::io
