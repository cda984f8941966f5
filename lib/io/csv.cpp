#include "io/csv.h"

#include <algorithm>

#include "base/error.h"

namespace bert::io {

size_t CsvScanner::record_end(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (state_ == State::quoted) {
      if (c == '"') state_ = State::closed;
    } else if (c == '\n') {
      state_ = State::start;
      return i + 1;
    } else if (c == delimiter_) {
      state_ = State::start;
    } else if (c == '"' && state_ != State::plain) {
      state_ = State::quoted;
    } else if (state_ != State::closed || c != '\r') {
      followed_ |= state_ == State::closed;
      state_ = State::plain;
    }
  }
  return std::string_view::npos;
}

std::string csv_cells(std::string_view record, char delimiter) {
  std::string cells;
  cells.reserve(record.size());
  for (size_t i = 0;;) {
    if (i < record.size() && record[i] == '"') {
      for (++i;; ++i) {
        const size_t quote = record.find('"', i);
        if (quote == std::string_view::npos) throw Error("a quote is not closed");
        cells += record.substr(i, quote - i);
        i = quote + 1;
        if (i == record.size() || record[i] != '"') break;
        cells += '"';
      }
      if (i < record.size() && record[i] != delimiter)
        throw Error("text follows a closing quote, expected a ",
                    delimiter == ',' ? std::string("comma") : "delimiter",
                    "; quotes inside a cell are written twice");
    } else {
      const size_t end = std::min(record.find(delimiter, i), record.size());
      cells += record.substr(i, end - i);
      i = end;
    }
    if (i == record.size()) return cells;
    cells += kCellEnd;
    ++i;
  }
}

void append_csv_cell(std::string& out, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_tsv_cell(std::string& out, std::string_view cell) {
  const auto begin = static_cast<ptrdiff_t>(out.size());
  out += cell;
  std::replace_if(
      out.begin() + begin, out.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
}

}  // namespace bert::io
