// Whether input is probably not what it is about to be read as: a table or JSONL instead of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/chunk.h"
#include "io/input.h"
#include "io/record.h"
#include "io/stream.h"

namespace bert::io {

// Throws Error if an option asks for fields of the input, or if its records cannot be texts. A note if its
// first line looks like a header. `header_fields`: see StreamOptions; not empty.
void check_text(Input& input, const StreamOptions& options, const std::vector<std::string>& header_fields);

// The same for CoNLL, whose columns are in the source. A note if the first column has no words.
void check_conll(Input& input, const StreamOptions& options, const Source& source);

// Whether most of the lines that are not ASCII are UTF-8; a few may be by chance.
bool is_mostly_utf8(std::string_view text);

// The line of the first text that is a JSON object.
std::optional<int64_t> line_of_json(const Chunk& chunk);

}  // namespace bert::io
