#include "io/record_reader.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "io/conll.h"
#include "io/conll_lines.h"
#include "io/csv.h"
#include "io/decoder.h"
#include "io/filter.h"
#include "io/foreign.h"
#include "io/line_cutter.h"
#include "json/members.h"
#include "json/syntax.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

// A filter without output.
class Use : public Filter {
 public:
  explicit Use(const UseRecord& use) : use_(use) {}
  void prepare(const Fields& fields, Record& record) const override { use_(fields, record); }
  void finish(Record&, Output&) const override {}

 private:
  const UseRecord& use_;
};

// `question "56be": `, to tell the questions of an article apart, which are all on one line; else "".
std::string question_of(const Record& record) {
  if (record.source().format != InputFormat::squad) return "";
  json::Members members(record.raw());
  for (json::Members::Member member; members.next(member);)
    if (member.key == "id")
      return "question " +
             std::string(record.raw().substr(member.value_begin, member.value_end - member.value_begin)) +
             ": ";
  return "";
}

// Stores the failure of a record in `chunk`. Returns false if the stream ends before this record. A missing
// column is one of all records, which the header tells.
bool pass_over(Chunk& chunk, const Record& record, const std::exception& error, OnError on_error) {
  if (dynamic_cast<const MissingColumn*>(&error) != nullptr) {
    const auto line = record.source().header_line;
    chunk.failure = record.file() + (line > 0 ? ":" + std::to_string(line) : "") + ": " + error.what();
    return false;
  }
  const std::string message = record.where() + ": " + question_of(record) + message_of(error);
  if (on_error == OnError::stop || dynamic_cast<const Error*>(&error) == nullptr) {
    chunk.failure = message;
    return false;
  }
  chunk.skipped.emplace_back(record.place(), message);
  return true;
}

// Replaces each line end inside `text` by `separator`, in place; returns the new size.
size_t join_lines(char* text, size_t size, char separator) {
  size_t to = 0;
  for (size_t from = 0; from < size; ++from) {
    if (text[from] == '\r' && from + 1 < size && text[from + 1] == '\n') ++from;
    text[to++] = text[from] == '\n' ? separator : text[from];
  }
  return to;
}

void split_at(char separator, std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const size_t end = line.find(separator);
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

// What to do about a record that is not JSON.
std::string advice_for(const Record& record) {
  using enum json::Fault::Kind;
  const auto fault = json::find_fault(record.raw());
  if (!fault) return "";
  if (fault->kind == half_surrogate) return "; " + opt::invalid_utf8 + " replace writes U+FFFD instead";
  if (fault->kind == incomplete && record.source().format == InputFormat::jsonl)
    return "; if it continues on the next line, jq -c . puts each record on one line";
  const auto raw = record.raw();
  if (record.source().format == InputFormat::jsonl && fault->at > 0 && fault->at < raw.size() &&
      raw[fault->at] == '{' && json_part(raw.substr(0, fault->at)).ends_with('}'))
    return "; jq -c . puts each record on a line of its own";
  if (!record.source().records_of.empty() && !raw.starts_with('{'))
    return "; expected records that " + record.source().records_of + " makes";
  const bool may_be_text = record.source().format_guessed && record.line() == 1;
  return may_be_text ? "; text that begins with \"{\" needs " + opt::input_format + " text" : "";
}

void check_quotes(const Cut& cut) {
  const auto lines = [&] { return counted(cut.quoted_lines, "line", "lines"); };
  switch (cut.quote) {
    case Cut::Quote::closed:
      return;
    case Cut::Quote::endless:
      throw Error("a quote is not closed until the end of the file (", lines(), ")");
    case Cut::Quote::too_long:
      throw Error("a quote is not closed within ", kMostQuotedBytes >> 20, " MiB (", lines(), ")");
    case Cut::Quote::followed:
      throw Error("a quote is not closed until line ", cut.line + cut.quoted_lines - 1,
                  ", where text follows the closing quote");
  }
}

// What to do about a row with another number of columns.
std::string advice_for_columns(const Source& source, std::span<const std::string_view> values) {
  const bool quoted =
      std::ranges::any_of(values, [](auto value) { return value.starts_with('"') || value.ends_with('"'); });
  if (source.format == InputFormat::tsv && quoted)
    return "; quotes are kept in tsv; use " + opt::delimiter + " tab if cells are quoted";
  if (source.format == InputFormat::csv && values.size() == 1 && source.columns.size() > 1)
    for (const char delimiter : {';', '\t', '|'})
      if (std::ranges::count(values[0], delimiter) + 1 == std::ssize(source.columns))
        return delimiter == ';'   ? "; use " + opt::delimiter + " ';'"
               : delimiter == '|' ? "; use " + opt::delimiter + " '|'"
                                  : "; use " + opt::delimiter + " tab";
  const bool wide = source.columns.size() == 1 && source.header_line > 0 && values.size() > 1;
  const auto& fields = source.field_options;
  if (wide && source.columns[0] != kTextField &&
      std::ranges::find(fields, source.columns[0], &FieldOption::field) == fields.end())
    return "; the first line must hold the column names";
  return "";
}

}  // namespace

std::optional<std::string> RawRecordReader::read(RawRecord& raw, const UseRecord& use) {
  chunk_.clear();
  if (reader_.oversized()) reader_ = RecordReader(invalid_utf8_);
  chunk_.source = raw.source;
  chunk_.data_size = raw.size();
  chunk_.data = std::move(raw.bytes);
  chunk_.cuts.push_back({.begin = 0, .size = chunk_.data_size, .line = raw.line});
  chunk_.first_place = raw.place;
  chunk_.characters = raw.characters;
  if (raw.context) chunk_.contexts.push_back(std::move(*raw.context));
  reader_.prepare(chunk_, Use(use), on_error_);
  if (chunk_.failure) throw Error(*chunk_.failure);
  if (chunk_.skipped.empty()) return std::nullopt;
  return std::move(chunk_.skipped.front().second);
}

// Without records, filters do not ask for the columns they need, and a misspelt name would go unnoticed.
void RecordReader::check_header(Chunk& chunk, const Filter& filter) {
  Record record(*chunk.source, chunk.source->header_line, chunk.first_place, "");
  values_.assign(chunk.source->columns.size(), "");
  try {
    filter.prepare(Fields(*chunk.source, values_), record);
  } catch (const MissingColumn& error) {
    pass_over(chunk, record, error, OnError::stop);
  } catch (const Error&) {  // of the cells, which are not there
  }
}

void RecordReader::prepare(Chunk& chunk, const Filter& filter, OnError on_error) {
  if (chunk.header_only) return check_header(chunk, filter);
  chunk.records.reserve(chunk.cuts.size());
  const bool json = !chunk.cuts.empty() && is_json(chunk.source->format);
  const char separator = chunk.cuts.empty() ? '\0' : entry(chunk.source->format).separator;
  // One call for all records of the chunk. JSON is validated by the parser.
  chunk_is_utf8_ = !json && json::is_utf8({chunk.data.data(), chunk.data_size});
  counted_ = 0;
  characters_ = chunk.characters;
  const std::string_view data(chunk.data.data(), chunk.data_size);
  std::optional<ConllLineReader> lines;
  if (chunk.source && chunk.source->conll.written_back) lines.emplace(data);
  std::string between;  // before and after records that are left out
  for (size_t i = 0; i < chunk.cuts.size(); ++i) {
    const Cut& cut = chunk.cuts[i];
    char* text = chunk.data.data() + cut.begin;
    size_t size = cut.size;
    Location location;
    if (chunk.source->located) location = locate(cut, chunk);
    if (separator != '\0') size = join_lines(text, size, separator);
    auto& record = chunk.records.emplace_back(
        *chunk.source, cut.line, chunk.first_place + static_cast<int64_t>(i), std::string_view(text, size));
    record.location_ = location;
    if (lines) {
      auto& own = *(record.lines_ = take_lines(*lines, cut, *chunk.source));
      own.between = std::exchange(between, "") + own.between;
    }
    try {
      check_quotes(cut);
      read(record, chunk.contexts.empty() ? nullptr : &chunk.contexts[i], chunk, filter);
    } catch (const std::exception& error) {
      const bool go_on = pass_over(chunk, record, error, on_error);
      if (record.lines_) between = std::move(record.lines_->between);
      chunk.records.pop_back();
      if (!go_on) return;
    }
  }
  if (lines) chunk.tail = between + mended(lines->rest(chunk.source->conll));
}

std::unique_ptr<ConllLines> RecordReader::take_lines(ConllLineReader& reader, const Cut& cut,
                                                     const Source& source) const {
  auto lines = std::make_unique<ConllLines>(reader.take(cut.begin, cut.size, source.conll));
  lines->between = mended(std::move(lines->between));
  lines->comments = mended(std::move(lines->comments));
  return lines;
}

// To be called for the cuts of a chunk in their order.
Location RecordReader::locate(const Cut& cut, const Chunk& chunk) {
  const std::string_view data(chunk.data.data(), chunk.data_size);
  const auto bytes = data.substr(cut.begin, cut.size);
  Location location = {.end_line = cut.line + std::ranges::count(without_line_end(bytes), '\n')};
  if (entry(chunk.source->format).kind != RecordKind::text) return location;
  location.begin = characters_ + json::count_code_points(data.substr(counted_, cut.begin - counted_));
  location.end = characters_ = *location.begin + json::count_code_points(bytes);
  counted_ = cut.begin + cut.size;
  return location;
}

void RecordReader::read(Record& record, const Context* context, Chunk& chunk, const Filter& filter) {
  const Source& source = record.source();
  // Files that begin with a byte order mark may have been joined. Texts keep all that they have.
  if (entry(source.format).kind != RecordKind::text && record.raw_.starts_with(kByteOrderMark))
    record.raw_.remove_prefix(kByteOrderMark.size());
  if (is_json(source.format)) {
    Fields fields = read_json(record, chunk);
    fields.context_ = context;
    return filter.prepare(fields, record);
  }
  if (!chunk_is_utf8_) mend_utf8(record, chunk, 0);
  if (source.format == InputFormat::csv)
    record.raw_ = chunk.repaired.emplace_back(csv_cells(record.raw_, source.delimiter));
  if (is_table(source.format)) {
    split_at(source.cell_end(), record.raw_, values_);
    if (values_.size() != source.columns.size()) {
      throw Error("has ", counted(values_.size(), "column", "columns"), ", expected ", source.columns.size(),
                  advice_for_columns(source, values_));
    }
  } else {
    values_.assign(1, record.raw_);
  }
  filter.prepare(Fields(source, values_), record);  // first, which finds missing columns
  if (values_.size() > 1 && source.header_line > 0 && std::ranges::equal(values_, source.columns))
    throw Error("repeats the names of the columns; leave this line out");
}

Fields RecordReader::read_json(Record& record, Chunk& chunk) {
  std::optional<std::span<const float>> row;
  if (is_tagged(record.source().format)) make_json(record, chunk);
  if (is_row(record.source().format)) row = make_row(record, chunk);
  const auto line = record.raw_;
  record.raw_ = json_part(line);
  largest_json_ = std::max(largest_json_, record.raw_.size());
  const json::Value root = parse(record, chunk, record.raw_.data() - line.data());
  if (root.kind() != json::Value::Kind::object) throw Error("is ", root.kind_name(), ", expected an object");
  record.key_bits_ = root.key_bits();
  Fields fields(record.source(), root);
  fields.row_ = row;
  return fields;
}

// Keeps the number of the row, counted from 0, as the record.
std::span<const float> RecordReader::make_row(Record& record, Chunk& chunk) const {
  const auto bytes = record.raw_;
  auto& json = chunk.repaired.emplace_back("{\"row\":" + std::to_string(record.line() - 1) + "}");
  const size_t size = json.size();
  json.append(json::kPadding, '\0');
  record.raw_ = std::string_view(json).substr(0, size);
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

// Converts the lines of a sentence to an object. On error the record's line is set to the bad one.
void RecordReader::make_json(Record& record, Chunk& chunk) const {
  if (invalid_utf8_ == InvalidUtf8::replace) mend_utf8(record, chunk, 0);
  if (record.lines_) record.lines_->sentence = record.raw_;
  int64_t line = 0;
  try {
    auto& json = chunk.repaired.emplace_back(
        conll_record(record.raw_, record.source().conll, line, record.source().encoding));
    const size_t size = json.size();
    json.append(json::kPadding, '\0');
    record.raw_ = std::string_view(json).substr(0, size);
  } catch (const Error&) {
    record.line_ += line;
    throw;
  }
}

json::Value RecordReader::parse(Record& record, Chunk& chunk, size_t begin) {
  try {
    return document_.parse_padded(record.raw_);
  } catch (const Error& error) {
    const auto before = record.raw_.data();
    mend_utf8(record, chunk, begin);
    mend_surrogates(record, chunk);
    if (record.raw_.data() != before) return document_.parse(record.raw_);
    throw Error(error.what(), advice_for(record));
  }
}

void RecordReader::mend_utf8(Record& record, Chunk& chunk, size_t begin) const {
  if (invalid_utf8_ == InvalidUtf8::error) return require_utf8(record.raw_, begin, record.source().encoding);
  if (json::is_utf8(record.raw_)) return;
  record.raw_ = chunk.repaired.emplace_back(json::repair_utf8(record.raw_));
}

// Text that is not read. Other bytes than UTF-8 stay unless they are replaced everywhere.
std::string RecordReader::mended(std::string text) const {
  const bool mend = invalid_utf8_ == InvalidUtf8::replace && !json::is_utf8(text);
  return mend ? json::repair_utf8(text) : text;
}

void RecordReader::mend_surrogates(Record& record, Chunk& chunk) const {
  if (invalid_utf8_ == InvalidUtf8::error) return;
  auto mended = json::repair_surrogates(record.raw_);
  if (mended != record.raw_) record.raw_ = chunk.repaired.emplace_back(std::move(mended));
}

void finish_records(Chunk& chunk, const Filter& filter, OnError on_error) {
  for (auto& record : chunk.records) {
    const auto* lines = record.lines();
    if (lines) chunk.output.text() += lines->between;
    const auto before = chunk.output.mark();
    try {
      if (lines) chunk.output.text() += lines->comments;
      filter.finish(record, chunk.output);
      if (lines) chunk.output.text() += lines->after;
      ++chunk.written;
      if (record.truncated) ++chunk.truncated;
      record.work.reset();
    } catch (const std::exception& error) {
      chunk.output.remove_after(before);
      if (!pass_over(chunk, record, error, on_error)) break;
    }
  }
  if (!chunk.tail.empty() && !chunk.failure) chunk.output.text() += chunk.tail;
  std::sort(chunk.skipped.begin(), chunk.skipped.end());
  chunk.records.clear();
}

}  // namespace bert::io
