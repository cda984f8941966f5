#include "io/conll_lines.h"

#include <doctest/doctest.h>

#include <random>

#include "io/stream_run.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::io;

namespace {

// Tags each word with T. Sentences that begin with "bad" are refused when they are read, and those that begin
// with "late" when they are written.
class Tagging : public Filter {
 public:
  void prepare(const Fields& fields, Record&) const override {
    if (fields.strings("words").front() == "bad") throw Error("is bad");
  }
  void finish(Record& record, Output& output) const override {
    const auto& sentence = record.lines()->sentence;
    const std::vector<std::string_view> tags(std::ranges::count(sentence, '\n') + 1, "T");
    append_tagged(output.text(), sentence, tags, record.source().conll);
    if (sentence.starts_with("late") || sentence.starts_with("1\tlate")) throw Error("is late");
  }
};

struct Written {
  std::string file, expected;
};

// A file of CoNLL or CoNLL-U, and what is written of it.
Written random_file(std::mt19937& random, bool universal) {
  const auto one_in = [&](int n) { return random() % n == 0; };
  const std::string end = one_in(3) ? "\r\n" : "\n", separator = one_in(2) ? " " : "\t";
  Written file;
  const auto add = [&](const std::string& line, const std::string& tagged) {
    file.file += line + end;
    file.expected += tagged + end;
  };
  const auto same = [&](const std::string& line) { add(line, line); };
  for (size_t sentences = random() % 20; sentences > 0; --sentences) {
    for (size_t blank = one_in(4) ? random() % 4 : 0; blank > 0; --blank) same(one_in(2) ? "" : " \t");
    if (one_in(6) && universal) same("# newdoc id = a");
    if (one_in(6) && !universal)
      add("-DOCSTART-" + separator + "O", "-DOCSTART-" + separator + "O" + separator + "O");
    if (one_in(8) && !universal) same("-DOCSTART-");
    const bool left_out = one_in(5);
    auto kept = file.expected;
    for (size_t comments = random() % 3; comments > 0; --comments) same("# id = 7");
    const std::string first = !left_out ? "of" : one_in(2) ? "bad" : "late";
    const size_t words = 1 + random() % 4;
    for (size_t w = 1; w <= words; ++w) {
      const std::string word = w == 1 ? first : one_in(3) ? "a\"b" : "king", id = std::to_string(w);
      if (!universal) {
        const auto row = word + separator + "X" + separator + "O";
        add(row + (one_in(4) ? " " : ""), row + separator + "T");
        continue;
      }
      const std::string before = "_\tNOUN\t", after = "_\t0\troot\t_\tSpaceAfter=No";
      if (one_in(4) && w > 1) same(id + "-9\tthe king\t" + before + "_\t" + after);
      add(id + "\t" + word + "\t" + before + "X\t" + after, id + "\t" + word + "\t" + before + "T\t" + after);
      if (one_in(4)) same(id + ".1\t_\t" + before + "_\t" + after);
      if (one_in(4)) same("# inside");
    }
    const bool document = !universal && one_in(8);  // ends the sentence, too
    if (!document) same("");
    if (left_out) file.expected = std::move(kept);
    if (document) same("-DOCSTART-");
  }
  if (one_in(4)) same("# the end = here");
  return file;
}

std::string written(StreamOptions options, int threads, std::string_view bytes) {
  const TemporaryDirectory directory;
  options.files = {directory.write("x.conll", bytes)};
  options.format = Format::conll;
  options.on_error = OnError::skip;
  Tagging filter;
  const Ran ran = run_and_catch(options, threads, filter);
  CHECK_MESSAGE(!ran.failed, ran.failure);
  return ran.out;
}

std::string of_text(std::string_view bytes) {
  return written({.input_format = InputFormat::conll}, 1, bytes);
}

}  // namespace

TEST_CASE("all lines of CoNLL and CoNLL-U are written back, whatever the chunks") {
  std::mt19937 random(20);
  for (int i = 0; i < tried(1500); ++i) {
    const bool universal = random() % 2 == 0;
    const auto made = random_file(random, universal);
    const std::string &file = made.file, &expected = made.expected;
    StreamOptions options = {.input_format = universal ? InputFormat::conllu : InputFormat::conll};
    if (universal) options.tag_column = ConllColumn{.index = 4};
    options.more = {InputFormat::conll, InputFormat::conllu};
    options.chunk_bytes = 1 + random() % 300;
    options.chunk_records = 1 + random() % 5;
    if (random() % 2 == 0) options.context_words = static_cast<int64_t>(random() % 30);
    CAPTURE(file);
    CHECK(written(options, 1 + static_cast<int>(random() % 3), file) == expected);
  }
}

TEST_CASE("the last sentence of CoNLL gets its line end and a blank line") {
  CHECK(of_text("a O") == "a O T\n\n");
  CHECK(of_text("a O\n") == "a O T\n\n");
  CHECK(of_text("a O\n\n") == "a O T\n\n");
  CHECK(of_text("a O\n ") == "a O T\n \n");
  CHECK(of_text("a O\r\n") == "a O T\r\n\r\n");
  CHECK(of_text("a O\r\nb O") == "a O T\r\nb O T\r\n\r\n");
  CHECK(of_text("a O\n\n\n-DOCSTART-") == "a O T\n\n\n-DOCSTART-\n");
  CHECK(of_text("\n# x = y") == "\n# x = y\n");
  CHECK(of_text("") == "");
}

TEST_CASE("a comment of any length is written back") {
  const auto comments = "# " + std::string(3 << 20, '=') + "\n# a = b\n";
  CHECK((of_text("a O\n\n" + comments + "b O\n") == "a O T\n\n" + comments + "b O T\n\n"));
}

TEST_CASE("a key in MISC is replaced, or added unless the tag is O") {
  const auto tagged = [](std::string_view misc, std::string_view tag = "B-X") {
    ConllColumns columns;
    columns.set_names(conllu_names());
    columns.take_tag({.name = "misc:ner"});
    const std::string row = "1\ta\t_\t_\t_\t_\t0\t_\t_\t";
    std::string out;
    const std::vector<std::string_view> tags = {tag};
    append_tagged(out, row + std::string(misc), tags, columns);
    return out.substr(row.size());
  };
  CHECK(tagged("_") == "ner=B-X");
  CHECK(tagged("") == "ner=B-X");
  CHECK(tagged("ner=O") == "ner=B-X");
  CHECK(tagged("a=b|ner=O|c=d\n") == "a=b|ner=B-X|c=d\n");
  CHECK(tagged("xner=O|nerx=O|ner") == "xner=O|nerx=O|ner|ner=B-X");
  CHECK(tagged("_", "O") == "_");
  CHECK(tagged("SpaceAfter=No\n", "O") == "SpaceAfter=No\n");
  CHECK(tagged("ner=B-X|a=b", "O") == "ner=O|a=b");
  CHECK(misc_value("a=b|ner=B-X", "ner") == "B-X");
  CHECK(misc_value("ner=", "ner") == "");
  CHECK(misc_value("_", "ner") == std::nullopt);
  CHECK(misc_value("xner=O|ner", "ner") == std::nullopt);
}
