#include "io/format.h"

#include "io/array_rows.h"
#include "io/csv.h"

namespace bert::io {
namespace {

// By value.
constexpr FormatEntry kOutputFormats[] = {
    {.format = Format::jsonl, .group = FormatGroup::json, .name = "jsonl"},
    {.format = Format::tsv,
     .group = FormatGroup::table,
     .name = "tsv",
     .suffix = ".tsv",
     .content = "TSV",
     .separator = '\t',
     .append_cell = append_tsv_cell,
     .append_row = append_tsv_row},
    {.format = Format::csv,
     .group = FormatGroup::table,
     .name = "csv",
     .suffix = ".csv",
     .content = "CSV",
     .separator = ',',
     .quotes = true,
     .append_cell = append_csv_cell,
     .append_row = append_csv_row},
    {.format = Format::npy,
     .group = FormatGroup::array,
     .name = "npy",
     .suffix = ".npy",
     .content = "a NumPy array",
     .append_row = append_f32_row,
     .number_bytes = 4,
     .has_header = true},
    {.format = Format::npy_f16,
     .group = FormatGroup::array,
     .name = "npy-f16",
     .append_row = append_f16_row,
     .number_bytes = 2,
     .has_header = true},
    {.format = Format::f32,
     .group = FormatGroup::array,
     .name = "f32",
     .suffix = ".f32",
     .content = "rows of 32-bit floats",
     .append_row = append_f32_row,
     .number_bytes = 4},
    {.format = Format::google, .group = FormatGroup::own, .name = "google"},
    {.format = Format::ids, .group = FormatGroup::own, .name = "ids"},
    {.format = Format::tokens, .group = FormatGroup::own, .name = "tokens"},
    {.format = Format::squad,
     .group = FormatGroup::own,
     .name = "squad",
     .begin = "{",
     .between = ",\n ",
     .end = "}\n"},
    {.format = Format::conll, .group = FormatGroup::own, .name = "conll"},
    {.format = Format::text, .group = FormatGroup::own, .name = "text"},
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
