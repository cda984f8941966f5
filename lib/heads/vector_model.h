// What a vector was computed with. Only vectors for which this is the same can be compared, apart from
// prompts: many models for search have one for queries and another one, or none, for documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/drop_list.h"
#include "io/embedding.h"
#include "io/record.h"
#include "io/sparse_weights.h"

namespace bert::heads {

// As text in records, where it has to be short:
//
//   minilm 1f0c9d3a5b7e2468 mean+normalize 256 'query: '
//   minilm 1f0c9d3a5b7e2468 mean+normalize 256 of title 'query: '
//
struct VectorModel {
  std::string name;         // last part of the directory's path, for messages
  std::string fingerprint;  // 16 hexadecimal digits, see model/fingerprint.h
  std::string pooling;      // see EmbedPlan::pooling
  bool normalized = false;  // to unit length
  int64_t max_length = 0;   // in tokens
  // Of the text and its pair, if these are not text and text_pair. Vectors of other fields can be compared.
  std::vector<std::string> fields = {};
  std::string prompt;  // its name in the model, or the text in single quotes; "": none

  std::string text() const;
  // nullopt if the text is not in this form: other software may use a field of the same name.
  static std::optional<VectorModel> parse(std::string_view text);
};

// The fields that the text of a VectorModel names; none: the usual ones, or it is no VectorModel.
std::vector<std::string> fields_of(std::string_view vector_model);

// The name of a model directory as VectorModel has it: without white space, in UTF-8.
std::string name_of_model(const std::string& directory);

std::string quoted_prompt(std::string_view text);
inline bool is_named_prompt(std::string_view prompt) { return !prompt.empty() && prompt.front() != '\''; }

// The first thing that differs between two vectors, and what it is for each.
struct ModelDifference {
  enum class Kind { model, pooling, max_length, normalization, prompt } kind;
  std::string first, second;
};
std::optional<ModelDifference> difference(const VectorModel& first, const VectorModel& second);
std::string_view name_of(ModelDifference::Kind kind);

using io::kVectorModel;
// Its text in a record; "" if there is none.
std::string read_vector_model(const io::Fields& fields);
std::string read_weights_model(const io::Fields& fields);  // the same of `sparse`, from io::kSparseModel
// Fields to drop: this one too if the vector is dropped, without which it is of no use. The same for weights.
io::DropList with_vector_model(io::DropList drop);

// The file beside an array that says what its vectors are.
inline std::string sidecar_of(const std::string& array) { return array + ".json"; }

// An array FILE has no place for it, so FILE.json beside it has: {"embedding_model":"…","width":N,
// "array":"…"}, the latter a checksum of the array's size, beginning and end, so that another array with the
// name is noticed. The width is that of the rows, which f32 does not have either.
class Sidecar {
 public:
  struct Content {
    std::string model;             // the text of a VectorModel; "" if there is no sidecar
    std::optional<int64_t> width;  // nullopt: unknown
  };

  // Throws Error if FILE.json exists and is something else, because it would be replaced.
  Sidecar(const std::string& array, Content content);

  void set_model(std::string model) { content_.model = std::move(model); }
  void remove_old() const;  // before the array is replaced: no sidecar is better than a wrong one
  void write() const;       // when the array is complete

  // Throws Error if it is the sidecar of another array, or has another width than `width`.
  static Content read(const std::string& array, std::optional<int64_t> width);

 private:
  std::string array_, path_;
  Content content_;
};

}  // namespace bert::heads
