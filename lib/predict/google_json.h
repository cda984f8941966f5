// JSON output of Google's extract_features.py, byte for byte as Python's json.dumps writes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::predict {

struct GoogleLayer {
  int index = -1;  // as given by the user
  std::span<const float> values;
};

// Writes {"linex_index": 0, "features": [ ... ]}; tokens are appended in between, commas included.
void begin_google_line(std::string& out, int64_t line);
void append_google_token(std::string& out, std::string_view token, std::span<const GoogleLayer> layers,
                         bool first, int precision);
void end_google_line(std::string& out);

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
