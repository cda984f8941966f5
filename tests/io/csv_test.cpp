#include "io/csv.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "base/error.h"

using namespace bert::io;

namespace {

// The cells of one record, "|" between them, or the error message.
std::string cells_of(std::string_view record) {
  try {
    auto cells = csv_cells(record, ',');
    for (char& c : cells) c = c == kCellEnd ? '|' : c;
    return cells;
  } catch (const bert::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the cells of a record (RFC 4180)") {
  CHECK(cells_of("") == "");
  CHECK(cells_of("a,b,c") == "a|b|c");
  CHECK(cells_of(",") == "|");
  CHECK(cells_of("\"a,b\",\"\"") == "a,b|");
  CHECK(cells_of("\"say \"\"yes\"\"\",\"two\r\nlines\"") == "say \"yes\"|two\r\nlines");
  CHECK(cells_of("5\" disk, 'x'") == "5\" disk| 'x'");
  CHECK(cells_of("\"a\"b").starts_with("text follows a closing quote"));
  CHECK(cells_of("\"a").starts_with("a quote is not closed"));
}

TEST_CASE("a record ends at the first line end that is not in quotes, wherever the text is cut") {
  const std::string text = "a,\"b\n\"\"\n\",5\" x\n\"c\"\r\nd";
  const std::vector<size_t> ends = {15, 20, std::string::npos};
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    CsvScanner scanner(',');
    size_t from = 0;
    for (const size_t end : ends) {
      size_t found = scanner.record_end(std::string_view(text).substr(0, cut), from);
      if (found == std::string_view::npos) found = scanner.record_end(text, std::max(from, cut));
      CHECK(found == end);
      from = found;
    }
  }
}

TEST_CASE("text that follows a closing quote is noticed once, wherever the text is cut") {
  const std::string text = "a,\"b\nc,\"d\"\n\"e\"\r\n";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    CsvScanner scanner(',');
    size_t end = scanner.record_end(std::string_view(text).substr(0, cut), 0);
    if (end == std::string_view::npos) end = scanner.record_end(text, cut);
    CHECK(scanner.take_followed());
    CHECK_FALSE(scanner.take_followed());
    CHECK(scanner.record_end(text, end) == text.size());
    CHECK_FALSE(scanner.take_followed());
  }
}

TEST_CASE("a written cell reads back the same") {
  std::mt19937 random(1);
  const std::string_view alphabet = "ab,\"\r\n ";
  for (int i = 0; i < 2000; ++i) {
    std::string first, second, line;
    for (auto* cell : {&first, &second}) {
      for (auto n = random() % 6; n > 0; --n) *cell += alphabet[random() % alphabet.size()];
    }
    append_csv_cell(line, first);
    line += ',';
    append_csv_cell(line, second);
    CHECK(csv_cells(line, ',') == first + kCellEnd + second);
    CHECK(CsvScanner(',').record_end(line + "\n", 0) == line.size() + 1);
  }
}
