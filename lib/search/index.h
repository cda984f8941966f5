// What is searched: rows of vectors, and their records if there are any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/pool.h"
#include "io/record_index.h"
#include "io/record_reader.h"
#include "io/sparse_weights.h"
#include "io/stream.h"
#include "search/late_search.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

// A record meets it if its field has one of these values: a string, or another value as JSON writes it.
struct Condition {
  std::string field;
  std::vector<std::string> values;
};

struct IndexOptions {
  std::string path;          // an npy or f32 file, or records with `embedding`
  std::string records_path;  // the rows' records; "": those of `path`, if it has records
  std::optional<int64_t> width;
  std::string id_field = "id";
  std::vector<std::string> with;  // names of further fields
  std::vector<Condition> where;   // only rows whose records meet all of them are searched
  bool vectors = true;            // are searched; otherwise only records are read
  bool norms = true;              // of all vectors are needed at the start, for which an array is read
  bool may_be_empty = false;      // an array without rows is no error
  bool lines = false;             // the lines of neighbors are wanted, so their records must have a place
  std::string remedy;             // if its vectors are of another model than the queries: what to do
  io::StreamOptions stream;       // how the records are read; its FILEs are not used
};

// Numbers in a row of the arrays that do not say it: as the options have it, or the first sidecar of an f32
// file, see heads::Sidecar.
std::optional<int64_t> row_width(const IndexOptions& options, std::span<const std::string> files);

// The text in the field, or the words of a record that has only these, with spaces between them.
std::optional<std::string> text_of(const io::Fields& fields, const std::string& name);
std::string required_text_of(const io::Fields& fields, const std::string& name);  // Error: there is none

// The fields of a text and of the second one of a pair.
struct TextFields {
  std::string text{io::kTextField}, pair{io::kPairField};

  // Those that a vector was made from, if the text of its VectorModel names them.
  TextFields of(std::string_view vector_model) const;
};
// Whether a record has a text, but nothing in it or in the second text, if there is one: its vector says
// nothing. A record that lacks names.text has its text in kTextField.
bool has_empty_text(const io::Fields& fields, const TextFields& names);

// Records by position, read from their file when asked for.
class IndexedRecords {
 public:
  // Reads the file once, without parsing the records. `vector_model`: of the rows, as far as it is known.
  IndexedRecords(const std::string& path, const IndexOptions& options, std::string_view vector_model);

  int64_t size() const { return index_.size(); }

  std::string where(int64_t row) const;  // "FILE:LINE"

  // The values, in JSON, of the id field, of the fields `with`, and of the fields that say where the record
  // is; "" for one that the record does not have. Throws Error "FILE:LINE: what" if the record is invalid.
  // Any thread may call it.
  std::vector<std::string> values(int64_t row) const;
  std::optional<std::vector<std::string>> values_unless_empty(int64_t row) const;  // see has_empty_text
  const std::vector<std::string>& names() const { return names_; }                 // of these fields
  size_t place(std::string_view name) const { return std::ranges::find(names_, name) - names_.begin(); }

  // The text of a record in this field, see text_of. As for values().
  std::optional<std::string> text(int64_t row, const std::string& field) const;

  struct Weights {
    std::vector<io::TokenWeight> weights;  // see io::required_sparse
    std::string model;                     // see heads::read_weights_model
  };
  Weights sparse(int64_t row) const;

  // The rows whose records meet the conditions.
  std::vector<int64_t> matching(std::span<const Condition> conditions, Pool& pool) const;

  // "FILE:LINE: id 7 appears twice" for the first of `hashes` (of an id, with its row) that an earlier one
  // equals; "" if there is none.
  std::string repeated_id(std::vector<std::pair<uint64_t, int64_t>> hashes) const;

  // Warnings about names that no record had of which values were asked.
  std::vector<std::string> unknown_names() const;

 private:
  std::unique_ptr<io::RawRecordReader> borrow_reader() const;
  void read(io::RawRecord raw, const io::UseRecord& use) const;
  std::vector<std::string> values_of(const io::Fields& fields, const io::Record& record) const;

  std::string name_;
  TextFields text_fields_;
  io::RecordIndex index_;
  io::InvalidUtf8 invalid_utf8_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<io::FieldUse>> uses_;  // of the first of names_, which the user may have given
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<io::RawRecordReader>> idle_;
};

class Index {
 public:
  Index(const IndexOptions& options, Metric metric, Pool& pool);

  const std::string& path() const { return path_; }
  const Vectors& vectors() const;  // Error if texts have vectors for their tokens
  // Those to search: of these rows, or of all.
  const Vectors& searched() const { return selected_ ? *selected_ : vectors(); }
  const TokenVectors* tokens() const { return tokens_.get(); }  // nullptr: a text has one vector
  int64_t rows() const;                                         // to search
  const std::vector<int64_t>* selected() const { return rows_ ? &*rows_ : nullptr; }  // nullptr: all
  int64_t row_of(int64_t searched) const { return rows_ ? (*rows_)[searched] : searched; }
  const IndexedRecords* records() const { return records_.get(); }  // nullptr: there are none
  const std::string& model() const { return model_; }  // of the vectors, see heads::VectorModel; "": unknown
  // A warning about an id of two records, whose neighbors could not be told apart; "" if there is none. Only
  // records that have their vectors are compared, since all of them are parsed anyway.
  const std::string& repeated_id() const { return repeated_id_; }

 private:
  void read_vectors(const IndexOptions& options, Metric metric);
  void add(const io::Fields& fields);

  const std::string path_;
  std::unique_ptr<Vectors> vectors_;
  std::unique_ptr<TokenVectors> tokens_;
  std::unique_ptr<StoredVectors> stored_;  // vectors_, while they are read
  std::optional<std::vector<int64_t>> rows_;
  std::unique_ptr<SelectedVectors> selected_;
  std::unique_ptr<IndexedRecords> records_;
  std::string model_;
  std::vector<std::pair<uint64_t, int64_t>> id_hashes_;  // while reading: 16 bytes for each record
  std::string repeated_id_;
};

// The JSON of these fields of a record; "" for one that is missing or null. Throws Error if one of
// their keys is repeated.
std::vector<std::string> read_values(std::span<const std::string> names, const io::Fields& fields,
                                     const io::Record& record);

// The text of a JSON string; any other value as it is.
std::string plain(std::string_view value);

// Whether a file is an array, by its suffix or first bytes.
bool is_array_file(const std::string& path);

}  // namespace bert::search
