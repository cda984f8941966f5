// The forms of input that become records.
#pragma once

#include <optional>
#include <string_view>

namespace bert::io {

enum class InputFormat {
  automatic,   // by the suffix of FILE, else by its first bytes
  text,        // a record a line
  paragraphs,  // blank lines separate records, line ends inside one are spaces
  file,        // each FILE is one record
  jsonl,       // a JSON object a line
  tsv,         // a header line names the fields, or StreamOptions::columns does; split at TAB, no quoting
  documents,   // a sentence a line, a blank line ends a document, which is one record with line feeds in it
  object,      // each FILE is one JSON object, on any number of lines
  conll,       // words in columns: a JSON record a sentence
  squad,       // an original SQuAD file: a JSON record a question
};

// Whether records of this form are JSON objects.
inline bool is_json(InputFormat format) {
  return format == InputFormat::jsonl || format == InputFormat::object || format == InputFormat::squad ||
         format == InputFormat::conll;
}

// Whether records are made from what a FILE has, and do not stand in it as they are.
inline bool is_made(InputFormat format) { return format == InputFormat::squad; }

std::string_view name_of(InputFormat format);  // as --input-format spells it: "auto"
std::optional<InputFormat> input_format_named(std::string_view name);
std::optional<InputFormat> input_format_by_suffix(std::string_view path);  // ".tsv"; nullopt: it says nothing

}  // namespace bert::io
