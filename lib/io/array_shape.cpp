#include "io/array_shape.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are read as they are in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMostHeader = 64 << 10;  // of a plain array, far more than needed
constexpr int64_t kMostWidth = 1 << 16;   // numbers in a row
constexpr int64_t kMostRows = int64_t{1} << 40;

// Parses the Python dict of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  ArrayShape read() {
    expect('{');
    while (!take('}')) {
      const auto key = string();
      expect(':');
      if (key == "descr") {
        descr_ = peek() == '\'' || peek() == '"' ? string() : std::string_view("a structure");
        if (descr_ == "a structure") break;
      } else if (key == "fortran_order") {
        fortran_ = word();
      } else if (key == "shape") {
        read_shape();
      } else {
        invalid();
      }
      if (!take(',') && peek() != '}') invalid();
    }
    return checked();
  }

 private:
  [[noreturn]] static void invalid() { throw Error("is not a valid npy file: its header cannot be read"); }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) invalid();
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') invalid();
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) invalid();
    const auto found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }

  std::string_view word() {
    (void)peek();
    const size_t begin = at_;
    while (at_ < text_.size() && std::string_view(",} \n").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void read_shape() {
    expect('(');
    while (!take(')')) {
      (void)peek();
      int64_t size = 0;
      const char* const begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) invalid();
      at_ += end - begin;
      shape_.push_back(size);
      (void)take('L');  // long integers of Python 2
      if (!take(',') && peek() != ')') invalid();
    }
    has_shape_ = true;
  }

  ArrayShape checked() const {
    ArrayShape shape;
    if (descr_ == "<f2") {
      shape.dtype = Dtype::f16;
    } else if (descr_ != "<f4") {
      throw Error("is an array of ", descr_.empty() ? "unknown type" : json::in_quotes(descr_),
                  ", expected \"<f4\" or \"<f2\" (float32 or float16)");
    }
    if (!has_shape_ || (fortran_ != "True" && fortran_ != "False")) invalid();
    if (shape_.size() != 2)
      throw Error("is an array of ", counted(shape_.size(), "dimension", "dimensions"),
                  ", expected 2: one row for each vector");
    if (fortran_ == "True")
      throw Error("is an array in Fortran order, expected rows; convert it with numpy.ascontiguousarray");
    shape.rows = shape_[0];
    shape.width = shape_[1];
    if (shape.width < 1 || shape.width > kMostWidth || shape.rows > kMostRows)
      throw Error("is an array of shape (", shape.rows, ", ", shape.width, "), expected 1 to ", kMostWidth,
                  " numbers in a row");
    return shape;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string_view descr_, fortran_;
  std::vector<int64_t> shape_;
  bool has_shape_ = false;
};

size_t little_endian(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

ArrayShape raw_shape(uint64_t size, std::optional<int64_t> width) {
  if (!width) throw Error("has no header, so ", opt::dim, " must give the number of numbers in a row");
  ArrayShape shape = {.dtype = Dtype::f32, .width = *width};
  if (size % shape.row_bytes() != 0)
    throw Error("has ", size, " bytes, expected a multiple of ", shape.row_bytes(), " for rows of ", *width,
                " numbers");
  shape.rows = size / shape.row_bytes();
  return shape;
}

// Throws Error if a file that is not npy does not look like raw numbers either.
void refuse_other_files(std::string_view bytes) {
  constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
      {"PK\3\4", "a zip archive, as numpy.savez and torch.save write it; numpy.save writes npy"},
      {"\x1f\x8b\b", "compressed with gzip; decompress it"},
      {"\x89HDF", "an HDF5 file; numpy.save writes npy"},
      {"\x80\4\x95", "a pickle; numpy.save writes npy"}};
  for (const auto& [magic, what] : kForeign)
    if (bytes.starts_with(magic)) throw Error("is ", what);
  constexpr size_t kLeast = 32, kMost = 256;  // of random bytes, every tenth is a control character
  const auto begin = bytes.substr(0, kMost);
  const auto is_text = [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  };
  if (begin.size() < kLeast || !std::ranges::all_of(begin, is_text)) return;
  if (begin.size() < kMost && !json::is_utf8(begin)) return;
  throw Error("is ", begin.starts_with('{') ? "JSON" : "text", ", expected an array as bert-embed ",
              opt::format, " npy writes it",
              begin.starts_with('{') ? "; vectors in records are their field \"embedding\"" : "");
}

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::optional<ArrayShape> read_npy_header(std::string_view bytes) {
  const size_t known = std::min(bytes.size(), kMagic.size());
  if (bytes.substr(0, known) != kMagic.substr(0, known)) throw Error("is not an npy file");
  if (bytes.size() < kMagic.size() + 2) return std::nullopt;
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  if (version < 1 || version > 3) throw Error("is an npy file of version ", version, ", expected 1 to 3");
  const size_t length_bytes = version == 1 ? 2 : 4, begin = kMagic.size() + 2 + length_bytes;
  if (bytes.size() < begin) return std::nullopt;
  const size_t length = little_endian(bytes.substr(begin - length_bytes, length_bytes));
  if (length > kMostHeader) throw Error("is not a valid npy file: its header has ", length, " bytes");
  if (bytes.size() < begin + length) return std::nullopt;
  ArrayShape shape = HeaderReader(bytes.substr(begin, length)).read();
  shape.begin = begin + length;
  return shape;
}

void check_width(const ArrayShape& shape, int64_t width) {
  if (width != shape.width) throw Error("has rows of ", shape.width, " numbers, expected ", width);
}

ArrayShape shape_of_file(std::string_view path, std::string_view bytes, uint64_t size,
                         std::optional<int64_t> width) {
  if (!is_npy(bytes)) refuse_other_files(bytes);
  if (!path.ends_with(".npy") && !is_npy(bytes)) return raw_shape(size, width);
  const auto shape = read_npy_header(bytes);
  if (!shape) throw Error("ends within its npy header");
  if (width) check_width(*shape, *width);
  const uint64_t expected = shape->begin + shape->rows * shape->row_bytes();
  if (size != expected)
    throw Error("has ", size, " bytes, expected ", expected, " for ", shape->rows, " rows of ", shape->width,
                " numbers; it is incomplete or damaged");
  return *shape;
}

}  // namespace bert::io
