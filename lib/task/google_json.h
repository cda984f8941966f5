// The JSON of Google's extract_features.py, byte for byte as Python's json.dumps writes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::task {

struct GoogleLayer {
  int index = -1;  // as the user wrote it
  std::span<const float> values;
};

// {"linex_index": 0, "features": [ ... ]} around the tokens, which are appended in between, commas included.
void begin_google_line(std::string& out, int64_t line);
void append_google_token(std::string& out, std::string_view token, std::span<const GoogleLayer> layers,
                         bool first, int precision);
void end_google_line(std::string& out);

// repr(round(x, precision)) of Python: "0.25", "1.0", "-0.0", "1e-06". Error when x is not finite.
void append_python_number(std::string& out, float x, int precision);

// json.dumps of a string: all but ASCII is escaped, beyond U+FFFF as a pair of surrogates.
void append_python_string(std::string& out, std::string_view text);

// Text of a line and its pair: split at the last " ||| " (extract_features.py: ^(.*) \|\|\| (.*)$).
struct GoogleTexts {
  std::string_view first;
  std::string_view second;
  bool pair = false;
};
GoogleTexts google_texts(std::string_view line);

}  // namespace bert::task
