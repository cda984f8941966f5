#include "io/input_reader.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"
#include "io/conll_form.h"
#include "io/context_cutter.h"
#include "io/foreign.h"
#include "io/input_format.h"
#include "io/line_cutter.h"
#include "io/mail.h"
#include "io/missing_field.h"
#include "io/table_header.h"
#include "io/text_check.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

const std::string kReadAsConll = "is read as words with tags (conll)";
const std::string kReadAsText = "; " + opt::input_format + " text reads each line as a text";
const std::string kQuotesKept =
    "has cells in quotes, which are kept in tsv; use " + opt::delimiter + " tab if cells are quoted";

void drop_byte_order_mark(Input& input) {
  while (input.unread().size() < kByteOrderMark.size() && kByteOrderMark.starts_with(input.unread())) {
    if (!input.read_more()) return;
  }
  if (input.unread().starts_with(kByteOrderMark)) input.consume(kByteOrderMark.size());
}

std::vector<std::string> header_fields_of(const StreamOptions& options) {
  auto fields = options.header_fields;
  if (fields.empty()) fields.push_back(options.text_field);
  for (const auto& alias : options.usual.fields) fields.push_back(alias.name);
  return fields;
}

bool has_quoted_cells(const Chunk& chunk) {
  const std::string_view data(chunk.data.data(), chunk.data_size);
  const auto has_one = [&](const Cut& cut) { return has_quoted_cell(data.substr(cut.begin, cut.size)); };
  return data.find('"') != data.npos && std::ranges::any_of(chunk.cuts, has_one);
}

}  // namespace

InputReader::InputReader(const StreamOptions& options, ChunkLimits limits, Ring& ring, int stop,
                         std::function<void(Chunk&)> on_chunk)
    : options_(options),
      limits_(limits),
      ring_(ring),
      stop_(stop),
      on_chunk_(std::move(on_chunk)),
      place_(options.first_record),
      header_fields_(header_fields_of(options)) {}

void InputReader::run() {
  try {
    if (options_.files.empty() && !read("-")) return;
    for (const auto& name : options_.files) {
      const bool is_folder = options_.recursive() && name != "-" && is_directory(name);
      const bool going_on = is_folder        ? read_folder(name)
                            : options_.found ? read_found(name)
                                             : read_or_leave_out(name);
      if (!going_on) return;
    }
  } catch (const std::exception& error) {
    if (!take_chunk()) return;
    chunk_->failure = message_of(error);
    ++chunks_;
    ring_.put(*chunk_, Ring::State::finished);
  }
  ring_.end_of_input(chunks_);
}

bool InputReader::read_or_leave_out(const std::string& name) {
  try {
    return read(name);
  } catch (const UnreadableFile& error) {
    if (!options_.leaves_out_files()) throw;
    if (!take_chunk()) return false;
    chunk_->skipped_file = error.what();
  }
  chunk_->first_place = place_;
  chunk_->read = read_;
  ++chunks_;
  on_chunk_(*std::exchange(chunk_, nullptr));
  return true;
}

bool InputReader::read(const std::string& name) {
  Input input(name, stop_);
  convert(input);
  int64_t line = 1;
  const auto source = open_source(input, line);
  if (source->located) input.count_characters();
  auto cutter = entry(source->format)
                    .make_cutter({.input = input,
                                  .source = *source,
                                  .line = line,
                                  .limits = limits_,
                                  .row_width = options_.row_width});
  if (source->in_context && !options_.context_apart)
    cutter = std::make_unique<ContextCutter>(std::move(cutter), *source, options_.context_words,
                                             sentence_options(options_));
  bool quotes_noted = false, guessed_text = source->format_guessed && source->format == InputFormat::text;
  for (bool empty = true;; empty = false) {
    if (!take_chunk()) return false;
    chunk_->source = source;
    chunk_->first_place = place_;
    const bool filled = cutter->fill(*chunk_);
    if (ring_.stopped()) return false;
    const bool failed = is_found_ && chunk_->failure;
    if (failed) warn(*std::exchange(chunk_->failure, std::nullopt));
    if (!filled) {
      read_ += input.position();
      if (!empty || source->header_line == 0 || source->columns == std::vector<std::string>{""}) return true;
      chunk_->header_only = true;
    }
    if (source->format == InputFormat::tsv && !quotes_noted && has_quoted_cells(*chunk_)) {
      note(input, std::string(kQuotesKept));
      quotes_noted = true;
    }
    if (const auto json = guessed_text ? line_of_json(*chunk_) : std::nullopt) {
      note(input, "is read as text because of its first line, but line " + std::to_string(*json) +
                      " is JSON; to read JSONL, remove the lines that are not JSON");
      guessed_text = false;
    }
    chunk_->read = read_ + input.position();
    place_ += chunk_->cuts.size();
    ++chunks_;
    on_chunk_(*std::exchange(chunk_, nullptr));
    if (!filled || failed) return true;
  }
}

bool InputReader::take_chunk() {
  if (chunk_ == nullptr) chunk_ = ring_.take_free();
  return chunk_ != nullptr;
}

// Decompresses and decodes; refuses files that are no text.
void InputReader::convert(Input& input) const {
  const auto name = without_compression_suffix(input.name());
  const bool raw = is_raw(name);  // whose bytes say nothing, so only the suffix says that it is compressed
  if (raw && name == input.name()) return;
  if (const auto* compression = compression_of(input)) input.decompress(*compression);
  if (raw) return;
  refuse_foreign(input);
  const auto asked = options_.encoding.empty() ? "" : encoding_of(input, options_.encoding);
  const auto note_of = [this, &input](const std::string& message) { note(input, message); };
  if (asked == kUtf8) {
    note_of(note_of_utf8(options_.encoding));
  } else if (!asked.empty()) {
    const auto warn_of = [this, &input](const std::string& message) { warn(input.name() + ": " + message); };
    input.decode(watched(options_.decoder(asked, options_.invalid_utf8), asked, note_of, warn_of));
  } else if (const auto encoding = marked_encoding(input)) {
    if (options_.decoder == nullptr)
      throw Error(input.name(), ": is ", *encoding, "; convert it with iconv -f ", *encoding, " -t UTF-8");
    note(input, "is " + std::string(*encoding) + ", converted to UTF-8");
    input.decode(options_.decoder(*encoding, options_.invalid_utf8));
  }
  drop_byte_order_mark(input);
  if (is_found_) require_text(input, options_.invalid_utf8, options_.encoding);
  if (entry(options_.input_format).has_lines()) refuse_old_line_ends(input);
}

// Determines the format. For TSV and CSV also reads the header, so that records start behind it.
std::shared_ptr<const Source> InputReader::open_source(Input& input, int64_t& line) {
  auto source = std::make_shared<Source>(Source{.name = input.name(), .format = options_.input_format});
  source->converted = input.converted();
  if (source->format == InputFormat::automatic) source->format = format_of(input, source->format_guessed);
  if (source->format == InputFormat::jsonl && first_marks(input) == "[{")
    throw Error(input.name(), ": is one JSON array; convert it to one record per line with jq -c '.[]'");
  check_mail(input, source->format);
  if (source->format == InputFormat::text) source->format = options_.cut.value_or(InputFormat::text);
  const bool is_made = entry(source->format).is_made() && !is_tagged(source->format);
  source->located = options_.located() && entry(source->format).kind != RecordKind::row && !is_made;
  source->in_context = options_.context_words > 0;
  if (source->in_context && options_.input_format == InputFormat::automatic && first_marks(input).empty())
    source->format = InputFormat::jsonl;  // an empty FILE
  if (source->in_context && !is_tagged(source->format) && source->format != InputFormat::jsonl)
    throw Error(input.name(), ": is read as ", name_of(source->format),
                ", but documents need CoNLL, or JSONL with words");
  source->field_options = options_.field_options;
  source->aliases = options_.usual.fields;
  source->pair_use = options_.pair_use;
  source->records_of = options_.records_of;
  source->encoding = options_.encoding;
  if (is_tagged(source->format)) source->conll = conll_columns_of(input, options_, source->format);
  for (const auto& [option, kind] : options_.format_options)
    if (!is_found_ && entry(source->format).kind != kind)
      note(input, "is read as " + std::string(name_of(source->format)) + ", so " + option + " has no effect");
  if (is_tagged(source->format)) check_conll(input, options_, *source);
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
  if (is_found_) return format_of_found(input);
  if (is_raw(without_compression_suffix(input.name()))) return f32;
  if (reads(npy) && is_npy(input)) return npy;
  refuse_binary(input, options_.encoding.empty() ? Decoded::no : Decoded::yes);
  auto by_suffix = input_format_by_suffix(input.name());
  if (by_suffix && is_table(*by_suffix) && options_.columns.empty() && is_json_line(input))
    throw Error(input.name(), ": is JSON; use ", opt::input_format, " jsonl");
  // Options that name fields outweigh ".txt".
  if (by_suffix == text && (options_.no_texts || !options_.table_option.empty())) by_suffix = std::nullopt;
  if (const auto table = table_of(input, by_suffix)) return *table;
  if (by_suffix.value_or(jsonl) == jsonl && reads(squad) && is_squad(input)) return squad;
  if (reads(conll) && (!by_suffix || by_suffix == text || by_suffix == conll)) {
    if (reads(conllu) && (is_conllu(input) || is_conllu_plus(input))) return conllu;
    if (is_conll(input)) {
      if (by_suffix != conll && !is_conll_document(first_lines(input, 1).front()))
        note(input, kReadAsConll + (options_.no_texts ? "" : kReadAsText));
      return conll;
    }
  }
  if (by_suffix.value_or(text) == text || by_suffix == tsv) {
    if (separator_of(input)) return csv;
  }
  guessed = !by_suffix;
  if (const auto table = table_of_text(input, by_suffix, header_fields_, options_.usual)) return *table;
  if (by_suffix.value_or(text) != text) return *by_suffix;
  const auto marks = first_marks(input);
  if (!by_suffix && (marks == "{" || marks == "[{")) return jsonl;
  if (options_.no_texts && is_any_header(input, header_fields_)) return csv;
  if (options_.tagged_rows && has_equal_rows(input)) return note(input, kReadAsConll), conll;
  check_text(input, options_, header_fields_);
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

// Once, for a first FILE of mail that is read as text.
void InputReader::check_mail(Input& input, InputFormat format) {
  using enum InputFormat;
  const bool explicit_text = format == text && options_.input_format == text;
  if (mail_noted_ || explicit_text || is_json(format) || is_table(format)) return;
  mail_noted_ = is_mail(input, is_found_ ? Found::yes : Found::no);
  if (mail_noted_) warn(input.name() + ": is read as text, but looks like mail; " + kMailAdvice);
}

void InputReader::read_columns(Input& input, Source& source, int64_t& line) const {
  bool is_known = options_.delimiter.has_value();
  if (source.format == InputFormat::csv) {
    line += skip_empty_lines(input);
    if (const auto separator = take_separator(input)) {
      source.delimiter = *separator;
      is_known = true;
      ++line;
    }
    source.delimiter = options_.delimiter.value_or(source.delimiter);
  }
  const auto& usual = options_.usual;
  if (source.format == InputFormat::csv && !is_known && usual.delimiter &&
      (is_header(input, source.format, header_fields_, *usual.delimiter) ||
       is_row_of(input, source.format, header_fields_, *usual.delimiter, usual.columns.size()))) {
    source.delimiter = *usual.delimiter;
    is_known = true;
  }
  const bool is_usual = options_.columns.empty() && is_row_of(input, source.format, header_fields_,
                                                              source.delimiter, usual.columns.size());
  if (is_usual)
    note(input,
         "has no header line; its columns are read as " + quoted_names(usual.columns) + ", as in training");
  const auto& columns = is_usual ? usual.columns : options_.columns;
  const auto header = line;
  const bool named = !columns.empty();
  const std::string where = named ? input.name() : input.name() + ":" + std::to_string(header);
  const bool empty = !named && input.unread().empty() && !input.read_more();
  if (options_.columns_given) refuse_header(input, source, line);
  try {
    source.header_line = named ? 0 : header;
    source.columns = named ? columns : read_header(input, source, is_known, line);
    require_different(source.columns);
    if (options_.check_columns && !empty) options_.check_columns(source.columns);
  } catch (const ReadError&) {
    throw;
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
    throw Error(input.name(), ":", line, ": repeats the names of ", opt::columns, "; leave ", opt::columns,
                " out");
  for (size_t i = 0; i < std::min(names.size(), options_.columns.size()); ++i)
    if (names[i] == options_.columns[i])
      return note(input, "its first line has \"" + names[i] +
                             "\" in the column of this name; if it is a header, " + "leave " + opt::columns +
                             " out, with which it is read as a record");
}

// Reads the header line. If it has a single column when split at a comma, which is only the default (not
// `is_known`), and several at another character, that is the delimiter.
std::vector<std::string> InputReader::read_header(Input& input, Source& source, bool is_known,
                                                  int64_t& line) const {
  auto text = first_record(input, source.format, source.delimiter);
  if (source.format == InputFormat::csv && !is_known) {
    source.delimiter = delimiter_beside_quotes(text).value_or(source.delimiter);
    text = first_record(input, source.format, source.delimiter);
  }
  std::string header(without_line_end(text));
  line += 1 + std::count(header.begin(), header.end(), '\n');
  input.consume(text.size());
  if (options_.invalid_utf8 == InvalidUtf8::replace) header = json::repair_utf8(header);
  require_utf8(header, 0, options_.encoding);
  refuse_old_line_ends(input, header);
  auto columns = column_names(source.format, source.delimiter, header);
  if (source.format == InputFormat::tsv && std::ranges::any_of(columns, is_in_quotes))
    note(input, std::string(kQuotesKept));
  if (std::ranges::find_first_of(header_fields_, columns) != header_fields_.end()) {
    // Text in TSV has commas, and in CSV quotes beside them.
    if (columns.size() == 1 && source.format_guessed) source.delimiter = '\t';
    return columns;
  }
  if (source.format == InputFormat::csv && !is_known) {
    const auto lines = first_lines(input, 1);
    const auto other = other_header(header, lines.empty() ? "" : lines.front(), columns.size());
    if (other) source.delimiter = other->delimiter;
    return other ? other->columns : columns;
  }
  const auto other = columns.size() == 1 ? likely_header(header) : std::nullopt;
  if (!other) return columns;
  throw Error("has only one column, ", json::in_quotes(columns[0]), ", when split at ",
              source.format == InputFormat::tsv ? "TAB" : json::in_quotes(std::string(1, source.delimiter)),
              "; ",
              options_.delimiter ? "leave " + opt::delimiter + " out, which detects it"
                                 : other->advice(source.format == InputFormat::csv));
}

void InputReader::note(const Input& input, const std::string& message) const {
  if (const auto& show = is_found_ ? options_.detail : options_.note) show(input.name() + ": " + message);
}

}  // namespace bert::io
