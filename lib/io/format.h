// Output formats.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::io {

enum class Format { jsonl, tsv, csv, npy, npy_f16, f32, google, ids, tokens, squad, conll, text, grep, html };

// What a filter writes (see output.h): records as JSON or in a table, rows of numbers, or text of its own.
enum class FormatGroup { json, table, array, own };

// A row of the table of formats.
struct FormatEntry {
  Format format;
  FormatGroup group;
  std::string_view name;  // as --format spells it

  // Files in this format: their suffix, and what they have.
  struct {
    std::string_view suffix, content;
  } file = {};
  // Records as a table, see output_fields.h: what is between two cells, how a text becomes one, and whether
  // an empty row needs quotes because an empty line is no row.
  struct {
    char separator;
    void (*append_cell)(std::string& out, std::string_view text);
    bool quotes = false;
  } table = {};
  // Rows of numbers, see array_rows.h: how one is written, the size of a number in an array, and that of a
  // header that has the number of rows, known only at the end, so it needs a regular file.
  struct {
    void (*append)(std::string& out, std::span<const float> numbers, int precision);
    int64_t number_bytes = 0, header_bytes = 0;
  } row = {};
  // Text: what is before, between and after those of the records.
  struct {
    std::string_view begin, between, end;
  } text = {};

  bool is_table() const { return group == FormatGroup::table; }
  bool is_array() const { return group == FormatGroup::array; }
};

const FormatEntry& entry(Format format);
// All formats of the groups, in their order, then the other ones: what a tool offers.
std::vector<Format> formats_of(std::initializer_list<FormatGroup> groups, std::vector<Format> others = {});

}  // namespace bert::io
