// The rows of an inverted index that have a term.
#pragma once

#include <cstdint>
#include <string>

namespace bert::search {

// Rows, ascending, each with a number: differences of rows, and the numbers, in groups of 7 bits.
class Postings {
 public:
  void add(int64_t row, uint64_t number) {
    append(row - last_);
    append(number);
    last_ = row;
    ++rows_;
  }

  int64_t rows() const { return rows_; }

  // Calls `use` with each row and its number.
  template <class Use>
  void each(Use use) const {
    const char* at = bytes_.data();
    int64_t row = -1;
    for (int64_t i = 0; i < rows_; ++i) {
      row += static_cast<int64_t>(take(at));
      use(row, take(at));
    }
  }

 private:
  void append(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }

  static uint64_t take(const char*& at) {
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at++);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
  }

  int64_t rows_ = 0, last_ = -1;
  std::string bytes_;
};

}  // namespace bert::search
