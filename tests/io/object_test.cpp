// FILEs that hold one JSON object each, and tools that detect a FILE's format from its content.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "io/pull_reader.h"

namespace bert::io {
namespace {

class Files {
 public:
  Files() : folder_(std::filesystem::temp_directory_path() / ("bert-object-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name) << bytes;
    return folder_ / name;
  }

 private:
  std::filesystem::path folder_;
};

// "key=value" for each member of each record.
std::string read(const StreamOptions& options) {
  PullReader reader(options);
  RawRecordReader records(InvalidUtf8::error, OnError::stop);
  std::string seen;
  for (RawRecord raw; reader.next(raw);) {
    records.read(raw, [&](const Fields& fields, const Record& record) {
      seen += std::to_string(record.line()) + ":";
      for (const auto& [key, value] : fields.members())
        seen += " " + std::string(key) + "=" + std::string(value.string());
      if (const auto text = fields.text("text"); fields.members().empty() && text) seen += std::string(*text);
      seen += "\n";
    });
  }
  return seen;
}

TEST_CASE("a FILE can be one JSON object on several lines") {
  const Files files;
  const auto name = files.write("one.json", "{\n  \"a\": \"1\",\n\n  \"b\": \"2\"\n}\n");
  CHECK(read({.files = {name, name}, .input_format = InputFormat::object}) == "1: a=1 b=2\n1: a=1 b=2\n");
  CHECK_THROWS_WITH_AS(
      read({.files = {files.write("two.json", "{}\n{}\n")}, .input_format = InputFormat::object}),
      doctest::Contains("two.json:1: not valid JSON"), Error);
}

TEST_CASE("content detection overrides the suffix but not --input-format") {
  const Files files;
  const auto name = files.write("one.json", "{\"a\":\n\"1\"}");
  StreamOptions options{.files = {name}};
  options.recognize = [](Input& input) {
    while (input.unread().size() < 5 && input.read_more()) {
    }
    return input.unread().starts_with("{\"a\":") ? std::optional(InputFormat::object) : std::nullopt;
  };
  CHECK(read(options) == "1: a=1\n");
  options.files = {files.write("other.json", "{\"b\":\"2\"}\n{\"c\":\"3\"}")};
  CHECK(read(options) == "1: b=2\n2: c=3\n");
  options.files = {name};
  options.input_format = InputFormat::text;
  CHECK(read(options) == "1:{\"a\":\n2:\"1\"}\n");
}

}  // namespace
}  // namespace bert::io
