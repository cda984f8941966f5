#include "io/output_fields.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/record.h"

using namespace bert::io;

namespace {

// The records of JSON lines, passed through an Output.
Output output_of(Format format, Output::Rows wanted, std::string_view lines, const DropList& drop = {}) {
  static const Source source{.name = "x.jsonl", .format = InputFormat::jsonl, .columns = {}};
  constexpr uint64_t kAnyKeys = ~uint64_t{0};
  Output out(format, wanted);
  for (int64_t line = 1; !lines.empty(); lines.remove_prefix(lines.find('\n') + 1), ++line)
    out.record(Record(source, line, line - 1, lines.substr(0, lines.find('\n')), kAnyKeys), {}, drop);
  return out;
}

// What becomes of the lines, given in two parts, or the error message.
std::string written(Format format, std::vector<std::string> keep, const std::string& first,
                    const std::string& second = "") {
  try {
    OutputFields fields(format, std::move(keep));
    std::string out;
    for (const auto& lines : {first, second})
      for (const auto& unfit : fields.write(output_of(format, fields.wanted(), lines), OnError::stop, out))
        return unfit.message;
    fields.end(out);
    return out;
  } catch (const bert::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("--keep writes only the fields, in its order") {
  const auto jsonl = Format::jsonl;
  CHECK(written(jsonl, {"b", "a"}, "{\"a\":1,\"x\":[2, 3],\"b\":\"\\u00e9\"}\n", "{\"a\": {\"c\":1}}\n") ==
        "{\"b\":\"\\u00e9\",\"a\":1}\n{\"a\":{\"c\":1}}\n");
  CHECK(written(jsonl, {"none"}, "{\"a\":1}\n") == "{}\n");
}

TEST_CASE("a table has a header line and a row for each record") {
  CHECK(written(Format::tsv, {}, "{\"id\":7,\"text\":\"a\\tb\\nc\"}\n", "{\"id\":8,\"text\":\"d\"}\n") ==
        "id\ttext\n7\ta b c\n8\td\n");
  CHECK(written(Format::csv, {}, "{\"id\":7,\"text\":\"say \\\"a\\\", b\"}\n") ==
        "id,text\n7,\"say \"\"a\"\", b\"\n");
  CHECK(written(Format::tsv, {"text", "id"}, "{\"id\":7,\"text\":\"a\"}\n") == "text\tid\na\t7\n");
}

TEST_CASE("a missing field is an empty cell, a new one is an error") {
  CHECK(written(Format::tsv, {}, "{\"a\":1,\"b\":2}\n", "{\"a\":1}\n") == "a\tb\n1\t2\n1\t\n");
  CHECK(written(Format::tsv, {}, "{\"a\":1}\n", "{\"a\":1,\"b\":2}\n").find("\"b\"") != std::string::npos);
}

TEST_CASE("a table without records has a header if its columns are known") {
  CHECK(written(Format::csv, {"id", "text"}, "") == "id,text\n");
  CHECK(written(Format::csv, {}, "") == "");
}

TEST_CASE("each number of a vector has a column") {
  CHECK(written(Format::csv, {}, "{\"id\":1,\"embedding\":[0.5, -1]}\n", "{\"id\":2,\"embedding\":[2,3]}\n")
            .ends_with("\n1,0.5,-1\n2,2,3\n"));
}

TEST_CASE("each member of scores has a column, in the order of the first record") {
  CHECK(written(Format::csv, {}, "{\"id\":1,\"scores\":{\"a, b\":0.5,\"c\": 1}}\n",
                "{\"id\":2,\"scores\":{\"c\":3,\"a, "
                "b\":2}}\n{\"scores\":{\"c\":4}}\n{\"id\":5}\n{\"scores\":null}\n") ==
        "id,\"scores.a, b\",scores.c\n1,0.5,1\n2,2,3\n,,4\n5,,\n,,\n");
  CHECK(
      written(Format::tsv, {"scores", "id"}, "{\"id\":1,\"scores\":{\"a\\tb\":\"x\\ty\",\"c\":[1, 2]}}\n") ==
      "scores.a b\tscores.c\tid\nx y\t[1, 2]\t1\n");
  CHECK(written(Format::tsv, {}, "{\"scores\":[1,2]}\n{\"scores\":[1]}\n") == "scores\n[1,2]\n[1]\n");
  CHECK(written(Format::tsv, {}, "{\"scores\":{}}\n") == "scores\n{}\n");
  const std::string first = "{\"scores\":{\"a\":1}}\n";
  CHECK(written(Format::tsv, {}, first, "{\"scores\":{\"b\":1}}\n")
            .starts_with("x.jsonl:1: field \"scores\" has the member \"b\", "));
  CHECK(written(Format::tsv, {}, first, "{\"scores\":1}\n") ==
        "x.jsonl:1: field \"scores\" is not an object, as in the first record");
}

TEST_CASE("two columns of one name are an error") {
  CHECK(written(Format::csv, {}, "{\"scores.a\":1,\"scores\":{\"a\":1}}\n")
            .starts_with("the table would have two columns \"scores.a\""));
  CHECK(written(Format::csv, {}, "{\"embedding_1\":1,\"embedding\":[1,2]}\n")
            .starts_with("the table would have two columns \"embedding_1\""));
}

TEST_CASE("the only cell of a CSV row is quoted if it is empty, so that the row is not a blank line") {
  CHECK(written(Format::csv, {"a"}, "{\"a\":\"\"}\n{\"a\":null}\n{\"a\":1}\n{}\n") ==
        "a\n\"\"\n\"\"\n1\n\"\"\n");
  CHECK(written(Format::csv, {"a", "b"}, "{\"a\":\"\"}\n") == "a,b\n,\n");
  CHECK(written(Format::tsv, {"a"}, "{\"a\":\"\"}\n") == "a\n\n");
}

TEST_CASE("a part of a field can be kept, as a field of its own") {
  const std::string line = "{\"id\":1,\"scores\":{\"a.b\":0.5,\"c\": 1},\"embedding\":[0.5, -1],\"x_1\":2}\n";
  CHECK(written(Format::jsonl, {"scores.a.b", "id", "embedding_1", "x_1"}, line) ==
        "{\"scores.a.b\":0.5,\"id\":1,\"embedding_1\":-1,\"x_1\":2}\n");
  CHECK(written(Format::tsv, {"scores.c", "embedding_0"}, line, "{\"embedding\":[7]}\n") ==
        "scores.c\tembedding_0\n1\t0.5\n\t7\n");
  CHECK(written(Format::jsonl, {"embedding_2", "embedding_x", "scores_0", "id.a", "id_0"}, line) == "{}\n");
  CHECK(written(Format::jsonl, {"a_0"}, "{\"a\":[[1],2]}\n") == "{}\n");
}

namespace {

// With --drop.
std::string without(Format format, std::vector<std::string> names, const std::string& lines) {
  const DropList drop(std::move(names));
  OutputFields fields(format, {}, drop);
  const auto output = output_of(format, fields.wanted(), lines, drop);
  std::string out = output.written();
  for (const auto& unfit : fields.write(output, OnError::skip, out)) out += unfit.message + "\n";
  for (const auto& message : fields.unknown_names()) out += message + "\n";
  return out;
}

// With --keep: the messages at the end, or the error at the first record.
std::string unknown(std::vector<std::string> keep, const std::string& lines, bool uniform = false) {
  try {
    OutputFields fields(Format::jsonl, std::move(keep));
    fields.set_origin("a.csv", uniform ? OutputFields::Fields::alike : OutputFields::Fields::any,
                      OutputFields::Files::one);
    std::string messages;
    fields.write(output_of(Format::jsonl, fields.wanted(), lines), OnError::stop, messages);
    messages.clear();
    for (const auto& message : fields.unknown_names()) messages += message + "\n";
    return messages;
  } catch (const bert::Error& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace

TEST_CASE("a part of a field can be dropped, numbers of an array from tables only") {
  const std::string line = "{\"id\":1, \"scores\": {\"a\":0.5 , \"c\": 1},\"embedding\":[0.5, -1]}\n";
  CHECK(without(Format::jsonl, {"scores.a"}, line) ==
        "{\"id\":1, \"scores\": { \"c\": 1},\"embedding\":[0.5, -1]}\n");
  CHECK(without(Format::jsonl, {"scores.a", "scores.c"}, line + "{\"scores\":[]}\n") ==
        "{\"id\":1, \"scores\": {},\"embedding\":[0.5, -1]}\n{\"scores\":[]}\n");
  CHECK(without(Format::csv, {"scores.a", "embedding_1"}, line + line) ==
        "id,scores.c,embedding_0\n1,1,0.5\n1,1,0.5\n");
  CHECK(without(Format::jsonl, {"embedding_1"}, line).ends_with("; did you mean \"embedding\"?\n"));
}

TEST_CASE("a part of any object or array of numbers can be dropped from a table") {
  const std::string line = "{\"m\":{\"k\":1,\"j\":2},\"v\":[1, 2 ,3]}\n";
  CHECK(without(Format::csv, {"m.k", "v_1"}, line) == "m,v_0,v_2\n\"{\"\"j\"\":2}\",1,3\n");
  CHECK(without(Format::tsv, {"m.k", "v_0", "v_1", "v_2"}, line) == "m\n{\"j\":2}\n");
  CHECK(without(Format::csv, {"v_1"}, "{\"v\":[1,2]}\n{\"v\":[1]}\n{\"v\":[3,4]}\n") ==
        "v_0\n1\n3\nx.jsonl:2: field \"v\" has 1 number, expected 2 as in the first record\n");
  CHECK(without(Format::tsv, {"v_01"}, line).ends_with("no record has the field \"v_01\"\n"));
}

TEST_CASE("of a record that does not fit a table, no row is written; those before it are") {
  static const Source source{.name = "x.jsonl", .format = InputFormat::jsonl, .columns = {}};
  const auto write = [](OnError on_error) {
    Output output(Format::csv, Output::Rows::all);
    const auto add = [&](int64_t line, std::string_view raw) {
      output.record(Record(source, line, line - 1, raw), {});
    };
    add(1, "{\"a\":1}");
    add(2, "{\"a\":2}");  // a record with two rows
    add(2, "{\"a\":2,\"b\":2}");
    add(2, "{\"a\":2}");
    add(3, "{\"a\":3}");
    OutputFields fields(Format::csv, {});
    std::string out;
    const auto unfit = fields.write(output, on_error, out);
    REQUIRE(unfit.size() == 1);
    CHECK(unfit.front().place == 1);
    CHECK(unfit.front().message.starts_with("x.jsonl:2: has the field \"b\", "));
    return out;
  };
  CHECK(write(OnError::skip) == "a\n1\n3\n");
  CHECK(write(OnError::stop) == "a\n1\n");
}

TEST_CASE("each of several tables must have the kept names") {
  using Fields = OutputFields::Fields;
  OutputFields fields(Format::jsonl, {"text", "id"});
  std::string out;
  const auto write = [&](const std::string& file, Fields alike, const std::string& lines) {
    fields.set_origin(file, alike, OutputFields::Files::several);
    fields.write(output_of(Format::jsonl, fields.wanted(), lines), OnError::stop, out);
  };
  write("a.csv", Fields::alike, "{\"id\":1,\"text\":\"a\"}\n");
  write("a.csv", Fields::alike, "{\"id\":2,\"text\":\"b\"}\n");
  write("b.jsonl", Fields::any, "{\"text\":\"c\"}\n");
  write("c.csv", Fields::alike, "");
  CHECK_THROWS_WITH(write("c.csv", Fields::alike, "{\"ID\":1,\"text\":\"d\"}\n"),
                    "c.csv: --keep: no record has the field \"id\"; did you mean \"ID\"?");
  CHECK(out == "{\"text\":\"a\",\"id\":1}\n{\"text\":\"b\",\"id\":2}\n{\"text\":\"c\"}\n");
}

TEST_CASE("a kept name that no record has is reported, at the first record if it has the fields of all") {
  CHECK(unknown({"txt", "b"}, "{\"text\":1}\n{\"b\":1}\n") ==
        "--keep: no record has the field \"txt\"; did you mean \"text\"?\n");
  CHECK(unknown({"b", "txt"}, "{\"text\":1}\n{\"b\":1}\n", true) ==
        "error: --keep: no record has the field \"b\"");
  CHECK(unknown({"scores.b"}, "{\"scores\":{\"a\":1}}\n", true) ==
        "error: --keep: no record has the field \"scores.b\"; did you mean \"scores.a\"?");
  CHECK(unknown({"truncated"}, "{\"text\":1}\n", true).empty());
  CHECK(unknown({"txt"}, "").empty());
}
