// Input formats, and how they are detected from the first bytes of a FILE, which are not consumed.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
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
  passages,    // as paragraphs, but line ends are kept, and headings of Markdown begin a record
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

// What the bytes of a record are, and what they become.
enum class RecordKind {
  text,    // a text
  table,   // cells of named columns
  json,    // a JSON object
  tagged,  // lines of words with tags, see conll.h: an object
  row,     // numbers of an array: {"row":17}, counted from 0, with the numbers in Fields::row()
};

// One function for each class of cutters, see record_cutter.h.
class RecordCutter;
struct CutterOptions;
using MakeCutter = std::unique_ptr<RecordCutter>(const CutterOptions& options);
MakeCutter make_line_cutter, make_csv_cutter, make_paragraph_cutter, make_passage_cutter, make_conll_cutter,
    make_file_cutter, make_squad_cutter, make_row_cutter;

// A row of the table of formats.
struct InputFormatEntry {
  InputFormat format;
  std::string_view name;  // as --input-format spells it
  enum class ReadBy { all_tools, some_tools } read_by;
  RecordKind kind;
  MakeCutter* make_cutter;
  std::array<std::string_view, 3> suffixes = {};
  char separator = 0;  // replaces the line ends inside a record; 0: they are kept

  bool has_lines() const;  // whether line ends matter
  bool is_made() const;    // whether the bytes of records are not those of the FILE
};

const InputFormatEntry& entry(InputFormat format);

inline bool is_row(InputFormat format) { return entry(format).kind == RecordKind::row; }
inline bool is_tagged(InputFormat format) { return entry(format).kind == RecordKind::tagged; }
inline bool is_table(InputFormat format) { return entry(format).kind == RecordKind::table; }
// Whether records are, or become, JSON objects.
inline bool is_json(InputFormat format) { return entry(format).kind >= RecordKind::json; }

// The usual formats; those of these kinds that are not usual, and the other ones, in the order of the table.
std::vector<InputFormat> usual_formats();
std::vector<InputFormat> formats_of(std::initializer_list<RecordKind> kinds,
                                    std::vector<InputFormat> others = {});

inline std::string_view name_of(InputFormat format) { return entry(format).name; }
std::optional<InputFormat> input_format_by_suffix(std::string_view path);  // the suffix may have upper
// case and be followed by that of a compressed FILE; nullopt if unknown

// The first byte that is not white space, and the second one too if the first is "["; shorter at the end of
// the input.
std::string first_marks(Input& input);

// The first lines after leading white space, without line ends; fewer at the end of the input.
std::vector<std::string> first_lines(Input& input, size_t count);

bool is_conll(Input& input);  // a sentence of words with IOB tags in the last column, or a -DOCSTART- line
// Whether the lines of the first sentence have the same number of columns, and more than one: of CoNLL with
// tags of any kind, if other forms are ruled out.
bool has_equal_rows(Input& input);
// The first line of CoNLL that neither begins with "#" nor starts a document; "" if it is not near the
// beginning.
std::string first_conll_row(Input& input);
bool is_conllu(Input& input);       // ten columns after the comments
bool is_conllu_plus(Input& input);  // the first line names the columns
// Whether the first column of the first lines counts words: 1, 2.
bool is_numbered_conll(Input& input);
// Whether a line of CoNLL has names of columns, such as "word tag".
bool is_conll_header(std::string_view row);
// The text, or the first line, is a JSON object, with one of the fields if there are any.
bool is_json_object(std::string_view text, const std::vector<std::string>& fields = {});
bool is_json_line(Input& input, const std::vector<std::string>& fields = {});
bool is_npy(Input& input);    // the magic bytes of NumPy
bool is_squad(Input& input);  // an object with articles that have paragraphs

}  // namespace bert::io
