#include "io/row_cutter.h"

#include <string>

#include "base/base64.h"
#include "base/error.h"
#include "json/json.h"

namespace bert::io {

bool RowCutter::fill(Chunk& chunk) {
  chunk.offset = input_.consumed();
  try {
    if (!shape_) read_header();
    while (chunk.data.size() < limits_.bytes && chunk.cuts.size() < limits_.records && has_row(chunk))
      cut(chunk);
  } catch (const ReadError& error) {
    chunk.failure = error.what();
  } catch (const Error& error) {
    chunk.failure = input_.name() + ": " + error.what();
  }
  chunk.data_size = chunk.data.size();
  chunk.data.append(json::kPadding, '\0');
  return !chunk.cuts.empty() || chunk.failure;
}

void RowCutter::read_header() {
  if (format_ == InputFormat::f32) {
    shape_ = shape_of_file("", "", 0, width_);
    return;
  }
  do {
    shape_ = read_npy_header(input_.unread());
  } while (!shape_ && input_.read_more());
  if (!shape_) throw Error("ends within its npy header");
  if (width_) check_width(*shape_, *width_);
  input_.consume(shape_->begin);
}

// Waits for a row only if the chunk has none.
bool RowCutter::has_row(const Chunk& chunk) {
  const bool is_last = format_ == InputFormat::npy && row_ == shape_->rows;
  const size_t wanted = is_last ? 1 : shape_->row_bytes();
  while (input_.unread().size() < wanted) {
    if (!chunk.cuts.empty() && !input_.ready()) return false;
    if (input_.read_more()) continue;
    if (input_.unread().empty() && (is_last || format_ == InputFormat::f32)) return false;
    throw Error("ends within row ", row_, ", or before it");
  }
  if (is_last) throw Error("has more bytes than its ", row_, " rows");
  return true;
}

void RowCutter::cut(Chunk& chunk) {
  const auto bytes = std::as_bytes(std::span(input_.unread().substr(0, shape_->row_bytes())));
  numbers_.resize(shape_->width);
  to_f32(shape_->dtype, bytes.data(), numbers_);
  const size_t begin = chunk.data.size();
  json::append_integer(chunk.data += "{\"row\":", row_);
  append_base64(chunk.data += ",\"embedding\":\"", std::as_bytes(std::span(numbers_)));
  chunk.data += "\"}";
  chunk.cuts.push_back({.begin = begin, .size = chunk.data.size() - begin, .line = ++row_});
  input_.consume(bytes.size());
}

}  // namespace bert::io
