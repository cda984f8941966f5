// Input formats, and how they are detected from the first bytes of a FILE, which are not consumed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

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
  conllu,     // the same with the columns and comments of CoNLL-U
  squad,      // an original SQuAD file; one JSON record per question
  npy,        // a NumPy array; one JSON record per row
  f32,        // the same without a header, StreamOptions::row_width numbers in a row
};

// Whether records are rows of an array: {"row":17}, counted from 0, with the numbers in Fields::row().
inline bool is_array(InputFormat format) { return format == InputFormat::npy || format == InputFormat::f32; }

// Whether records are sentences of words with tags, see conll.h.
inline bool is_tagged(InputFormat format) {
  return format == InputFormat::conll || format == InputFormat::conllu;
}

// Whether records of this form are JSON objects.
inline bool is_json(InputFormat format) {
  return format == InputFormat::jsonl || format == InputFormat::object || format == InputFormat::squad ||
         is_tagged(format) || is_array(format);
}

// Whether records are rows of named columns.
inline bool is_table(InputFormat format) { return format == InputFormat::tsv || format == InputFormat::csv; }

// The formats that every tool reads, in the order of its help.
std::vector<InputFormat> usual_formats();

// What replaces the line ends inside a record of several lines; nullopt: they are kept.
std::optional<char> line_separator(InputFormat format);

std::string_view name_of(InputFormat format);  // as --input-format spells it: "auto"
std::optional<InputFormat> input_format_by_suffix(std::string_view path);  // the suffix may have upper
// case and be followed by that of a compressed FILE; nullopt if unknown

// The first byte that is not white space, and the second one too if the first is "["; shorter at the end of
// the input.
std::string first_marks(Input& input);

// The first lines after leading white space, without line ends; fewer at the end of the input.
std::vector<std::string> first_lines(Input& input, size_t count);

bool is_conll(Input& input);   // a sentence of words with IOB tags in the last column, or a -DOCSTART- line
bool is_conllu(Input& input);  // ten columns after the comments
// Whether the first column of the first lines counts words: 1, 2.
bool is_numbered_conll(Input& input);
bool is_json_line(Input& input);  // the first line is a JSON object
bool is_npy(Input& input);        // the magic bytes of NumPy
bool is_squad(Input& input);      // an object with articles that have paragraphs

}  // namespace bert::io
