// Output formats of bert-embed.
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

#include "features/truncated_fields.h"
#include "io/embedding.h"
#include "io/output.h"
#include "io/record.h"
#include "text/tokenizer.h"

namespace bert::predict {

// A window of a long text.
struct WindowPlace {
  int64_t record = 0;                    // index from 0 over all FILEs
  int32_t window = 0;                    // in the record, from 0
  std::optional<text::Span> characters;  // of its text, in code points, if the record has a text
  int64_t text_begin = 0;                // where the text begins in its FILE, in code points, if it is known,
  std::optional<std::pair<int64_t, int64_t>> lines = {};  // and the first and last line of the window
};

// The vector of a record, or the vectors of its tokens. Views, valid during one call.
struct Vectors {
  std::span<const float> values;  // [rows, width], all finite
  int64_t width = 0;
  std::string_view model = {};                // of the vector, see VectorModel; "": unknown
  const std::vector<int32_t>* ids = nullptr;  // for token vectors: one id for each row
  bool truncated = false;
  std::span<const std::string_view> stale = {};        // fields of an earlier run
  std::span<const features::TruncatedField> cut = {};  // truncated values of the record's own fields
  const WindowPlace* window = nullptr;                 // the vector is that of a window
};

class VectorWriter {
 public:
  virtual ~VectorWriter() = default;
  // Any thread may call it.
  virtual void write(const io::Record& record, const Vectors& vectors, io::Output& out) const = 0;
};

// How a vector is written in a record.
struct VectorText {
  int precision = -1;   // of an array of numbers, see json::append_number
  bool base64 = false;  // instead: a string with the little-endian f32 in base64 (RFC 4648, section 4)
};

// Adds `embedding`, or `tokens` and `embeddings`; `embedding_model`, if the model is given; then `truncated`.
std::unique_ptr<VectorWriter> make_json_writer(const text::Tokenizer& tokenizer, io::DropList drop,
                                               const VectorText& text);

// Fields of records. `tokens` is an array.
constexpr std::string_view kTokens = "tokens", kTokenVectors = io::kEmbeddings, kAttention = "attention";
void append_tokens(std::string& out, const text::Tokenizer& tokenizer, std::span<const int32_t> ids);

// Writes rows of numbers and nothing else.
std::unique_ptr<VectorWriter> make_row_writer(int precision);

// Format of extract_features.py: values are the concatenated hidden states of the layers, `layers` their
// numbers.
std::unique_ptr<VectorWriter> make_google_writer(const text::Tokenizer& tokenizer, std::vector<int> layers,
                                                 int precision);

// Python's repr(round(x, precision)): "0.25", "1.0", "-0.0", "1e-06". Throws Error if x is not finite.
void append_python_number(std::string& out, float x, int precision);

// Python's json.dumps of a string: escapes non-ASCII characters, as surrogate pairs beyond U+FFFF.
void append_python_string(std::string& out, std::string_view text);

// Text and pair of a line, split at the last " ||| " (extract_features.py: ^(.*) \|\|\| (.*)$).
struct GoogleTexts {
  std::string_view first;
  std::string_view second;
  bool pair = false;
};
GoogleTexts google_texts(std::string_view line);

}  // namespace bert::predict
