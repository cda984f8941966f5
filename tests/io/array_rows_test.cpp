#include "io/array_rows.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "io/stream_run.h"

using namespace bert;
using namespace bert::io;

namespace {

// Writes the row [length, -0.5, length / 3] for each text. Lengths of 4 to 6 have special numbers instead.
class RowFilter : public Filter {
 public:
  void prepare(const Fields& fields, Record&) const override { fields.required_text("text"); }
  void finish(Record& record, Output& out) const override {
    const auto length = static_cast<float>(record.raw().size());
    const float third = length == 4   ? std::numeric_limits<float>::infinity()
                        : length == 5 ? 65520
                        : length == 6 ? 65519
                                      : length / 3;
    out.row(std::array{length, -0.5f, third});
  }
  int64_t row_width() const override { return 3; }
};

std::string array_of(Format format, const std::string& text, const std::string& output) {
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("in", text)};
  options.output = output;
  options.on_error = OnError::skip;
  options.format = format;
  RowFilter filter;
  Pool pool(2);
  Log log("test", Log::Level::quiet);
  run_stream(options, pool, log, filter);
  return read_file(output);
}

}  // namespace

TEST_CASE("text formats write one column per number") {
  const TemporaryDirectory directory;
  CHECK(array_of(Format::tsv, "a\nbcd\n", directory / "x") == "1\t-0.5\t0.33333334\n3\t-0.5\t1\n");
}

TEST_CASE("f32 writes raw floats and leaves out rows that are not finite") {
  const TemporaryDirectory directory;
  const auto bytes = array_of(Format::f32, "a\nfour\nbc\n", directory / "x");
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  CHECK(values == std::vector<float>{1, -0.5f, 1 / 3.0f, 2, -0.5f, 2 / 3.0f});
}

TEST_CASE("the npy header contains the number of rows written") {
  const TemporaryDirectory directory;
  const auto bytes = array_of(Format::npy, "a\nfour\nbc\n", directory / "x.npy");
  CHECK(bytes.size() == 128 + 2 * 3 * 4);
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(bytes.substr(10, 61) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ");
  CHECK(bytes[127] == '\n');
}

TEST_CASE("npy of f16 has numbers of two bytes and leaves out rows with larger numbers") {
  const TemporaryDirectory directory;
  const auto bytes = array_of(Format::npy_f16, "a\nfour\nfive5\nsix666\n", directory / "x.npy");
  CHECK(bytes.substr(10, 61) == "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }  ");
  // 1, -0.5 and 1/3; 6, -0.5 and 65504, the largest number.
  CHECK(bytes.substr(128) == std::string("\x00\x3c\x00\xb8\x55\x35\x00\x46\x00\xb8\xff\x7b", 12));
}

TEST_CASE("npy needs an output file whose header can be rewritten") {
  CHECK_THROWS_WITH(array_of(Format::npy, "a\n", "/dev/null"),
                    "/dev/null: is a pipe or a device, not a regular file; the header of this format is "
                    "completed at the end");
}

TEST_CASE("NumPy reads the npy output") {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    MESSAGE("skipped: /usr/bin/python3 has no numpy");
    return;
  }
  const TemporaryDirectory directory;
  for (const bool half : {false, true}) {
    for (const std::string text : {"a\nbc\n", ""}) {
      array_of(half ? Format::npy_f16 : Format::npy, text, directory / "x.npy");
      const std::string rows = text.empty() ? "[]" : "[[1, -0.5, 1 / 3], [2, -0.5, 2 / 3]]";
      const std::string script = "import numpy, sys; a = numpy.load(sys.argv[1]); e = numpy.array(" + rows +
                                 ", dtype=numpy.float" + (half ? "16" : "32") +
                                 ").reshape(-1, 3); assert a.dtype == e.dtype and (a == e).all() "
                                 "and a.shape == e.shape";
      CHECK(std::system(("/usr/bin/python3 -c '" + script + "' " + directory / "x.npy").c_str()) == 0);
    }
  }
}
