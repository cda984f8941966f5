#include "io/conll.h"

#include <doctest/doctest.h>

#include "io/record_index.h"
#include "io/record_reader.h"
#include "io/stream_run.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::io;

namespace {

// Each record as "LINE:PLACE:JSON\n".
class RawFilter : public Filter {
 public:
  void prepare(const Fields&, Record&) const override {}
  void finish(Record& record, Output& output) const override {
    std::string& out = output.text();
    out += std::to_string(record.line()) + ":" + std::to_string(record.place()) + ":";
    out.append(record.raw()) += '\n';
  }
};

struct Read {
  std::string records;
  std::vector<std::string> messages;  // of bad records, or of the failure that ended the run
};

Read read(const std::string& bytes, StreamOptions options = {}, int threads = 2) {
  const TemporaryDirectory directory;
  options.files = {directory.write("x.conll", bytes)};
  RawFilter filter;
  const Ran ran = run_and_catch(options, threads, filter);
  Read read = {.records = ran.out, .messages = {}};
  std::istringstream lines(ran.messages + (ran.failed ? "test: " + ran.failure + "\n" : ""));
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find("x.conll"); at != line.npos) read.messages.push_back(line.substr(at));
  return read;
}

std::string records_of(const std::string& bytes) {
  const auto found = read(bytes);
  return found.records + (found.messages.empty() ? "" : found.messages.front());
}

struct Sentence {
  std::string record, message;  // exactly one is set
  size_t line = 0;              // the first line of the sentence
};

using Columns = std::vector<std::string>;

bool has_tag(const Columns& line) { return line.size() > 1 && (line.back() == "O" || line.back() == "B-X"); }

// Whether the line, before the first word of a sentence, is a comment of several words or of one.
bool is_comment(const Columns& line, const std::vector<Columns>& lines, std::string_view separator) {
  if (line.front() != "#" || line.size() == 1 || separator != " ") return false;
  const auto row = std::ranges::find_if(lines, [](const Columns& other) {
    return !other.empty() && other.front() != "-DOCSTART-" && (other.front() != "#" || has_tag(other));
  });
  if (row == lines.end()) return line.size() > 3 && !has_tag(line);
  return line.size() != row->size() || (has_tag(*row) && !has_tag(line));
}

// The sentences of a file given as split lines, parsed line by line.
std::vector<Sentence> slow_sentences(const std::vector<Columns>& lines, std::string_view separator) {
  std::vector<Sentence> sentences;
  std::vector<std::vector<std::string>> words;
  Sentence open;
  const auto end = [&] {
    if (words.empty()) return;
    std::string tags;
    for (const auto& columns : words) {
      open.record += (open.record.empty() ? "{\"words\":[\"" : ",\"") + columns.front() + '"';
      tags += (tags.empty() ? "],\"tags\":[\"" : ",\"") + columns.back() + '"';
    }
    open.record += (words.front().size() > 1 ? tags : "") + "]}";
    if (!open.message.empty()) open.record.clear();
    sentences.push_back(open);
    open = {};
    words.clear();
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto& columns = lines[i];
    const bool document = !columns.empty() && columns.front() == "-DOCSTART-";
    if (columns.empty() || document) {
      end();
      continue;
    }
    if (words.empty() && columns.size() == 4 && columns[2] == "=") continue;  // "# id = 3"
    if (words.empty() && is_comment(columns, lines, separator)) continue;
    if (words.empty()) open.line = i + 1;
    words.push_back(columns);
    const auto count = std::to_string(columns.size()), expected = std::to_string(words.front().size());
    if (count != expected && open.message.empty())
      open.message = "x.conll:" + std::to_string(i + 1) + ": has " + count +
                     (count == "1" ? " column" : " columns") + ", expected " + expected +
                     " as in the first line of the sentence";
  }
  end();
  return sentences;
}

}  // namespace

TEST_CASE("a sentence becomes a record with its first and last columns") {
  CHECK(records_of("EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\nPeter NNP B-NP B-PER\n") ==
        "1:0:{\"words\":[\"EU\",\"rejects\"],\"tags\":[\"B-ORG\",\"O\"]}\n"
        "4:1:{\"words\":[\"Peter\"],\"tags\":[\"B-PER\"]}\n");
  CHECK(records_of("a\tO\r\nb \t O\r\n \r\nc O") ==
        "1:0:{\"words\":[\"a\",\"b\"],\"tags\":[\"O\",\"O\"]}\n4:1:{\"words\":[\"c\"],\"tags\":[\"O\"]}\n");
  CHECK(records_of("a\nb\n\n\n\nc\n") == "1:0:{\"words\":[\"a\",\"b\"]}\n6:1:{\"words\":[\"c\"]}\n");
  CHECK(records_of("\xef\xbb\xbf\n\" \\ O\n") == "2:0:{\"words\":[\"\\\"\"],\"tags\":[\"O\"]}\n");
  CHECK(records_of("\n\n") == "x.conll: has no records");
  CHECK(records_of("") == "x.conll: has no records");
}

TEST_CASE("a -DOCSTART- line is not a word and ends the sentence before it") {
  CHECK(records_of("-DOCSTART- -X- -X- O\n\na O\n-DOCSTART-\nb O\n-DOCSTART-x O\n") ==
        "3:0:{\"words\":[\"a\"],\"tags\":[\"O\"]}\n5:1:{\"words\":[\"b\",\"-DOCSTART-x\"],\"tags\":[\"O\","
        "\"O\"]}\n");
  CHECK(records_of("-DOCSTART- -X- O\n") == "x.conll: has no records");
}

TEST_CASE("comments before a sentence are skipped; the word # is kept") {
  CHECK(records_of("# id = 1\n# text = # a\n#\tO\na\tO\n\n# O\nb O\n") ==
        "3:0:{\"words\":[\"#\",\"a\"],\"tags\":[\"O\",\"O\"]}\n"
        "6:1:{\"words\":[\"#\",\"b\"],\"tags\":[\"O\",\"O\"]}\n");
  CHECK(records_of("# the dev set\n# O\na O\n") == "2:0:{\"words\":[\"#\",\"a\"],\"tags\":[\"O\",\"O\"]}\n");
  CHECK(records_of("# SYM\na NOUN\n\n# a b c\n") ==
        "1:0:{\"words\":[\"#\",\"a\"],\"tags\":[\"SYM\",\"NOUN\"]}\n");
  CHECK(records_of("# SYM\na O\n") == "2:0:{\"words\":[\"a\"],\"tags\":[\"O\"]}\n");
  CHECK(records_of("# a b c\n# id = 5\n") == "x.conll: has no records");
  CHECK(records_of("# id = 5\n\n# id = 6") == "x.conll: has no records");
}

TEST_CASE("an invalid line is reported, and only its sentence is skipped") {
  const std::string bytes = "a O\n\nb X O\nc O\nd\n\ne O\nf \xff\n\ng O\n";
  CHECK(
      read(bytes).messages ==
      std::vector<std::string>{"x.conll:4: has 2 columns, expected 3 as in the first line of the sentence"});
  CHECK(read(bytes).records == "1:0:{\"words\":[\"a\"],\"tags\":[\"O\"]}\n");
  const auto skipped = read(bytes, {.on_error = OnError::skip});
  CHECK(skipped.records ==
        "1:0:{\"words\":[\"a\"],\"tags\":[\"O\"]}\n10:3:{\"words\":[\"g\"],\"tags\":[\"O\"]}\n");
  CHECK(skipped.messages ==
        std::vector<std::string>{"x.conll:4: has 2 columns, expected 3 as in the first line of the sentence",
                                 "x.conll:8: byte 0xff at offset 2 is not valid UTF-8; for Windows or "
                                 "Latin-1 text, use --encoding windows-1252"});
  const auto mended = read(bytes, {.on_error = OnError::skip, .invalid_utf8 = InvalidUtf8::replace});
  CHECK(mended.records.find("{\"words\":[\"e\",\"f\"],\"tags\":[\"O\",\"\xef\xbf\xbd\"]}") !=
        std::string::npos);
}

TEST_CASE("records match the slow reader, for any chunk size and through an index") {
  std::mt19937 random(11);
  const std::vector<std::string> subwords{"a", "#", "O", "B-X", "\xc3\xa4", "-DOCSTART", "-X-", "xy"};
  for (int round = 0; round < tried(400); ++round) {
    std::vector<std::vector<std::string>> lines(random() % 30);
    std::string bytes;
    size_t expected_columns = 2;
    const std::string separator = random() % 2 == 0 ? "\t " : " ";
    for (auto& columns : lines) {
      const auto kind = random() % 12;
      if (kind == 0) columns = {"-DOCSTART-", "-X-"};
      if (kind == 1) columns = {"#", "id", "=", "3"};
      if (kind < 4) expected_columns = 1 + random() % 3;
      const size_t count = kind == 4 ? 1 + random() % 3 : expected_columns;
      if (kind > 3)
        for (size_t i = 0; i < count; ++i) columns.push_back(subwords[random() % subwords.size()]);
      for (size_t i = 0; i < columns.size(); ++i)
        bytes += (i == 0 ? "" : kind != 1 ? separator : " ") + columns[i];
      bytes += random() % 5 == 0 ? "\r\n" : "\n";
    }
    if (!lines.empty() && !lines.back().empty() && random() % 3 == 0)
      bytes.erase(bytes.find_last_not_of("\r\n") + 1);
    Read expected;
    std::vector<std::string> records;
    for (const auto& sentence : slow_sentences(lines, separator)) {
      const auto place = std::to_string(records.size());
      records.push_back(sentence.record);
      if (sentence.message.empty()) {
        expected.records += std::to_string(sentence.line) + ":" + place + ":" + sentence.record + "\n";
      } else {
        expected.messages.push_back(sentence.message);
      }
    }
    if (records.empty()) expected.messages.emplace_back("x.conll: has no records");
    CAPTURE(bytes);
    StreamOptions options = {.on_error = OnError::skip};
    options.chunk_bytes = 1 + random() % 100;
    const auto found = read(bytes, options, 1 + static_cast<int>(random() % 3));
    REQUIRE(found.records == expected.records);
    REQUIRE(found.messages == expected.messages);

    const TemporaryDirectory directory;
    options.files = {directory.write("x.conll", bytes)};
    const RecordIndex index(options);
    REQUIRE(index.size() == static_cast<int64_t>(records.size()));
    RawRecordReader reader(InvalidUtf8::error, OnError::skip);
    for (int64_t i = index.size(); i-- > 0;) {
      auto raw = index.read(i);
      std::string seen;
      reader.read(raw, [&](const Fields&, const Record& record) { seen = record.raw(); });
      REQUIRE(seen == records[static_cast<size_t>(i)]);
    }
  }
}

TEST_CASE("IOB1 is converted to BIO; other tags are unchanged") {
  using Names = std::vector<std::string>;
  const auto bio = [](const std::vector<std::string_view>& tags) { return bio_of(tags); };
  CHECK(bio({"V", "I", "I"}) == Names{"V", "I", "I"});  // parts of speech
  CHECK(bio({"I-PER", "I-PER", "B-PER", "I-PER", "O", "I-PER", "I-LOC"}) ==
        Names{"B-PER", "I-PER", "B-PER", "I-PER", "O", "B-PER", "B-LOC"});
  CHECK(bio({"B-PER", "I-PER", "O", "B-LOC", "B-LOC"}) == Names{"B-PER", "I-PER", "O", "B-LOC", "B-LOC"});
  CHECK(bio({"I", "I", "O", "I", "B", "I"}) == Names{"B", "I", "O", "B", "B", "I"});
  CHECK(bio({"NN", "IN", "S-PER", "B-PER", "I-PER", "E-PER"}) ==
        Names{"NN", "IN", "S-PER", "B-PER", "I-PER", "E-PER"});
  CHECK(bio({}).empty());
}
