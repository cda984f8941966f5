// Input formats.
#pragma once

#include <optional>
#include <string_view>

namespace bert::io {

enum class InputFormat {
  automatic,   // by the suffix of FILE, else by its first bytes
  text,        // one record per line
  paragraphs,  // blank lines separate records; line ends inside a record become spaces
  file,        // each FILE is one record
  jsonl,       // one JSON object per line
  tsv,         // fields named by the header line or StreamOptions::columns; split at TAB, no quoting
  csv,         // the same, with quotes and commas by RFC 4180
  documents,  // one sentence per line, a blank line ends a document; one record per document, line feeds kept
  object,     // each FILE is one JSON object, which may span lines
  conll,      // words in columns; one JSON record per sentence
  squad,      // an original SQuAD file; one JSON record per question
};

// Whether records of this form are JSON objects.
inline bool is_json(InputFormat format) {
  return format == InputFormat::jsonl || format == InputFormat::object || format == InputFormat::squad ||
         format == InputFormat::conll;
}

// Whether records are rows of named columns.
inline bool is_table(InputFormat format) { return format == InputFormat::tsv || format == InputFormat::csv; }

// Whether records are generated from the FILE's contents instead of copied from it.
inline bool is_made(InputFormat format) { return format == InputFormat::squad; }

std::string_view name_of(InputFormat format);  // as --input-format spells it: "auto"
std::optional<InputFormat> input_format_named(std::string_view name);
std::optional<InputFormat> input_format_by_suffix(std::string_view path);  // nullopt if unknown

}  // namespace bert::io
