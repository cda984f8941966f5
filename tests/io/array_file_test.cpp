#include "io/array_file.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "io/array_rows.h"

using namespace bert;
using namespace bert::io;

namespace {

struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / "array_file_test.npy").string();

  explicit TemporaryFile(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

std::string array_of(const std::vector<float>& numbers, int64_t width, Dtype dtype) {
  const auto bytes = static_cast<int64_t>(size_of(dtype));
  auto text = npy_header({.rows = std::ssize(numbers) / width, .columns = width, .number_bytes = bytes});
  std::vector<std::byte> data(numbers.size() * bytes);
  from_f32(numbers, dtype, data.data());
  return text.append(reinterpret_cast<const char*>(data.data()), data.size());
}

std::string refusal_of(const ArrayFile& file, int64_t row) {
  std::vector<float> numbers(file.width());
  try {
    file.read(row, numbers);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("the rows of an array file are read as f32, whatever their format") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16}) {
    const TemporaryFile file(array_of({1, 2, 3, 4.5f, -0.25f, 6}, 2, dtype));
    const ArrayFile array(file.path, {});
    CHECK(array.rows() == 3);
    CHECK(array.width() == 2);
    std::vector<float> row(2);
    array.read(1, row);
    CHECK(row == std::vector<float>{3, 4.5f});
    array.read(2, row);
    CHECK(row == std::vector<float>{-0.25f, 6});
    CHECK(refusal_of(array, 3) == "has no row in " + file.path + ", which has 3");
    CHECK_THROWS_AS(ArrayFile(file.path, 3), Error);
  }
}

TEST_CASE("a number that is not finite is refused with its row") {
  const TemporaryFile file(array_of({1, 2, NAN, 4}, 2, Dtype::f32));
  const ArrayFile array(file.path, {});
  CHECK(refusal_of(array, 0) == "none");
  CHECK(refusal_of(array, 1) == "row 1 of " + file.path + " has a number that is not finite");
}

TEST_CASE("the checksum of an array depends on its numbers and their format") {
  uint64_t first = 0;
  for (const auto& bytes : {array_of({1, 2, 3, 4}, 2, Dtype::f32), array_of({1, 2, 3, 5}, 2, Dtype::f32),
                            array_of({1, 2, 3, 4}, 4, Dtype::f32), array_of({1, 2, 3, 4}, 2, Dtype::f16)}) {
    const TemporaryFile file(bytes);
    const auto checksum = ArrayFile(file.path, {}).checksum();
    CHECK(checksum != first);
    if (first == 0) first = checksum;
  }
}
