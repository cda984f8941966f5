#include "io/output.h"

#include <doctest/doctest.h>

#include "io/stream_run.h"

using namespace bert;
using namespace bert::io;

namespace {

// Adds the given fields and writes each record `times` times.
class AddingFilter : public Filter {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;
  AddingFilter(Texts fields, std::vector<std::string> drop, int times = 1)
      : fields_(std::move(fields)), times_(times), drop_(std::move(drop)) {}
  void prepare(const Fields&, Record&) const override {}
  void finish(Record& record, Output& out) const override {
    Added added;
    for (int i = 0; i < times_; ++i) {
      added.clear();
      for (const auto& [name, value] : fields_) added.field(name) += value;
      out.record(record, added, drop_);
    }
  }

 private:
  Texts fields_;
  int times_;
  DropList drop_;
};

std::string written(const std::string& line, AddingFilter::Texts added, std::vector<std::string> drop = {},
                    InputFormat format = InputFormat::jsonl) {
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("in", line)};
  options.input_format = format;
  AddingFilter filter(std::move(added), std::move(drop));
  const Ran ran = run_and_catch(options, 1, filter);
  return ran.failed ? ran.failure.substr(options.files[0].size()) : ran.out;
}

}  // namespace

TEST_CASE("a JSON record is copied unchanged up to its closing brace") {
  CHECK(written("{\"a\": 1 }\n", {}) == "{\"a\": 1 }\n");
  CHECK(written("  {\"a\": 1 }  \r\n", {{"b", "2"}}) == "  {\"a\": 1 ,\"b\":2}\n");
  CHECK(written("{ }", {{"b", "2"}}) == "{ \"b\":2}\n");
  CHECK(written("{}", {}) == "{}\n");
  CHECK(written("{\"\\u00e4\":\"\\/\",\"n\":1.50e+01}", {{"b", "\"x\""}}) ==
        "{\"\\u00e4\":\"\\/\",\"n\":1.50e+01,\"b\":\"x\"}\n");
  CHECK(written("{\"big\":123456789012345678901234567890}", {{"b", "2"}}) ==
        "{\"big\":123456789012345678901234567890,\"b\":2}\n");
}

TEST_CASE("an added field replaces a field of the same name") {
  CHECK(written("{\"a\" : [1,{\"a\":2}] , \"b\":3}", {{"a", "0"}, {"c", "4"}}) ==
        "{\"a\" : 0 , \"b\":3,\"c\":4}\n");
  CHECK(written("{\"x\":1,\"\\u0061\":\"}\\\"\"}", {{"a", "0"}}) == "{\"x\":1,\"\\u0061\":0}\n");
  CHECK(written("{\"a\":1,\"b\":2,\"a\":3}", {{"a", "0"}}) == ":1: field \"a\" appears twice");
}

TEST_CASE("a dropped field is removed with exactly one comma") {
  const std::string line = "{\"a\":1,\"b\":[2,3],\"c\":\"x\"}";
  CHECK(written(line, {}, {"a"}) == "{\"b\":[2,3],\"c\":\"x\"}\n");
  CHECK(written(line, {}, {"b"}) == "{\"a\":1,\"c\":\"x\"}\n");
  CHECK(written(line, {}, {"c"}) == "{\"a\":1,\"b\":[2,3]}\n");
  CHECK(written(line, {{"d", "4"}}, {"a", "b", "c"}) == "{\"d\":4}\n");
  CHECK(written(line, {{"d", "4"}}, {"d", "none"}) == line + "\n");
  CHECK(written("{\"a\":1,\"b\":2,\"a\":3}", {}, {"a"}) == "{\"b\":2}\n");
}

TEST_CASE("a field that is dropped or added takes the columns of its parts with it") {
  const std::string line = "{\"scores.a\":1,\"embedding_0\":2,\"embedding_x\":3,\"scores\":4,\"m.k\":5}";
  CHECK(written(line, {}, {"scores", "m"}) == "{\"embedding_0\":2,\"embedding_x\":3,\"m.k\":5}\n");
  CHECK(written("{\"scores.a\":1,\"x\":2}", {}, {"scores"}) == "{\"x\":2}\n");
  CHECK(written("{\"embedding_12\":1,\"x\":2}", {{"embedding", "[3]"}}) == "{\"x\":2,\"embedding\":[3]}\n");
  CHECK(written("scores.a\tscores.b\tx\n1\t2\t3\n", {}, {"scores"}, InputFormat::tsv) == "{\"x\":\"3\"}\n");
}

TEST_CASE("text and TSV become objects of strings") {
  CHECK(written("a\tb\n", {{"x", "1"}}, {}, InputFormat::text) == "{\"text\":\"a\\tb\",\"x\":1}\n");
  CHECK(written("text\tid\na \"b\"\t7\n", {{"x", "1"}}, {}, InputFormat::tsv) ==
        "{\"text\":\"a \\\"b\\\"\",\"id\":\"7\",\"x\":1}\n");
  CHECK(written("text\tid\na\t7\n", {{"id", "1"}}, {"text"}, InputFormat::tsv) == "{\"id\":1}\n");
  CHECK(written("text\tid\na\t7\tb\n", {}, {}, InputFormat::tsv) == ":2: has 3 columns, expected 2");
  CHECK(written("text\tid\n\n", {}, {}, InputFormat::tsv) == ":2: has 1 column, expected 2");
}

TEST_CASE("a record can be written several times") {
  const TemporaryDirectory directory;
  StreamOptions options;
  options.files = {directory.write("in", "a\nb\n")};
  AddingFilter filter({{"x", "1"}}, {}, 2);
  const Ran ran = run_and_catch(options, 2, filter);
  CHECK(ran.out ==
        "{\"text\":\"a\",\"x\":1}\n{\"text\":\"a\",\"x\":1}\n{\"text\":\"b\",\"x\":1}\n{\"text\":\"b\",\"x\":"
        "1}\n");
  CHECK(ran.result.records == 2);
}

TEST_CASE("the fields of a record are those of its JSON, with plain text in the cells of a table") {
  const Source source{.name = "x.csv", .format = InputFormat::csv, .columns = {"text", "", "id"}};
  const Record record(source, 7, 0, "a\"b\xff\xff 3");
  Added added;
  added.integer("id", 4);
  added.boolean("truncated", true);
  Output out(Format::tsv, Output::Rows::all);
  out.record(record, added);
  CHECK(out.written().empty());
  REQUIRE(out.rows() == 1);
  const auto fields = out.row_at(0);
  CHECK(fields.line == 7);
  REQUIRE(fields.size() == 3);
  CHECK((fields.name(0) == "text" && fields.value(0) == "a\"b" && fields.is_plain(0)));
  CHECK((fields.name(1) == "id" && fields.value(1) == "4" && !fields.is_plain(1)));
  CHECK((fields.name(2) == "truncated" && fields.value(2) == "true"));
}

TEST_CASE("what was written after a mark can be removed") {
  for (const auto wanted : {Output::Rows::first, Output::Rows::all}) {
    Output out(Format::jsonl, wanted);
    Added fields;
    fields.integer("a", 1);
    const auto begin = out.mark();
    out.object(fields);
    out.remove_after(begin);
    CHECK(out.empty());
    out.object(fields);
    out.object(fields);
    CHECK(out.rows() == (wanted == Output::Rows::all ? 2 : 1));
    CHECK(out.written() == (wanted == Output::Rows::all ? "" : "{\"a\":1}\n{\"a\":1}\n"));
  }
}

TEST_CASE("fields that give way to others are known, unless an earlier run may have written them") {
  const Source table{.name = "x.csv", .format = InputFormat::csv, .columns = {"text", "score", "window"}};
  const Source lines{.name = "x.jsonl", .format = InputFormat::jsonl};
  const auto lost = [](const Source& source, const std::string& raw, bool stale) {
    uint64_t keys = 0;
    for (const auto* name : {"score", "prediction", "rank", "input_ids"})
      if (raw.find(name) != std::string::npos) keys |= json::key_bit(name);
    const Record record(source, 7, 0, raw, keys);
    Added added;
    for (const auto* name : {"prediction", "score", "input_ids"}) added.integer(name, 1);
    constexpr std::string_view kStale[] = {"rank"};
    std::string names;
    for (const auto wanted : {Output::Rows::none, Output::Rows::all}) {
      Output out(Format::jsonl, wanted);
      out.record(record, added, stale ? with_stale(DropList{}, kStale, added) : DropList({"rank"}));
      out.record(record, added);  // each once
      std::string found;
      for (const auto& field : out.lost())
        found += (field.is_column ? "column " : "") + field.name + (field.is_replaced ? " " : "- ");
      CHECK((names.empty() || names == found));
      names = found;
    }
    return names;
  };
  CHECK(lost(table,
             "a\xff"
             "3\xff"
             "4",
             true) == "column score ");
  CHECK(lost(lines, R"({"text":"a","score":3})", true) == "score ");
  CHECK(lost(lines, R"({"text":"a","prediction":2,"score":3,"input_ids":[1]})", true).empty());
  CHECK(lost(lines, R"({"text":"a","score":3,"rank":4})", true) == "score rank- ");
  CHECK(lost(lines, R"({"text":"a","score":3,"rank":4})", false) == "score ");
  CHECK(lost(lines, R"({"text":"a","input_ids":[1]})", true).empty());
}
