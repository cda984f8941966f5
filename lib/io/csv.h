// CSV (RFC 4180): cells separated by commas, or another delimiter. A cell in double quotes may contain
// delimiters, line ends and quotes; a quote inside it is written twice. A quote that does not begin a cell is
// an ordinary character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace bert::io {

// Separates the cells in csv_cells(). No UTF-8 text contains this byte.
constexpr char kCellEnd = '\xff';

// Finds the line ends that end a record. The text may arrive in parts.
class CsvScanner {
 public:
  explicit CsvScanner(char delimiter) : delimiter_(delimiter) {}

  CsvScanner fresh() const { return CsvScanner(delimiter_); }  // for the begin of a record

  // The offset behind the first such line end at or after `from`; npos if the text ends before it. The next
  // call continues behind what this one read.
  size_t record_end(std::string_view text, size_t from);

  bool in_quotes() const { return state_ == State::quoted; }
  // Whether text follows a closing quote in what was read since the last call.
  bool take_followed() { return std::exchange(followed_, false); }

 private:
  enum class State { start, plain, quoted, closed };  // closed: after the closing quote
  char delimiter_;
  State state_ = State::start;
  bool followed_ = false;
};

// The cells of a record without their quotes, joined by kCellEnd. The record is valid UTF-8 without its line
// end. Throws Error if text follows a closing quote, or a quote is not closed.
std::string csv_cells(std::string_view record, char delimiter);

// Appends the cell, in quotes if it needs them.
void append_csv_cell(std::string& out, std::string_view cell);
// The same for TSV without quotes, where TAB and line ends become spaces.
void append_tsv_cell(std::string& out, std::string_view cell);

}  // namespace bert::io
