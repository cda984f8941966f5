#include "io/format.h"

#include "io/array_rows.h"
#include "io/csv.h"
#include "io/marked_text.h"

namespace bert::io {
namespace {

using Group = FormatGroup;

// By value.
constexpr FormatEntry kOutputFormats[] = {
    {Format::jsonl, Group::json, "jsonl"},
    {Format::tsv, Group::table, "tsv", {".tsv", "TSV"}, {'\t', append_tsv_cell}, {append_tsv_row}},
    {Format::csv, Group::table, "csv", {".csv", "CSV"}, {',', append_csv_cell, true}, {append_csv_row}},
    {Format::npy, Group::array, "npy", {".npy", "a NumPy array"}, {}, {append_f32_row, 4, kNpyHeaderBytes}},
    {Format::npy_f16, Group::array, "npy-f16", {}, {}, {append_f16_row, 2, kNpyHeaderBytes}},
    {Format::f32, Group::array, "f32", {".f32", "rows of 32-bit floats"}, {}, {append_f32_row, 4}},
    {Format::google, Group::own, "google"},
    {Format::ids, Group::own, "ids"},
    {Format::tokens, Group::own, "tokens"},
    {Format::squad, Group::own, "squad", {}, {}, {}, {"{", ",\n ", "}\n"}},
    {Format::conll, Group::own, "conll"},
    {Format::text, Group::own, "text"},
    {Format::grep, Group::own, "grep"},
    {Format::html, Group::own, "html", {}, {}, {}, {kHtmlBegin, "", kHtmlEnd}},
};

}  // namespace

const FormatEntry& entry(Format format) { return kOutputFormats[static_cast<size_t>(format)]; }

std::vector<Format> formats_of(std::initializer_list<FormatGroup> groups, std::vector<Format> others) {
  std::vector<Format> formats;
  for (const auto group : groups)
    for (const auto& entry : kOutputFormats)
      if (entry.group == group) formats.push_back(entry.format);
  formats.insert(formats.end(), others.begin(), others.end());
  return formats;
}

}  // namespace bert::io
