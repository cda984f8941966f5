// Rows of numbers without records.
#include "io/array_writer.h"
#include "predict/vector_writer.h"

namespace bert::predict {
namespace {

class RowWriter final : public VectorWriter {
 public:
  explicit RowWriter(const io::ArrayWriter& rows) : rows_(rows) {}

  void begin(std::string& out) const override { rows_.begin(out); }
  void write(const io::Record&, const Vectors& vectors, std::string& out) const override {
    const auto width = static_cast<size_t>(vectors.width);
    for (size_t i = 0; i < vectors.values.size(); i += width)
      rows_.row(vectors.values.subspan(i, width), out);
  }
  void patch(OutputFile& output) const override { rows_.patch(output); }

 private:
  io::ArrayWriter rows_;
};

}  // namespace

std::unique_ptr<VectorWriter> make_row_writer(io::ArrayFormat format, int64_t width, int precision) {
  return std::make_unique<RowWriter>(io::ArrayWriter(format, width, precision));
}

}  // namespace bert::predict
