// Input records, from being cut out of a FILE until their output is written, and their fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/conll.h"
#include "io/conll_lines.h"
#include "io/csv.h"
#include "io/decoder.h"
#include "io/input_format.h"
#include "io/missing_field.h"
#include "json/json.h"

namespace bert::io {

// What a filter stores for one record between prepare and finish.
struct Work {
  virtual ~Work() = default;
};

// What the records of one FILE share. Outlives these records.
struct Source {
  std::string name;                             // as given on the command line; "-" is stdin
  InputFormat format;                           // never automatic
  bool format_guessed = false;                  // from the first bytes, so a wrong guess may cause an error
  std::vector<std::string> columns;             // for TSV and CSV; for text formats only the text field
  int64_t header_line = 0;                      // the columns are from this line; 0: named by options
  std::vector<FieldOption> field_options = {};  // for messages
  std::vector<FieldAlias> aliases = {};         // see UsualForm
  std::shared_ptr<FieldUse> pair_use = {};      // of the second text, if the user named its field
  std::string records_of = {};                  // see StreamOptions
  std::string encoding = {};                    // see StreamOptions

  ConllColumns conll = {};
  char delimiter = ',';  // between the cells of CSV

  bool in_context = false;  // records have a Context
  bool located = false;     // records have a Location, which is written
  bool converted = false;   // the FILE is compressed, or not UTF-8

  // Whether records are generated from the FILE's contents instead of copied from it.
  bool makes_records() const { return converted || entry(format).is_made(); }
  char cell_end() const { return format == InputFormat::csv ? kCellEnd : '\t'; }  // in Record::raw()
};

// A word of a neighbouring sentence; with StreamOptions::context_tags its tag in BIO, or "" if the tags of
// the sentence cannot be read, and with context_scores the probabilities of its tags, or none.
struct ContextWord {
  std::string word;
  std::string tag = {};
  std::vector<std::pair<std::string, double>> scores = {};
};

// The words before and after a sentence, see document_context.h.
struct Context {
  std::string failure = {};  // why there are none
  std::vector<ContextWord> before = {}, after = {};
};

// Fields that say where a record is, if Source::located.
inline constexpr std::string_view kFileField = "file", kStartLine = "start_line", kEndLine = "end_line",
                                  kStart = "start", kEnd = "end";
// A record that has one of these keeps its own place.
inline constexpr std::string_view kPlaceFields[] = {kFileField, kStartLine, kEndLine};

struct Location {
  int64_t end_line = 0;                         // the last one of the record
  std::optional<int64_t> begin = {}, end = {};  // of a text, in code points
};

class Record {
 public:
  Record(const Source& source, int64_t line, int64_t place, std::string_view raw, uint64_t key_bits = 0)
      : source_(&source), line_(line), place_(place), raw_(raw), key_bits_(key_bits) {}

  const Source& source() const { return *source_; }
  const std::string& file() const { return source_->name; }
  int64_t line() const { return line_; }    // in FILE, from 1; the first line if the record has several
  int64_t place() const { return place_; }  // index from 0 over all FILEs, bad records counted
  std::string_view raw() const {
    return raw_;
  }                           // without the line end; JSON up to its closing brace;
                              // of CSV csv_cells()
  std::string where() const;  // "reviews.jsonl:17"
  const Location& location() const { return location_; }    // if Source::located
  const ConllLines* lines() const { return lines_.get(); }  // if ConllColumns::written_back, else nullptr
  // json::key_bit()s of a JSON record's keys: if a key's bit is 0, the key is absent.
  uint64_t key_bits() const { return key_bits_; }

  // Set by the filter if it truncated the text; the stream counts such records.
  bool truncated = false;

  // Owned by the filter; created by prepare, read by compute and finish.
  std::unique_ptr<Work> work;
  template <class T>
  T& work_as() const {
    return static_cast<T&>(*work);
  }

 private:
  friend class RecordReader;  // validates; may set raw_ to repaired text or to JSON; sets key_bits_

  const Source* source_;
  int64_t line_;
  int64_t place_;
  std::string_view raw_;
  uint64_t key_bits_;
  Location location_;
  std::unique_ptr<ConllLines> lines_;
};

// Default names of the fields with a text and with the second text of a pair.
inline constexpr std::string_view kTextField = "text";
inline constexpr std::string_view kPairField = "text_pair";

// Calls `read` and prefixes the message of its Error with `field "name" `.
template <class Read>
auto named(std::string_view name, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error("field \"", name, "\" ", error.what());
  }
}

// Reads this field instead of kTextField where a record has it.
inline std::vector<FieldAlias> asked_text_field(const std::string& name) {
  if (name == kTextField) return {};
  return {{.field = std::string(kTextField), .name = name, .origin = ""}};
}

// How the records that a model was trained on were read, for FILEs of the same form.
struct UsualForm {
  std::vector<FieldAlias> fields;
  // Of CSV: used if it divides the first line into a header with one of the fields.
  std::optional<char> delimiter;
  // Of tables without a header line: used if the first line has as many cells, and none is a known name.
  std::vector<std::string> columns;
  // See ConllColumns::take_usual().
  std::optional<ConllColumn> word, tag;
};

// Access to the fields of a record, by their names or Source::aliases. Returned views are valid until
// Filter::prepare returns. Text input has one field, the text field; TSV and CSV have their columns, all of
// them strings.
class Fields {
 public:
  // For a text record, or for TSV or CSV split into `values`, which must outlive this object.
  Fields(const Source& source, std::span<const std::string_view> values) : source_(source), values_(values) {}
  // For a JSON record; `object` is a JSON object.
  Fields(const Source& source, json::Value object) : source_(source), object_(object) {}

  // The field's text; nullopt if the record does not have the field. Error if the value is not a string
  // (`field "text" is a number, expected a string`) or the key is repeated.
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<std::string_view> text_unless_null(std::string_view name) const;  // nullopt also for null
  // The second text of a pair; nullopt if there is none, or if `name` is "", for texts that are no pairs. A
  // TSV or CSV record must have the column (Error as in required_text) unless `name` is kPairField, the
  // default.
  std::optional<std::string_view> pair_text(std::string_view name) const;
  // Throws MissingField or MissingColumn if the record does not have it.
  std::string_view required_text(std::string_view name) const;

  // Any value; always nullopt for text, TSV and CSV.
  std::optional<json::Value> json(std::string_view name) const;
  // Error if a table has the field.
  std::optional<json::Value> json_only(std::string_view name) const;
  // Error also if the record has the field as text.
  json::Value required(std::string_view name) const;

  // Values of one type; the fields must exist unless the result is optional.
  std::string label(std::string_view name) const;  // a text, or an integer as text
  // An array of these, or a text with labels separated by commas; a table may have an array as JSON.
  std::vector<std::string> labels(std::string_view name) const;
  double number(std::string_view name) const;  // finite; also a text that is a number
  std::optional<int64_t> integer(std::string_view name) const;
  std::vector<std::string_view> strings(std::string_view name) const;
  // An array of these or a single text; a table may have an array as JSON, and in an empty cell none.
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<int32_t> integers(std::string_view name) const;
  std::optional<std::vector<int32_t>> find_integers(std::string_view name) const;

  // The words of a sentence and the name of their field: "words"; or `asked`, if it is not kTextField; or
  // kTextField, if it has an array. nullopt if there is none.
  std::optional<std::pair<std::string, json::Value>> words(const std::string& asked) const;

  // The words around a sentence in its document; with StreamOptions::context_words only. Error if the record
  // has no "document" or its words cannot be read.
  const Context& context() const;
  // The numbers of a row of an array, which are its field `embedding`.
  std::optional<std::span<const float>> row() const { return row_; }

  bool has(std::string_view name) const;  // Error if the key is repeated

  // All fields of a JSON record in order; empty for text, TSV and CSV.
  std::vector<std::pair<std::string_view, json::Value>> members() const;

  std::vector<std::string> names() const;  // of all fields

  // `name`, or its alias, if the record has that.
  std::string_view own_name(std::string_view name) const;

  // Throws Error that says which fields there are, and the option that names another one.
  [[noreturn]] void fail_missing(std::string_view name) const;
  [[noreturn]] void fail_without_words() const;

 private:
  friend class RecordReader;  // sets context_ and row_

  const Source& source_;
  std::span<const std::string_view> values_;
  std::optional<json::Value> object_;
  const Context* context_ = nullptr;
  std::optional<std::span<const float>> row_;
};

// Throws Error if the label of a record is empty or blank, as in a table with an empty cell.
void require_label(std::string_view field, std::string_view label);

// The index of a choice, which is the label in `field`. Throws Error unless it is one of 0 to choices - 1.
size_t index_of_choice(std::string_view field, std::string_view label, size_t choices);

}  // namespace bert::io
