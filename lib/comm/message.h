// Messages between ranks: numbers, and texts after their lengths. All ranks run the same program and read
// what the others have written.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bert::comm {

template <class Number>
void append_bits(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number take_bits(std::string_view& in) {
  Number number;
  assert(in.size() >= sizeof number);
  std::memcpy(&number, in.data(), sizeof number);
  in.remove_prefix(sizeof number);
  return number;
}

inline void append(std::string& out, int64_t number) { append_bits(out, number); }
inline int64_t take_number(std::string_view& in) { return take_bits<int64_t>(in); }

inline void append_real(std::string& out, double number) { append_bits(out, number); }
inline double take_real(std::string_view& in) { return take_bits<double>(in); }

inline void append(std::string& out, std::string_view text) {
  append(out, text.size());
  out += text;
}

inline std::string take_text(std::string_view& in) {
  const size_t size = take_number(in);
  assert(in.size() >= size);
  std::string text(in.substr(0, size));
  in.remove_prefix(size);
  return text;
}

}  // namespace bert::comm
