// What is true, by id, for predictions that come without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "io/fields.h"
#include "io/input.h"
#include "io/stream.h"
#include "metric/string_table.h"

namespace bert::metric {

class Scorer;

// Truths in the order in which they came, packed: the bytes of ids and truths and about 28 beside.
class GoldTable {
 public:
  explicit GoldTable(std::string path) : path_(std::move(path)) {}

  // Error when the id is there already.
  void add(std::string_view id, std::string_view gold);

  const std::string& path() const { return path_; }  // for messages
  size_t size() const { return ids_.size(); }
  std::string_view id(size_t place) const { return ids_.at(place); }
  std::string_view gold(size_t place) const;
  std::optional<uint32_t> find(std::string_view id) const { return ids_.find(id); }

 private:
  std::string path_;
  StringTable ids_;
  std::string bytes_;
  std::vector<uint64_t> ends_;  // in bytes_
};

// Reads FILE: records with `id_field` (JSONL, TSV, …), or the data file of SQuAD. `stream` says how text is
// read; a bad record is an Error, "FILE:LINE: what".
GoldTable read_gold(const std::string& file, const std::string& id_field, const Scorer& scorer,
                    const io::StreamOptions& stream);

// The id of a record, a string or an integer.
std::string record_id(const io::Fields& fields, std::string_view id_field);

// For StreamOptions::recognize. Whether a FILE is one JSON object that holds all: its first line is no
// object, or one that says so. Of predictions {id: answer}, and of SQuAD's data {"data": …}.
std::optional<io::InputFormat> recognize_answers(io::Input& input);
std::optional<io::InputFormat> recognize_data(io::Input& input);
// FILE.conll has sentences between blank lines.
std::optional<io::InputFormat> recognize_conll(io::Input& input);

}  // namespace bert::metric
