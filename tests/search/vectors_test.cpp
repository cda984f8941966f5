#include "search/vectors.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "base/dtype.h"
#include "base/error.h"
#include "brute_force.h"
#include "io/array_shape.h"
#include "search/nearest.h"

using namespace bert;
using namespace bert::search;

namespace {

struct TemporaryFile {
  TemporaryFile(const std::string& suffix, const std::string& bytes)
      : path("vectors_test-" + std::to_string(::getpid()) + suffix) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path;
};

std::string npy(int version, std::string dict, std::string data, size_t align = 64) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  const size_t length_bytes = version == 1 ? 2 : 4;
  while ((bytes.size() + length_bytes + dict.size() + 1) % align != 0) dict += ' ';
  dict += '\n';
  for (size_t i = 0; i < length_bytes; ++i) bytes += static_cast<char>(dict.size() >> (8 * i));
  return bytes + dict + data;
}

std::string dict(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string data_of(const std::vector<Row>& rows, Dtype dtype) {
  std::string data;
  for (const Row& row : rows) {
    std::string bytes(row.size() * size_of(dtype), '\0');
    from_f32(row, dtype, reinterpret_cast<std::byte*>(bytes.data()));
    data += bytes;
  }
  return data;
}

std::string refusal(const std::string& suffix, const std::string& bytes, std::optional<int64_t> width = {}) {
  Pool pool(2);
  const TemporaryFile file(suffix, bytes);
  try {
    const MappedVectors vectors(file.path, width, pool);
    return "";
  } catch (const Error& error) {
    const std::string message = error.what();
    REQUIRE(message.starts_with(file.path + ": "));
    return message.substr(file.path.size() + 2);
  }
}

}  // namespace

TEST_CASE("rows of npy files of all versions, alignments and both types are read") {
  Pool pool(2);
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    const int64_t width = 1 + random.below(30), count = 1 + random.below(1000);
    const Dtype dtype = random.bernoulli(0.5) ? Dtype::f32 : Dtype::f16;
    std::vector<Row> rows(static_cast<size_t>(count), Row(static_cast<size_t>(width)));
    for (Row& row : rows)
      for (float& x : row) x = static_cast<float>(random.below(2000)) / 8 - 100;
    const std::string shape = "(" + std::to_string(count) + ", " + std::to_string(width) + ")";
    const size_t align = random.bernoulli(0.5) ? 64 : 1 + random.below(7);
    const TemporaryFile file(
        ".npy", npy(1 + static_cast<int>(random.below(3)), dict(dtype == Dtype::f32 ? "<f4" : "<f2", shape),
                    data_of(rows, dtype), align));
    const MappedVectors vectors(file.path, {}, pool);
    REQUIRE(vectors.rows() == count);
    REQUIRE(vectors.width() == width);
    nn::Memory block, one;
    for (int64_t r = 0; r < count; ++r) {
      const Row& row = rows[static_cast<size_t>(r)];
      const float* const numbers = vectors.block(r / kBlock, block) + r % kBlock * width;
      REQUIRE(std::equal(row.begin(), row.end(), numbers));
      REQUIRE(std::equal(row.begin(), row.end(), vectors.row(r, one)));
      REQUIRE(vectors.norms()[static_cast<size_t>(r)] == norm(row));
    }
  }
}

TEST_CASE("an f32 file has rows of the given width") {
  Pool pool(1);
  const TemporaryFile file(".f32", data_of({{1, 2, 3}, {4, 5, 6}}, Dtype::f32));
  const MappedVectors vectors(file.path, 3, pool);
  nn::Memory scratch;
  CHECK(vectors.rows() == 2);
  CHECK(vectors.row(1, scratch)[2] == 6);
  CHECK(MappedVectors(file.path, 2, pool).rows() == 3);
  const TemporaryFile empty(".f32", "");
  CHECK(MappedVectors(empty.path, 3, pool).rows() == 0);
}

TEST_CASE("files that are not such arrays are refused") {
  const std::string data = data_of({{1, 2}, {3, 4}}, Dtype::f32);
  CHECK(refusal(".npy", npy(1, dict("<f4", "(2, 2)"), data)).empty());
  CHECK(refusal(".npy", "") == "ends within its npy header");
  CHECK(refusal(".npy", "PK") == "is not an npy file");
  CHECK(refusal(".npy", npy(4, dict("<f4", "(2, 2)"), data)) ==
        "is an npy file of version 4, expected 1 to 3");
  CHECK(refusal(".npy", npy(1, dict("<f4", "(2, 2)"), data).substr(0, 40)) == "ends within its npy header");
  CHECK(refusal(".npy", npy(1, dict("<f8", "(2, 2)"), data)) ==
        "is an array of \"<f8\", expected \"<f4\" or \"<f2\" (float32 or float16)");
  CHECK(refusal(".npy", npy(1, dict(">f4", "(2, 2)"), data)).starts_with("is an array of \">f4\""));
  CHECK(refusal(".npy", npy(1, "{'descr': [('a', '<f4')], 'shape': (2,), }", data))
            .starts_with("is an array of \"a structure\""));
  CHECK(refusal(".npy", npy(1, dict("<f4", "(4,)"), data)) ==
        "is an array of 1 dimension, expected 2: one row for each vector");
  CHECK(refusal(".npy", npy(1, dict("<f4", "(1, 2, 2)"), data)).starts_with("is an array of 3 dimensions"));
  CHECK(refusal(".npy", npy(1, dict("<f4", "(2, 2)", "True"), data))
            .starts_with("is an array in Fortran order"));
  CHECK(refusal(".npy", npy(1, dict("<f4", "(2, 0)"), "")).starts_with("is an array of shape (2, 0)"));
  CHECK(refusal(".npy", npy(1, "{'shape': (2, 2)", data)) ==
        "is not a valid npy file: its header cannot be read");
  CHECK(refusal(".npy", npy(1, dict("<f4", "(3, 2)"), data)) ==
        "has 144 bytes, expected 152 for 3 rows of 2 numbers; it is incomplete or damaged");
  CHECK(refusal(".npy", npy(1, dict("<f4", "(2, 2)"), data), 3) == "has rows of 2 numbers, expected 3");
  CHECK(refusal(".f32", data) == "has no header, so --dim must give the number of numbers in a row");
  CHECK(refusal(".f32", data, 3) == "has 16 bytes, expected a multiple of 12 for rows of 3 numbers");
}

TEST_CASE("a number that is not finite is refused with the first row that has one") {
  std::vector<Row> rows(1000, Row(2, 1.0f));
  rows[999][0] = NAN;
  rows[437][1] = -INFINITY;
  rows[5][1] = 3e38f;  // finite, though its norm is not
  rows[5][0] = 3e38f;
  CHECK(refusal(".f32", data_of(rows, Dtype::f32), 2) == "row 437 has a number that is not finite");
  rows[437][1] = rows[999][0] = 0;
  CHECK(refusal(".f32", data_of(rows, Dtype::f32), 2).empty());
}

TEST_CASE("a search measures rows that were not, and refuses a number that is not finite") {
  Pool pool(2);
  Random random(3);
  std::vector<Row> rows(1000, Row(5));
  for (Row& row : rows)
    for (float& x : row) x = static_cast<float>(random.below(2000)) / 8 - 100;
  const TemporaryFile file(".f32", data_of(rows, Dtype::f32));
  const MappedVectors measured(file.path, 5, pool), unmeasured(file.path, 5);
  REQUIRE(unmeasured.norms().empty());
  const std::vector<const float*> queries = {rows[3].data(), rows[999].data()};
  for (const Metric metric : {Metric::cosine, Metric::dot, Metric::l2}) {
    ExactSearch expected(measured, metric, pool), search(unmeasured, metric, pool);
    for (int batch = 0; batch < 2; ++batch) {
      const auto want = expected.nearest(queries, 20), found = search.nearest(queries, 20);
      for (size_t q = 0; q < queries.size(); ++q)
        REQUIRE(std::ranges::equal(want[q], found[q], {}, &Neighbor::row, &Neighbor::row));
    }
  }
  rows[700][4] = rows[900][0] = NAN;
  const TemporaryFile bad("-bad.f32", data_of(rows, Dtype::f32));
  const MappedVectors vectors(bad.path, 5);
  ExactSearch search(vectors, Metric::cosine, pool);
  CHECK_THROWS_WITH(search.nearest(queries, 1),
                    (bad.path + ": row 700 has a number that is not finite").c_str());
}

TEST_CASE("selected rows are read by their new places, in blocks and one by one") {
  Random random(2);
  const auto rows = generated_rows(random, 1500, 5);
  const auto all = stored(rows, 5);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < 1500; ++i) {
    if (random.bernoulli(0.6)) places.push_back(i);
  }
  const SelectedVectors some(all, places);
  REQUIRE(some.rows() == static_cast<int64_t>(places.size()));
  nn::Memory block, one;
  for (int64_t r = 0; r < some.rows(); ++r) {
    const Row& row = rows[static_cast<size_t>(places[static_cast<size_t>(r)])];
    REQUIRE(std::equal(row.begin(), row.end(), some.block(r / kBlock, block) + r % kBlock * 5));
    REQUIRE(std::equal(row.begin(), row.end(), some.row(r, one)));
    REQUIRE(some.norms()[static_cast<size_t>(r)] == norm(row));
  }
}
