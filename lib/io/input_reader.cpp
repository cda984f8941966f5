#include "io/input_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "io/context_cutter.h"
#include "io/csv.h"
#include "io/foreign.h"
#include "io/input_format.h"
#include "io/missing_field.h"
#include "io/row_cutter.h"
#include "io/squad_cutter.h"
#include "io/table_header.h"
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

void check_columns(const std::vector<std::string>& columns) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].empty()) continue;
    if (std::find(columns.begin(), columns.begin() + static_cast<ptrdiff_t>(i), columns[i]) !=
        columns.begin() + static_cast<ptrdiff_t>(i)) {
      throw Error("column \"", columns[i], "\" appears twice");
    }
  }
}

}  // namespace

void check_files(const std::vector<std::string>& files) {
  for (const auto& name : files) {
    if (name == "-") continue;
    if (::access(name.c_str(), R_OK) != 0) throw Error(name, ": ", std::strerror(errno));
    if (is_directory(name)) refuse_directory(name);
  }
}

InputReader::InputReader(const StreamOptions& options, ChunkLimits limits, Ring& ring, int stop,
                         std::function<void(Chunk&)> on_chunk)
    : options_(options),
      limits_(limits),
      ring_(ring),
      stop_(stop),
      on_chunk_(std::move(on_chunk)),
      place_(options.first_record),
      header_fields_(options.header_fields.empty() ? std::vector{options.text_field}
                                                   : options.header_fields) {}

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
  convert(input);
  int64_t line = 1;
  const auto source = open_source(input, line);
  Cutter cutter(input, *source, line, limits_);
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
      read_ += input.position();
      return true;
    }
    chunk_->read = read_ + input.position();
    place_ += static_cast<int64_t>(chunk_->cuts.size());
    ++chunks_;
    on_chunk_(*std::exchange(chunk_, nullptr));
  }
}

bool InputReader::take_chunk() {
  if (chunk_ == nullptr) chunk_ = ring_.take_free();
  return chunk_ != nullptr;
}

// Decompresses and decodes; refuses files that are no text.
void InputReader::convert(Input& input) const {
  const auto name = without_compression_suffix(input.name());
  const bool raw =
      is_raw(name);  // any bytes may be numbers, so only the suffix says that they are compressed
  if (raw && name == input.name()) return;
  if (const auto* compression = compression_of(input)) input.decompress(*compression);
  if (raw) return;
  if (!options_.encoding.empty()) {
    input.decode(options_.decoder(options_.encoding, options_.invalid_utf8));
  } else if (const auto encoding = marked_encoding(input)) {
    if (options_.decoder == nullptr)
      throw Error(input.name(), ": is ", *encoding, "; convert it with iconv -f ", *encoding, " -t UTF-8");
    note(input, "is " + std::string(*encoding) + ", converted to UTF-8");
    input.decode(options_.decoder(*encoding, options_.invalid_utf8));
  }
  drop_byte_order_mark(input);
  refuse_foreign(input);
}

// Determines the format. For TSV and CSV also reads the header, so that records start behind it.
std::shared_ptr<const Source> InputReader::open_source(Input& input, int64_t& line) const {
  auto source = std::make_shared<Source>(Source{.name = input.name(), .format = options_.input_format});
  source->converted = input.converted();
  if (source->format == InputFormat::automatic) source->format = format_of(input, source->format_guessed);
  if (source->format == InputFormat::jsonl && first_marks(input) == "[{")
    throw Error(input.name(), ": is one JSON array; convert it to one record per line with jq -c '.[]'");
  source->in_context = options_.context_words > 0;
  if (source->in_context && options_.input_format == InputFormat::automatic && first_marks(input).empty())
    source->format = InputFormat::jsonl;  // an empty FILE
  if (source->in_context && !is_tagged(source->format) && source->format != InputFormat::jsonl)
    throw Error(input.name(), ": is read as ", name_of(source->format),
                ", but documents need CoNLL, or JSONL with words");
  source->field_options = options_.field_options;
  source->pair_use = options_.pair_use;
  const bool universal = source->format == InputFormat::conllu;
  source->conll = {.word = options_.word_column.value_or(universal ? kForm : 0),
                   .tag = universal ? options_.tag_column.value_or(kUpos) : options_.tag_column,
                   .universal = universal};
  if (is_table(source->format)) {
    read_columns(input, *source, line);
  } else {
    source->columns = {options_.text_field};
  }
  return source;
}

bool InputReader::reads(InputFormat format) const {
  return std::find(options_.more.begin(), options_.more.end(), format) != options_.more.end();
}

// Whether any bytes are valid contents, so that the contents tell nothing.
bool InputReader::is_raw(std::string_view name) const {
  return options_.input_format == InputFormat::f32 || (options_.input_format == InputFormat::automatic &&
                                                       reads(InputFormat::f32) && name.ends_with(".f32"));
}

// By the tool's own rule, by the suffix, by options for tables, else by the contents.
InputFormat InputReader::format_of(Input& input, bool& guessed) const {
  using enum InputFormat;
  if (options_.recognize) {
    if (const auto format = options_.recognize(input)) return *format;
  }
  if (is_raw(without_compression_suffix(input.name()))) return f32;
  if (reads(npy) && is_npy(input)) return npy;
  refuse_binary(input);
  auto by_suffix = input_format_by_suffix(input.name());
  // Options that name fields outweigh ".txt".
  if (by_suffix == text && !options_.table_option.empty()) by_suffix = std::nullopt;
  if (const auto table = table_of(input, by_suffix)) return *table;
  if (by_suffix.value_or(jsonl) == jsonl && reads(squad) && is_squad(input)) return squad;
  if (reads(conll) && (!by_suffix || by_suffix == text || by_suffix == conll)) {
    if (reads(conllu) && is_conllu(input)) return conllu;
    if (is_conll(input)) return conll;
  }
  if (by_suffix.value_or(text) != text) return *by_suffix;
  const auto marks = first_marks(input);
  guessed = !by_suffix;
  if (!by_suffix && (marks == "{" || marks == "[{")) return jsonl;
  if (!by_suffix && is_header(input, tsv, header_fields_)) return tsv;
  if (!by_suffix && (separator_of(input) || is_header(input, csv, header_fields_))) return csv;
  check_text(input);
  return text;
}

// The format of a table that is known by --columns or --delimiter.
std::optional<InputFormat> InputReader::table_of(Input& input, std::optional<InputFormat> by_suffix) const {
  using enum InputFormat;
  if (options_.delimiter) {
    if (by_suffix ? is_table(*by_suffix) || by_suffix == text : first_marks(input) != "{") return csv;
  } else if (!options_.columns.empty() && by_suffix.value_or(text) == text) {
    return tsv;
  }
  return std::nullopt;
}

// For input that is about to be read as text. An Error if an option asks for its fields; a note if its first
// line looks like a header.
void InputReader::check_text(Input& input) const {
  const auto lines = first_lines(input, 1);
  if (lines.empty()) return;
  if (is_mail(lines.front()))
    note(input,
         "is read as text, but looks like a mail archive; mbox.py of the cookbook makes records of mails");
  const auto header = likely_header(lines.front());
  if (!options_.table_option.empty()) {
    constexpr size_t kShown = 40;
    const auto& field = header_fields_.front();
    if (!header)
      throw Error(input.name(), ":1: is neither JSON nor a header of columns, but ", options_.table_option,
                  " names a field; it is ",
                  json::in_quotes(json::repair_utf8(lines.front().substr(0, kShown))),
                  "; --input-format text reads each line as a text");
    if (std::ranges::find(header->columns, field) != header->columns.end())
      throw Error(input.name(), ":1: is a header of columns ", quoted_names(header->columns), "; ",
                  header->advice());
    throw Error(input.name(), ":1: ", MissingColumn(field, header->columns, options_.field_options).what());
  }
  if (header && (header->delimiter == '\t' || has_usual_name(*header)))
    note(input, "is read as text, but its first line looks like the header of a table with the columns " +
                    quoted_names(header->columns) + "; to read a table, " + header->advice() +
                    " and --text-field");
}

void InputReader::read_columns(Input& input, Source& source, int64_t& line) const {
  if (source.format == InputFormat::csv) {
    if (const auto separator = take_separator(input)) {
      source.delimiter = *separator;
      ++line;
    }
    source.delimiter = options_.delimiter.value_or(source.delimiter);
  }
  const auto header = line;
  const bool named = !options_.columns.empty();
  const std::string where = named ? input.name() : input.name() + ":" + std::to_string(header);
  if (options_.columns_given) refuse_header(input, source, line);
  try {
    source.header_line = named ? 0 : header;
    source.columns = named ? options_.columns : read_header(input, source, line);
    check_columns(source.columns);
    if (!named) check_header(source.columns, source);
    if (options_.check_columns) options_.check_columns(source.columns);
  } catch (const Error& error) {
    throw Error(where, ": ", error.what());
  }
  // The first one without a name is usually the row index that pandas and R write.
  for (size_t i = 1; i < source.columns.size(); ++i)
    if (source.columns[i].empty())
      note(input, "column " + std::to_string(i + 1) + " has no name and is left out");
}

// The columns of --columns are those of a table without a header line.
void InputReader::refuse_header(Input& input, const Source& source, int64_t line) const {
  const auto lines = first_lines(input, 1);
  if (lines.empty()) return;
  std::vector<std::string> names;
  try {
    names = column_names(source.format, source.delimiter, lines.front());
  } catch (const Error&) {  // a bad record, which is reported as such
  }
  if (names == options_.columns)
    throw Error(input.name(), ":", line, ": repeats the names of --columns; leave --columns out");
}

// Reads the header line.
std::vector<std::string> InputReader::read_header(Input& input, const Source& source, int64_t& line) const {
  size_t end = std::string_view::npos;
  CsvScanner csv(source.delimiter);
  for (size_t searched = 0; end == std::string_view::npos;) {
    const auto text = input.unread();
    const size_t found = text.find('\n', searched);
    if (source.format == InputFormat::csv) {
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
  if (options_.invalid_utf8 == InvalidUtf8::replace) header = json::repair_utf8(header);
  require_utf8(header);
  return column_names(source.format, source.delimiter, header);
}

// Throws Error if the only column seems to be several.
void InputReader::check_header(const std::vector<std::string>& columns, const Source& source) const {
  if (columns.size() != 1 || std::ranges::find(header_fields_, columns[0]) != header_fields_.end()) return;
  if (const auto other = likely_header(columns[0]))
    throw Error("has only one column, ", json::in_quotes(columns[0]), ", when split at ",
                source.format == InputFormat::tsv ? "TAB" : json::in_quotes(std::string(1, source.delimiter)),
                "; ", other->advice());
}

void InputReader::note(const Input& input, const std::string& message) const {
  if (options_.note) options_.note(input.name() + ": " + message);
}

}  // namespace bert::io
