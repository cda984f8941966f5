#include "search/codes.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>

#include "base/error.h"
#include "brute_force.h"
#include "search/code_search.h"

using namespace bert;
using namespace bert::search;

namespace {

constexpr Metric kMetrics[] = {Metric::cosine, Metric::dot, Metric::l2};
constexpr Codes::Kind kKinds[] = {Codes::Kind::int8, Codes::Kind::sign};

// A file of rows, and a name for their codes.
struct Files {
  Files() {
    static int count = 0;
    const auto name = "codes_test-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
    rows = (std::filesystem::temp_directory_path() / (name + ".f32")).string();
    codes = rows + ".codes";
  }
  ~Files() {
    std::remove(rows.c_str());
    std::remove(codes.c_str());
  }
  void write(const std::vector<Row>& all) const {
    std::ofstream file(rows, std::ios::binary);
    for (const Row& row : all)
      file.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(4 * row.size()));
  }
  std::string rows, codes;
};

// As generated_rows, without sizes that f32 can hardly hold; half of them of unit length.
std::vector<Row> usual_rows(Random& random, int64_t count, int64_t width) {
  std::vector<Row> rows;
  const bool unit = random.bernoulli(0.5);
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0 && random.bernoulli(0.2)) {
      rows.push_back(rows[random.below(static_cast<uint32_t>(i))]);
      continue;
    }
    Row row(static_cast<size_t>(width));
    double square = 0;
    for (float& x : row) {
      x = static_cast<float>(2 * random.uniform() - 0.7);
      square += static_cast<double>(x) * static_cast<double>(x);
    }
    if (unit)
      for (float& x : row) x = static_cast<float>(static_cast<double>(x) / std::sqrt(square));
    if (!unit && random.bernoulli(0.1)) std::ranges::fill(row, 0.0f);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::vector<double>> directions(const std::vector<Row>& rows) {
  std::vector<std::vector<double>> all;
  for (const Row& row : rows) {
    double square = 0;
    for (const float x : row) square += static_cast<double>(x) * static_cast<double>(x);
    auto& direction = all.emplace_back(row.begin(), row.end());
    for (double& x : direction) x = square > 0 ? x / std::sqrt(square) : 0;
  }
  return all;
}

std::vector<std::vector<int>> all_codes(const Codes& codes) {
  std::vector<std::vector<int>> all;
  std::vector<uint8_t> scratch;
  for (int64_t i = 0; i < codes.rows(); ++i) {
    const uint8_t* const row = codes.block(i / kBlock, scratch) + i % kBlock * codes.depth();
    all.emplace_back(row, row + codes.depth());
  }
  return all;
}

// One query at a time, from the definitions.
std::vector<Neighbor> slow_search(const Codes& codes, const std::vector<std::vector<int>>& rows_codes,
                                  Metric metric, const Row& query, const std::vector<Row>& rows,
                                  const std::vector<int64_t>& searched, size_t candidates, Wanted wanted) {
  double largest = 0, base = 0;
  for (size_t d = 0; d < query.size(); ++d) {
    largest =
        std::max(largest, std::abs(static_cast<double>(query[d]) * static_cast<double>(codes.step()[d])));
    base += static_cast<double>(query[d]) * static_cast<double>(codes.low()[d]);
  }
  const double inverse = largest > 0 ? (codes.most() == 1 ? 127 : 64) / largest : 1;
  std::vector<std::pair<float, size_t>> scores;
  for (size_t place = 0; place < searched.size(); ++place) {
    const auto row = static_cast<size_t>(searched[place]);
    int64_t sum = 0;
    for (size_t d = 0; d < query.size(); ++d)
      sum += std::lrint(static_cast<double>(query[d]) * static_cast<double>(codes.step()[d]) * inverse) *
             rows_codes[row][d];
    const bool by_norms = !codes.norms().empty() && metric != Metric::cosine;
    const float norm = by_norms ? codes.norms()[row] : 1;
    float score = norm * (static_cast<float>(sum) + (by_norms ? static_cast<float>(base * inverse) : 0));
    if (by_norms && metric == Metric::l2) score -= norm * norm / 2 * static_cast<float>(inverse);
    scores.emplace_back(score, place);
  }
  std::ranges::stable_sort(scores, [](const auto& a, const auto& b) { return a.first > b.first; });
  scores.resize(std::min(scores.size(), candidates));
  std::vector<Neighbor> best;
  for (const auto& [score, place] : scores) {
    const double value = value_of(metric, query, rows[static_cast<size_t>(searched[place])].data());
    if (value >= wanted.least) best.push_back({.row = static_cast<int64_t>(place), .value = value});
  }
  std::ranges::sort(best, [](const Neighbor& a, const Neighbor& b) { return a.before(b); });
  if (std::ssize(best) > wanted.count) best.resize(static_cast<size_t>(wanted.count));
  return best;
}

std::vector<const float*> pointers(const std::vector<Row>& rows) {
  std::vector<const float*> pointers;
  for (const Row& row : rows) pointers.push_back(row.data());
  return pointers;
}

}  // namespace

TEST_CASE("a code is the nearest level of a row's direction, and norms are kept unless they are 1") {
  Pool pool(3);
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const int64_t width = 1 + random.below(40), count = 1 + random.below(i % 10 == 0 ? 1000 : 20);
    const auto rows = usual_rows(random, count, width);
    const auto exact = directions(rows);
    const Files files;
    files.write(rows);
    const MappedVectors vectors(files.rows, width);
    for (const auto kind : kKinds) {
      {
        OutputFile file(files.codes);
        Codes::write(file, vectors, kind, pool);
      }
      const Codes codes(files.codes);
      const auto coded = all_codes(codes);
      for (size_t d = 0; d < static_cast<size_t>(width); ++d) {
        double least = INFINITY, most = -INFINITY, sum = 0, squares = 0;
        for (const auto& direction : exact) {
          least = std::min(least, direction[d]);
          most = std::max(most, direction[d]);
          sum += direction[d];
        }
        const double mean = sum / static_cast<double>(count);
        for (const auto& direction : exact) squares += (direction[d] - mean) * (direction[d] - mean);
        const double deviation = std::sqrt(squares / static_cast<double>(count) * 2 / std::numbers::pi);
        const bool is_sign = kind == Codes::Kind::sign;
        const auto low = static_cast<double>(codes.low()[d]), step = static_cast<double>(codes.step()[d]);
        REQUIRE(std::abs(low - (is_sign ? mean - deviation : least)) < 1e-6);
        REQUIRE(std::abs(step - (is_sign ? 2 * deviation : (most - least) / 255)) < 1e-6);
        if (step < 1e-6) continue;
        for (size_t row = 0; row < rows.size(); ++row) {
          const double nearest = std::clamp((exact[row][d] - low) / step, 0.0, is_sign ? 1.0 : 255.0);
          REQUIRE(std::abs(coded[row][d] - nearest) < 0.5 + 1e-3);
        }
      }
      for (const auto& row : coded)
        for (size_t d = static_cast<size_t>(width); d < row.size(); ++d) REQUIRE(row[d] == 0);
      std::remove(files.codes.c_str());
    }
  }
}

TEST_CASE("a search takes the best rows by their codes, and orders them by their exact values") {
  Pool pool(3), one(1);
  Log log("test", Log::Level::quiet);
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const int64_t width = 1 + random.below(i % 20 == 0 ? 400 : 40);
    const int64_t count = 1 + random.below(i % 10 == 0 ? 1200 : 60);
    const auto rows = usual_rows(random, count, width);
    auto queries = usual_rows(random, 1 + random.below(i % 10 == 1 ? 300 : 12), width);
    if (random.bernoulli(0.5)) queries.front() = rows.front();
    std::vector<int64_t> searched;
    const bool all = random.bernoulli(0.6);
    for (int64_t row = 0; row < count; ++row)
      if (all || random.bernoulli(0.4)) searched.push_back(row);
    const auto* const some = all ? nullptr : &searched;
    const Files files;
    files.write(rows);
    const MappedVectors vectors(files.rows, width);
    const Metric metric = kMetrics[random.below(3)];
    const CodeOptions options = {
        .path = files.codes, .kind = kKinds[random.below(2)], .candidates = 1 + random.below(30)};
    const Wanted wanted(1 + random.below(20),
                        random.bernoulli(0.3) ? (metric == Metric::l2 ? -0.5 : 0.3) : -INFINITY);
    CodeSearch search(vectors, some, metric, options, pool, log);
    const auto found = search.nearest(pointers(queries), wanted);
    const Codes codes(files.codes);
    const auto coded = all_codes(codes);
    CodeSearch alone(vectors, some, metric, options, one, log);
    for (size_t q = 0; q < queries.size(); ++q) {
      const auto expected =
          slow_search(codes, coded, metric, queries[q], rows, searched,
                      static_cast<size_t>(std::max(*options.candidates, wanted.count)), wanted);
      const auto single = alone.nearest(std::vector{pointers(queries)[q]}, wanted).front();
      INFO("query ", q, " of ", queries.size(), ", ", count, " rows, width ", width, ", ", name_of(metric));
      REQUIRE(found[q].size() == expected.size());
      REQUIRE(single.size() == expected.size());
      for (size_t j = 0; j < expected.size(); ++j) {
        REQUIRE(found[q][j].row == expected[j].row);
        REQUIRE(found[q][j].value == expected[j].value);
        REQUIRE(single[j].row == expected[j].row);
      }
    }
  }
}

TEST_CASE("codes are vectors, too, near those that they were made from") {
  Pool pool(2);
  Log log("test", Log::Level::quiet);
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    const int64_t width = 1 + random.below(40), count = 2 + random.below(800);
    const auto rows = usual_rows(random, count, width);
    const Files files, coded;
    files.write(rows);
    const MappedVectors vectors(files.rows, width);
    for (const auto kind : kKinds) {
      CodeSearch search(vectors, nullptr, Metric::dot, {.path = files.codes, .kind = kind}, pool, log);
      const CodedVectors near(files.codes, pool);
      REQUIRE(near.rows() == count);
      const Codes codes(files.codes);
      const auto all = all_codes(codes);
      nn::Memory scratch, other;
      for (size_t row = 0; row < rows.size(); ++row) {
        const float* const numbers = near.row(static_cast<int64_t>(row), scratch);
        const float* const same = near.block(static_cast<int64_t>(row) / kBlock, other) +
                                  static_cast<int64_t>(row) % kBlock * width;
        const double norm = codes.norms().empty() ? 1 : static_cast<double>(codes.norms()[row]);
        for (size_t d = 0; d < static_cast<size_t>(width); ++d) {
          const double level =
              static_cast<double>(codes.low()[d]) + static_cast<double>(codes.step()[d]) * all[row][d];
          REQUIRE(std::abs(static_cast<double>(numbers[d]) - norm * level) <= 1e-5 * (1 + norm));
          REQUIRE(numbers[d] == same[d]);
          if (kind == Codes::Kind::int8)
            REQUIRE(std::abs(static_cast<double>(numbers[d] - rows[row][d])) <= 0.01 * (1e-3 + norm));
        }
      }
      // Codes of codes
      CodeSearch again(near, nullptr, Metric::cosine,
                       {.path = coded.codes, .kind = Codes::Kind::sign, .candidates = count}, pool, log);
      const auto found = again.nearest(std::vector{rows.front().data()}, 3).front();
      const auto exact =
          ExactSearch(near, Metric::cosine, pool).nearest(std::vector{rows.front().data()}, 3).front();
      for (size_t j = 0; j < exact.size(); ++j) REQUIRE(found[j].row == exact[j].row);
      std::remove(files.codes.c_str());
      std::remove(coded.codes.c_str());
    }
  }
}

TEST_CASE("most neighbors are found by bytes, and many by bits") {
  Pool pool(2);
  Log log("test", Log::Level::quiet);
  Random random(3);
  const auto rows = usual_rows(random, 3000, 64), queries = usual_rows(random, 100, 64);
  const Files files;
  files.write(rows);
  const MappedVectors vectors(files.rows, 64, pool);
  for (const Metric metric : kMetrics) {
    const auto exact = ExactSearch(vectors, metric, pool).nearest(pointers(queries), 10);
    for (const auto kind : kKinds) {
      const CodeOptions options = {.path = files.codes, .kind = kind, .candidates = 100};
      const auto found =
          CodeSearch(vectors, nullptr, metric, options, pool, log).nearest(pointers(queries), 10);
      size_t hits = 0;
      for (size_t q = 0; q < queries.size(); ++q)
        for (const Neighbor& neighbor : found[q]) hits += neighbor.value >= exact[q].back().value;
      CHECK(hits > (kind == Codes::Kind::int8 ? 990 : 650));
      std::remove(files.codes.c_str());
    }
  }
}

TEST_CASE("codes are those of one state of the vectors") {
  Pool pool(2);
  Log log("test", Log::Level::quiet);
  Random random(4);
  auto rows = usual_rows(random, 50, 8);
  const Files files;
  const auto read = [&](Codes::Kind kind = Codes::Kind::int8) {
    const MappedVectors vectors(files.rows, 8);
    const CodeSearch search(vectors, nullptr, Metric::cosine, {.path = files.codes, .kind = kind}, pool, log);
  };
  files.write(rows);
  read();
  CHECK_NOTHROW(read());
  CHECK_THROWS_AS(read(Codes::Kind::sign), Error);
  std::filesystem::last_write_time(files.rows, std::filesystem::file_time_type::clock::now());
  CHECK_NOTHROW(read());  // the same contents
  rows.back().back() += 1;
  files.write(rows);
  CHECK_THROWS_AS(read(), Error);
  std::remove(files.codes.c_str());
  rows.back().back() = NAN;
  files.write(rows);
  CHECK_THROWS_AS(read(), Error);
  CHECK(!std::filesystem::exists(files.codes));
}
