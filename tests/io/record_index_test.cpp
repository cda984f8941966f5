// Random access to records, and FILEs that change meanwhile. pull_reader_test.cpp checks that the records
// match those of the stream.
#include "io/record_index.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "io/stream_run.h"

using namespace bert;
using namespace bert::io;

namespace {

StreamOptions options_of(std::vector<std::string> files) {
  StreamOptions options;
  options.files = std::move(files);
  return options;
}

std::string text_of(const RecordIndex& index, int64_t i) {
  const auto raw = index.read(i);
  return raw.bytes.substr(0, raw.size());
}

std::string changed(const std::string& name) {
  return name + ": has changed during the run; FILEs must not change until the end";
}

// Overwrites in place, as an editor or `>` does.
void overwrite(const std::string& name, std::string_view bytes) {
  // File timestamps have a resolution of a few milliseconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::ofstream(name, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("records can be read in any order with their original line and position") {
  const TemporaryDirectory directory;
  auto options =
      options_of({directory.write("a", "one\r\n\ntwo"), directory.write("b.jsonl", "\xef\xbb\xbf\n{}\n"),
                  directory.write("c.tsv", "text\nx\ny"), directory.write("d", "")});
  options.first_record = 10;
  const RecordIndex index(options);
  REQUIRE(index.size() == 6);
  CHECK(index.bytes() == 9 + 7 + 8);
  const std::vector<std::string> texts{"one", "", "two", "{}", "x", "y"};
  const std::vector<int64_t> lines{1, 2, 3, 2, 2, 3};
  for (const int64_t i : {5, 0, 3, 1, 4, 2, 2, 5}) {
    const auto raw = index.read(i);
    CHECK(text_of(index, i) == texts[static_cast<size_t>(i)]);
    CHECK(raw.line == lines[static_cast<size_t>(i)]);
    CHECK(raw.place == 10 + i);
    CHECK(raw.source->name == options.files[i < 3 ? 0 : i < 4 ? 1 : 2]);
  }
}

TEST_CASE("records converted from a FILE are stored in a temporary file") {
  const TemporaryDirectory directory;
  const auto article = [](const std::string& context, const std::string& id) {
    return R"({"paragraphs":[{"context":")" + context + R"(","qas":[{"id":")" + id + R"("},{"id":"z"}]}]})";
  };
  const auto name =
      directory.write("a.json", R"({"data":[)" + article("x", "1") + ",\n" + article("y", "2") + "]}");
  const auto other = directory.write("b.json", R"({"data":[)" + article("long", "3") + "]}");
  auto options = options_of({name, other});
  options.input_format = InputFormat::squad;
  for (const size_t chunk_records : {1, 3, 100}) {
    options.chunk_records = chunk_records;
    const RecordIndex index(options);
    REQUIRE(index.size() == 6);
    CHECK(text_of(index, 4) == R"({"id":"3","context":"long"})");
    CHECK(text_of(index, 2) == R"({"id":"2","context":"y"})");
    CHECK(text_of(index, 0) == R"({"id":"1","context":"x"})");
    CHECK(text_of(index, 5) == R"({"id":"z","context":"long"})");
    CHECK(index.read(3).line == 2);
    CHECK(index.read(3).source->name == name);
    index.will_read(1);
  }
}

TEST_CASE("only regular files can be read again") {
  const TemporaryDirectory directory;
  const auto file = directory.write("a", "x\n");
  const Fifo fifo(directory / "fifo", "", 1, 1);
  CHECK(can_read_again({file, file}));
  CHECK(!can_read_again({}));
  CHECK(!can_read_again({file, "-"}));
  CHECK(!can_read_again({directory / "fifo", file}));
  CHECK_THROWS_WITH_AS(can_read_again({directory / "b"}),
                       (directory / "b: No such file or directory").c_str(), Error);
}

TEST_CASE("a changed FILE is an error") {
  const TemporaryDirectory directory;
  const auto name = directory.write("a", "one\ntwo\nthree\n");
  for (const std::string bytes : {"one\ntwo\n", "", "one\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\n"}) {
    overwrite(name, "one\ntwo\nthree\n");
    const RecordIndex index(options_of({name}));
    CHECK(text_of(index, 2) == "three");
    overwrite(name, bytes);
    CHECK_THROWS_WITH_AS(index.read(2), changed(name).c_str(), Error);
    CHECK_THROWS_WITH_AS(index.read(0), changed(name).c_str(), Error);
  }
}

TEST_CASE("a replaced or unlinked FILE is still read with its old content") {
  const TemporaryDirectory directory;
  const auto name = directory.write("a", "one\ntwo\n");
  const RecordIndex index(options_of({name}));
  std::filesystem::rename(directory.write("new", "three\nfour\n"), name);
  CHECK(text_of(index, 1) == "two");
  std::filesystem::remove(name);
  CHECK(text_of(index, 0) == "one");
}

TEST_CASE("FILEs beyond the limit of open files are reopened for each record and checked for changes") {
  const TemporaryDirectory directory;
  StreamOptions options;
  for (int i = 0; i < 600; ++i)
    options.files.push_back(directory.write(std::to_string(i), "text " + std::to_string(i) + "\n"));
  const RecordIndex index(options);
  for (const int64_t i : {0, 255, 256, 599}) CHECK(text_of(index, i) == "text " + std::to_string(i));
  const auto& last = options.files.back();
  std::filesystem::rename(directory.write("new", "text 599\n"), last);
  CHECK_THROWS_WITH_AS(index.read(599), changed(last).c_str(), Error);
  std::filesystem::remove(last);
  CHECK_THROWS_WITH_AS(index.read(599), (last + ": No such file or directory").c_str(), Error);
  CHECK(text_of(index, 598) == "text 598");
}

TEST_CASE("records that are near each other can be read together") {
  const TemporaryDirectory directory;
  const auto name = directory.write("a", "one\n\ntwo\n" + std::string(1 << 17, 'x') + "\nthree\nfour");
  const RecordIndex index(options_of({name, directory.write("b", "five\nsix\n")}));
  std::vector<size_t> runs;
  int64_t i = 0;
  while (i < index.size() - 1) {
    const auto some = index.read_some(i, index.size() - 1);
    runs.push_back(some.size());
    for (const auto& record : some) {
      const auto alone = index.read(i++);
      CHECK(record.bytes == alone.bytes);
      CHECK(record.line == alone.line);
      CHECK(record.place == alone.place);
      CHECK(record.source == alone.source);
    }
  }
  CHECK(i == index.size() - 1);
  CHECK(runs == std::vector<size_t>{3, 1, 2, 1});
}

TEST_CASE("a mark belongs to one record") {
  const TemporaryDirectory directory;
  RecordIndex index(options_of({directory.write("a", "one\ntwo\n")}));
  index.mark_bad(1);
  CHECK(!index.is_bad(0));
  CHECK(index.is_bad(1));
  CHECK(text_of(index, 1) == "two");
}
