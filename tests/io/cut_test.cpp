// Texts cut at lines and paragraphs, and where they are.
#include <doctest/doctest.h>

#include "io/pull_reader.h"
#include "io/stream_run.h"

using namespace bert::io;

namespace {

struct Piece {
  std::string text;
  int64_t first, last, begin, end;
  bool operator==(const Piece&) const = default;
};

class Collect final : public Filter {
 public:
  void prepare(const Fields& fields, Record& record) const override {
    auto work = std::make_unique<Text>();
    work->text = fields.required_text("text");
    record.work = std::move(work);
  }
  int64_t cost(const Record&) const override { return 1; }
  void compute(std::span<Record* const> records) override {
    for (const Record* record : records) {
      const auto& [end_line, begin, end] = record->location();
      pieces.push_back({record->work_as<Text>().text, record->line(), end_line, begin.value(), end.value()});
    }
  }
  void finish(Record&, Output&) const override {}

  std::vector<Piece> pieces;

 private:
  struct Text : Work {
    std::string text;
  };
};

std::vector<Piece> cut(InputFormat format, std::string_view bytes, const std::string& name = "x.md",
                       size_t chunk_bytes = 1 << 16) {
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write(name, bytes)};
  options.cut = format;
  options.chunk_bytes = chunk_bytes;
  Collect collect;
  const auto ran = run_and_catch(options, 2, collect);
  REQUIRE(ran.failure.empty());
  return collect.pieces;
}

size_t characters(std::string_view text) { return bert::json::count_code_points(text); }

}  // namespace

TEST_CASE("lines are cut with their numbers and characters, blank ones left out") {
  const auto pieces = cut(InputFormat::text, "\xc3\xa4\n\n  \r\nb\xe4\xb8\xad\r\nc");
  CHECK(pieces ==
        std::vector<Piece>{{"\xc3\xa4", 1, 1, 0, 1}, {"b\xe4\xb8\xad", 4, 4, 7, 9}, {"c", 5, 5, 11, 12}});
}

TEST_CASE("a byte order mark is no character") {
  CHECK(cut(InputFormat::text,
            "\xef\xbb\xbf"
            "a\n") == std::vector<Piece>{{"a", 1, 1, 0, 1}});
}

TEST_CASE("paragraphs keep their line ends") {
  const auto pieces = cut(InputFormat::passages, "\n\na\nb\n \n\nc\r\nd\r\n");
  CHECK(pieces == std::vector<Piece>{{"a\nb", 3, 4, 2, 5}, {"c\r\nd", 7, 8, 9, 13}});
}

TEST_CASE("headings of Markdown begin a passage, with the paragraph after them") {
  const auto texts = [](std::string_view bytes, const std::string& name) {
    std::string texts;
    for (const auto& piece : cut(InputFormat::passages, bytes, name)) texts += piece.text + "|";
    return texts;
  };
  const std::string bytes =
      "# A\n\n## B\n\na\n# C\nb\n\nc\n```\n# no heading\n\n# nor this\n```\n#hash\n# D\n\n";
  CHECK(texts(bytes, "x.md") == "# A\n\n## B\n\na|# C\nb|c\n```\n# no heading|# nor this\n```\n#hash|# D|");
  CHECK(texts(bytes, "x.sh") == "# A|## B|a\n# C\nb|c\n```\n# no heading|# nor this\n```\n#hash\n# D|");
}

TEST_CASE("a fence of code is closed by one like it") {
  const auto count = [](std::string_view fences) {
    return cut(InputFormat::passages, "a\n" + std::string(fences) + "\n# B\n", "x.md").size();
  };
  for (const auto* closed :
       {"```\n```", "````\n```\n````", "~~~ `a`\n```\n~~~~", "  ```c\n  ```  ", "```a```", "``"})
    CHECK(count(closed) == 2);
  for (const auto* open : {"```", "````\n```", "```\n~~~", "```\n``` c", "~~~\n```"}) CHECK(count(open) == 1);
}

TEST_CASE("a file is one piece, and none if it is blank") {
  CHECK(cut(InputFormat::file, "a\n\nb\n") == std::vector<Piece>{{"a\n\nb\n", 1, 3, 0, 5}});
  CHECK(cut(InputFormat::file, " \n\n").empty());
  CHECK(cut(InputFormat::passages, "").empty());
}

TEST_CASE("any number of blank lines may follow a heading, with bounded memory") {
  const auto pieces = cut(InputFormat::passages, "# A\n" + std::string(300'000, '\n') + "b\n", "x.md");
  CHECK(pieces == std::vector<Piece>{{"# A", 1, 1, 0, 3}, {"b", 300'002, 300'002, 300'004, 300'005}});
}

TEST_CASE("a passage without a blank line is divided, with bounded memory") {
  std::string bytes;
  while (bytes.size() < 300'000) bytes += "some words without an end\n";
  const auto pieces = cut(InputFormat::passages, bytes);
  REQUIRE(pieces.size() == 5);
  std::string joined;
  for (const auto& piece : pieces) {
    CHECK(piece.text.size() <= 64 << 10);
    joined += piece.text + "\n";
  }
  CHECK(joined == bytes);
}

TEST_CASE("the files of a folder are read one by one, with the places of their records") {
  const TemporaryDirectory directory;
  directory.write("a.md", "\xc3\xa4\n\nb\nc\n\n# d\n\ne\n");
  directory.write("b", std::string_view("\0", 1));
  directory.write("c.jsonl", "{\"text\":\"x\"}\n");
  std::vector<std::string> left_out, found;
  StreamOptions options;
  options.cut = InputFormat::passages;
  options.found = true;
  options.note = options.detail = [&](const std::string& message) { left_out.push_back(message); };
  RawRecordReader parser(InvalidUtf8::error, OnError::stop);
  FolderWalk walk(directory / "", {}, options.note);
  while (const auto file = walk.next()) {
    options.files = {*file};
    PullReader reader(options);
    RawRecord raw;
    while (reader.next(raw)) {
      parser.read(raw, [&](const Fields& fields, const Record& record) {
        const auto& place = record.location();
        found.push_back(std::string(*fields.text("text")) + " " + std::to_string(record.line()) + "-" +
                        std::to_string(place.end_line) + " " + std::to_string(place.begin.value_or(-1)) +
                        "-" + std::to_string(place.end.value_or(-1)));
      });
    }
  }
  CHECK(found ==
        std::vector<std::string>{"\xc3\xa4 1-1 0-1", "b\nc 3-4 3-6", "# d\n\ne 6-8 8-14", "x 1-1 -1--1"});
  REQUIRE(left_out.size() == 1);
  CHECK(left_out[0] == directory / "b" + ": is not text: byte 0 is NUL");
  options.files = {directory / "gone"};
  RawRecord raw;
  CHECK(!PullReader(options).next(raw));
  CHECK(left_out.size() == 2);
}

TEST_CASE("places are those of the bytes, in chunks of any size") {
  std::mt19937 random(1);
  const std::vector<std::string> parts = {"a",  "\xc3\xa4", "\xf0\x9f\x98\x80", "\n", "\n\n", "\r\n", " ",
                                          "# ", "word "};
  for (int i = 0; i < 300; ++i) {
    std::string bytes;
    for (size_t n = random() % 200; n > 0; --n) bytes += parts[random() % parts.size()];
    for (const auto format : {InputFormat::text, InputFormat::passages, InputFormat::file}) {
      const auto pieces = cut(format, bytes, "x.md", 1 + random() % 64);
      size_t covered = 0;
      for (const auto& [text, first, last, begin, end] : pieces) {
        size_t at = 0;
        for (int64_t c = 0; c < begin || (at < bytes.size() && characters(bytes.substr(at, 1)) == 0); ++at)
          c += static_cast<int64_t>(characters(bytes.substr(at, 1)));
        INFO(bytes);
        REQUIRE(bytes.substr(at, text.size()) == text);
        REQUIRE(end - begin == static_cast<int64_t>(characters(text)));
        const auto inner = text.substr(0, text.size() - (text.ends_with('\n') ? 1 : 0));
        REQUIRE(last == first + std::ranges::count(inner, '\n'));
        REQUIRE(at >= covered);
        REQUIRE(bytes.substr(covered, at - covered).find_first_not_of(" \r\n") == std::string::npos);
        covered = at + text.size();
      }
      REQUIRE(bytes.substr(covered).find_first_not_of(" \r\n") == std::string::npos);
    }
  }
}
