// Whether input that is about to be read as text is probably a table.
#pragma once

#include <string>
#include <vector>

#include "io/input.h"
#include "io/stream.h"

namespace bert::io {

// Throws Error if an option asks for fields of the input, or if its records cannot be texts. A note if its
// first line looks like a header. `header_fields`: see StreamOptions; not empty.
void check_text(Input& input, const StreamOptions& options, const std::vector<std::string>& header_fields);

}  // namespace bert::io
