// Detects what a FILE contains from its first bytes, without consuming them.
#pragma once

#include <string>
#include <vector>

#include "io/input.h"

namespace bert::io {

// The first byte that is not white space, and the second one too if the first is "["; shorter at the end of
// the input.
std::string first_marks(Input& input);

// Whether its first line is a header with the field and at least one other.
bool is_header(Input& input, char separator, const std::string& field);

bool is_conll(Input& input);  // words with IOB tags in the last column, or a -DOCSTART- line
bool is_squad(Input& input);  // an object with articles that have paragraphs

// Throws Error that says how to decompress the FILE if it is compressed by gzip, zstd or xz.
void check_uncompressed(Input& input);

std::vector<std::string> split(std::string_view line, char separator);

}  // namespace bert::io
