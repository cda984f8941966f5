// Gold labels by id or by order, for predictions in records without gold labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/string_table.h"
#include "io/input.h"
#include "io/record.h"
#include "io/stream.h"

namespace bert::metric {

class Scorer;

// Gold labels in input order, packed: the bytes of ids and labels plus about 36 bytes per entry, and
// without ids 16 bytes for each of their texts.
class GoldTable {
 public:
  explicit GoldTable(std::string path) : path_(std::move(path)) {}

  // Without id for labels in the order of the predictions: for all or for none. Error if the id exists
  // already or only some labels have one.
  void add(std::optional<std::string_view> id, std::string_view gold);
  // Remembers the texts and words of the label added last, for other_text(). Texts are `text_field`, all
  // fields of several words but `label_field` and the prediction, and keys: fields whose values, words
  // with a digit or integers, are different in all records.
  void add_texts(const io::Fields& fields, std::string_view text_field, std::string_view label_field);
  void find_keys();  // after all texts

  const std::string& path() const { return path_; }  // used in messages
  size_t size() const { return ends_.size(); }
  bool has_ids() const { return ids_.size() > 0; }
  std::string name(size_t place) const;  // `id "7"`, or "record 8" of those without ids
  std::string_view gold(size_t place) const;
  // The first field of the record whose text or words are not those of the label at `place`, as far as both
  // are known; or "".
  std::string_view other_text(size_t place, const io::Fields& fields, std::string_view text_field) const;
  bool is_key(std::string_view field) const;
  std::optional<uint32_t> find(std::string_view id) const { return ids_.find(id); }

  // For labels without id: the field of the first record that is kIdField but for case, such as "ID"; or "".
  std::string id_in_other_case;

 private:
  std::string path_;
  StringTable ids_;
  std::string bytes_;
  std::vector<uint64_t> ends_;  // end of each label in bytes_
  // For labels without id.
  struct Text {
    uint32_t field;  // in fields_
    enum class Kind : uint8_t { text, words, key } kind;
    uint64_t sum;  // of its value
  };
  StringTable fields_;
  std::vector<Text> texts_;
  std::vector<uint64_t> text_ends_;  // end of each label in texts_
  std::vector<bool> keys_;           // by field
};

inline constexpr const char* kIdField = "id";

// A checksum of the text or the words of a record; 0 if it has none.
uint64_t input_sum(const io::Fields& fields, std::string_view text_field);

// The id of a record, from `id_field`; or from kIdField, if `id_field` is empty: then nullopt if it is
// missing.
std::optional<std::string> find_id(const io::Fields& fields, const std::string& id_field);

// Reads FILE: records with ids or all without ids (JSONL, TSV, …), or SQuAD's data file. `stream` sets how
// text is read. A bad record throws Error "FILE:LINE: what".
GoldTable read_gold(const std::string& file, const std::string& id_field, const Scorer& scorer,
                    const io::StreamOptions& stream);

// For StreamOptions::recognize. Detect a FILE that is one JSON object: predictions {id: answer}, or SQuAD's
// data {"data": …}. Its first line is this object, or not a complete JSON object.
std::optional<io::InputFormat> recognize_answers(io::Input& input);
std::optional<io::InputFormat> recognize_data(io::Input& input);
// Detects a file in CoNLL format by its suffix or contents; its sentences are read as documents.
std::optional<io::InputFormat> recognize_conll(io::Input& input);

}  // namespace bert::metric
