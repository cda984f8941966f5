// Cuts the rows of an array file (see array_shape.h). The bytes of a record are the numbers of the row in
// f32.
#include <string>

#include "base/error.h"
#include "io/array_shape.h"
#include "io/record_cutter.h"

namespace bert::io {
namespace {

class RowCutter final : public RecordCutter {
 public:
  explicit RowCutter(const CutterOptions& options)
      : input_(options.input),
        format_(options.source.format),
        width_(options.row_width),
        limits_(options.limits) {}

  // An invalid file is reported in chunk.failure.
  bool fill(Chunk& chunk) override;

 private:
  void read_header();
  bool has_row(const Chunk& chunk);
  void cut(Chunk& chunk);

  Input& input_;
  InputFormat format_;
  std::optional<int64_t> width_;
  ChunkLimits limits_;
  std::optional<ArrayShape> shape_;
  int64_t row_ = 0;
  std::vector<float> numbers_;
};

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
  const auto numbers = std::as_bytes(std::span(numbers_));
  chunk.data.append(reinterpret_cast<const char*>(numbers.data()), numbers.size());
  chunk.cuts.push_back({.begin = begin, .size = numbers.size(), .line = ++row_});
  input_.consume(bytes.size());
}

}  // namespace

std::unique_ptr<RecordCutter> make_row_cutter(const CutterOptions& options) {
  return std::make_unique<RowCutter>(options);
}

}  // namespace bert::io
