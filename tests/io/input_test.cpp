// The contract for FILEs and their formats, one statement after another.
#include <doctest/doctest.h>

#include <algorithm>

#include "io/stream_run.h"

using namespace bert;
using namespace bert::io;

namespace {

// Each record of `bytes` as "LINE:PLACE:RAW|", or the error message without the directory.
class RawFilter : public Filter {
 public:
  void prepare(const Fields&, Record&) const override {}
  void finish(Record& record, Output& output) const override {
    std::string& out = output.text();
    out += std::to_string(record.line()) + ":" + std::to_string(record.place()) + ":";
    std::string raw(record.raw());
    std::ranges::replace(raw, kCellEnd, ';');
    out += raw;
    out += '|';
  }
};

std::string records_of(const std::string& bytes, InputFormat format, const std::string& name = "in",
                       StreamOptions options = {}) {
  const TemporaryDirectory directory;
  options.files = {directory.write(name, bytes)};
  options.input_format = format;
  RawFilter filter;
  const Ran ran = run_and_catch(options, 2, filter);
  return ran.failed ? ran.failure.substr((directory / "").size()) : ran.out;
}

}  // namespace

TEST_CASE("text: each line is a record, also an empty one and a last one without a newline") {
  const auto text = InputFormat::text;
  CHECK(records_of("", text) == "");
  CHECK(records_of("a\n\n b \nlast", text) == "1:0:a|2:1:|3:2: b |4:3:last|");
  CHECK(records_of("\xef\xbb\xbf\xef\xbb\xbf\r\nb\r\r\n", text) == "1:0:\xef\xbb\xbf|2:1:b\r|");
  CHECK(records_of(std::string("a\0b\n", 4), text) == std::string("1:0:a\0b|", 8));
}

TEST_CASE("paragraphs: blank lines separate records; newlines inside become spaces") {
  CHECK(records_of(" \n\na\r\nb\n\f\n\n\nc\n", InputFormat::paragraphs) == "3:0:a b|8:1:c|");
  CHECK(records_of("\n \n", InputFormat::paragraphs) == "");
}

TEST_CASE("file: each FILE is one record, even an empty one") {
  CHECK(records_of("a\r\nb\n", InputFormat::file) == "1:0:a\r\nb\n|");
  CHECK(records_of("", InputFormat::file) == "1:0:|");
}

TEST_CASE("jsonl: blank lines count as lines but not as records") {
  CHECK(records_of("\n{}\n \f\r\n{ }", InputFormat::jsonl) == "2:0:{}|4:1:{ }|");
}

TEST_CASE("tsv: the header line or --columns names the columns") {
  CHECK(records_of("a\tb\n1\t\n", InputFormat::tsv) == "2:0:1\t|");
  StreamOptions options;
  options.columns = {"a", "b"};
  CHECK(records_of("a\tb\n1\t\n", InputFormat::tsv, "in", options) == "1:0:a\tb|2:1:1\t|");
  CHECK(records_of("a\ta\n", InputFormat::tsv) == "in:1: column \"a\" appears twice; give one another name");
  CHECK(records_of("a\xff\n", InputFormat::tsv) ==
        "in:1: byte 0xff at offset 1 is not valid UTF-8; for Windows or Latin-1 text, use --encoding "
        "windows-1252");
}

TEST_CASE("csv: cells may be quoted and contain line ends") {
  const auto csv = InputFormat::csv;
  CHECK(records_of("a,b\n1,\n", csv) == "2:0:1;|");
  CHECK(records_of("\xef\xbb\xbf"
                   "a,b\r\n1,\"x\r\ny\"\r\n2,z",
                   csv) == "2:0:1;x\r\ny|4:1:2;z|");
  CHECK(records_of("\"a\nb\",c\n1,2\n", csv) == "3:0:1;2|");
  CHECK(records_of("a,\"b\n", csv) == "in:1: a quote is not closed");
  CHECK(records_of("a,b\n1,\"2\n3,4\n", csv).starts_with("in:2: a quote is not closed"));
  CHECK(records_of("a,b\n1,2,3\n", csv).starts_with("in:2: "));
  StreamOptions options;
  options.columns = {"a", "b"};
  CHECK(records_of("1,2\n", csv, "in", options) == "1:0:1;2|");
}

TEST_CASE("auto detects tables by --columns or a header line with the text field") {
  const auto automatic = InputFormat::automatic;
  StreamOptions options;
  options.columns = {"a", "b"};
  CHECK(records_of("x\ty\n", automatic, "in", options) == "1:0:x\ty|");
  CHECK(records_of("id\ttext\n1\ta\n", automatic) == "2:0:1\ta|");
  CHECK(records_of("id,text\n1,a\n", automatic) == "2:0:1;a|");
  CHECK(records_of("1,a\n", automatic, "in.csv") == "");
  CHECK(records_of("the text, which\n", automatic) == "1:0:the text, which|");
  CHECK(records_of("text\n", automatic) == "1:0:text|");
}

TEST_CASE("auto detects CoNLL and SQuAD where the tool reads them") {
  const auto automatic = InputFormat::automatic;
  const std::string conll = "EU NNP B-ORG\nrejects VBZ O\n", squad = "{\"data\": [{\"paragraphs\": []}]}";
  CHECK(records_of(conll, automatic) == "1:0:EU NNP B-ORG|2:1:rejects VBZ O|");
  StreamOptions options;
  options.more = {InputFormat::conll, InputFormat::squad};
  CHECK(records_of(conll, automatic, "in.txt", options).starts_with("1:0:{\"words\":[\"EU\",\"rejects\"]"));
  CHECK(records_of("-DOCSTART- -X- O\n\n" + conll, automatic, "in", options).find("\"EU\"") !=
        std::string::npos);
  CHECK(records_of("A ballad in O\nand a line\n", automatic, "in", options) ==
        "1:0:A ballad in O|2:1:and a line|");
  CHECK(records_of("{\"data\": [1]}", automatic, "in", options) == "1:0:{\"data\": [1]}|");
}

TEST_CASE("damaged compressed input is an error of its FILE") {
  CHECK(records_of("\x1f\x8b\x08", InputFormat::text).starts_with("in: cannot be decompressed: gzip"));
}

TEST_CASE("auto uses the suffix, else the first non-white byte") {
  const auto automatic = InputFormat::automatic;
  CHECK(records_of("a\tb\n1\t2\n", automatic, "in.tsv") == "2:0:1\t2|");
  CHECK(records_of("{", automatic, "in.txt") == "1:0:{|");
  CHECK(records_of("\n{}", automatic, "in.jsonl") == "2:0:{}|");
  CHECK(records_of("x", automatic, "in.json").starts_with("in.json:1: not valid JSON"));
  CHECK(records_of("x", automatic, "in.conll") == "1:0:{\"words\":[\"x\"]}|");
  CHECK(records_of("\xef\xbb\xbf \f\n{}", automatic) == "2:0:{}|");
  CHECK(records_of("\n\nx", automatic) == "1:0:|2:1:|3:2:x|");
  CHECK(records_of("[MASK]", automatic) == "1:0:[MASK]|");
  CHECK(records_of("[", automatic) == "1:0:[|");
}

TEST_CASE("input that looks like another format is rejected with advice") {
  for (const auto* name : {"in", "in.json", "in.jsonl"}) {
    CHECK(records_of(" [\n {}]", InputFormat::automatic, name) ==
          name + std::string(": is one JSON array; convert it to one record per line with jq -c '.[]'"));
  }
  const auto said = records_of("{x}\n", InputFormat::automatic);
  CHECK(said.starts_with("in:1: not valid JSON at column "));
  CHECK(said.ends_with("; text that begins with \"{\" needs --input-format text"));
}

TEST_CASE("a JSON record must be an object") {
  CHECK(records_of("[1]", InputFormat::jsonl) == "in:1: is an array, expected an object");
  CHECK(records_of("null", InputFormat::jsonl) == "in:1: is null, expected an object");
}

TEST_CASE("positions continue across FILEs and count bad records") {
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("a", "x\n\xff\n"), directory.write("b", ""),
                   directory.write("c.jsonl", "\n{}\n")};
  options.on_error = OnError::skip;
  options.first_record = 5;
  RawFilter filter;
  const Ran ran = run_and_catch(options, 2, filter);
  CHECK(ran.out == "1:5:x|2:7:{}|");
  CHECK(ran.result.skipped == 1);
}

TEST_CASE("an unreadable FILE is reported before any record is read") {
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("a", "x\n"), directory / "b"};
  RawFilter filter;
  const Ran missing = run_and_catch(options, 1, filter);
  CHECK(missing.failure == directory / "b: No such file or directory");
  CHECK(missing.out == "");
  options.files[1] = directory / "";
  const Ran is_directory = run_and_catch(options, 1, filter);
  CHECK(is_directory.failure.starts_with(directory / ": is a directory; name its files"));
  CHECK(is_directory.out == "");
}

TEST_CASE("an error in compute ends the stream with that error") {
  class FailingFilter : public RawFilter {
   public:
    int64_t cost(const Record&) const override { return 1; }
    void compute(std::span<Record* const>) override { throw Error("no memory for the network"); }
  };
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("a", std::string(100000, '\n'))};
  for (const int threads : {1, 3}) {
    FailingFilter filter;
    CHECK(run_and_catch(options, threads, filter).failure == "no memory for the network");
  }
}

TEST_CASE("end writes after the records") {
  class EndingFilter : public RawFilter {
   public:
    void end(Output& out) override { out.text() += ">"; }
  };
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("a", "x\n")};
  EndingFilter filter;
  CHECK(run_and_catch(options, 2, filter).out == "1:0:x|>");
}

TEST_CASE("the number of records includes bad ones, and is not known if the stream stops at one") {
  class CountingFilter : public RawFilter {
   public:
    void all_read(int64_t records) override { count = records; }
    bool release(Ending, Output&) override {
      released_after = count;
      return false;
    }
    int64_t count = -1, released_after = -1;
  };
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("a", "{}\nbad\n{}\n"), directory.write("b", "{}\nbad\n")};
  options.input_format = InputFormat::jsonl;
  for (const auto policy : {OnError::skip, OnError::stop}) {
    options.on_error = policy;
    CountingFilter filter;
    (void)run_and_catch(options, 2, filter);
    CHECK(filter.count == (policy == OnError::skip ? 5 : -1));
    CHECK(filter.released_after == filter.count);
  }
}
