#include "cli/options_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"

using bert::cli::FileOption;
using bert::cli::read_options_file;

namespace {

// Of a file with this text, as "--name=value|value@line", a line each.
std::string options_of(const std::string& text, const char* tool = "bert-train") {
  std::string path = "/tmp/bert_options.XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path) << text;
  std::string shown;
  try {
    for (const FileOption& option : read_options_file(path, tool)) {
      shown += option.name + (option.is_switch ? ":" : "=");
      for (size_t i = 0; i < option.values.size(); ++i) shown += (i > 0 ? "|" : "") + option.values[i];
      shown += "@" + std::to_string(option.line) + "\n";
    }
  } catch (const bert::OptionError& error) {
    shown = std::string(error.what()).substr(path.size());
  }
  unlink(path.c_str());
  return shown;
}

}  // namespace

TEST_CASE("values are strings, numbers, switches and arrays") {
  CHECK(options_of("a = \"x # y\" # comment\nb = 'C:\\dir'\nc = \"a\\\"b\\\\c\\td\"\n") ==
        "--a=x # y@1\n--b=C:\\dir@2\n--c=a\"b\\c\td@3\n");
  CHECK(options_of("lr=3e-5\nsteps = 1_000\n x = -1\ny = +0.5\n") ==
        "--lr=3e-5@1\n--steps=1000@2\n--x=-1@3\n--y=+0.5@4\n");
  CHECK(options_of("force = true\nquiet = false\nlabel = \"true\"\n") ==
        "--force:true@1\n--quiet:false@2\n--label=true@3\n");
  CHECK(options_of("labels = [\"a, b\", # one\n  'c',\n]\nlayers = [-1, 2]\n") ==
        "--labels=a, b|c@1\n--layers=-1|2@4\n");
  CHECK(options_of("") == "");
  CHECK(options_of("\n# only a comment") == "");
}

TEST_CASE("a heading is for one tool, whose lines precede") {
  const std::string text = "max_length = 8\nseed = 1\n[bert-train]\nseed = 2\n[bert-embed]\nseed = 3\n";
  CHECK(options_of(text) == "--max-length=8@1\n--seed=2@4\n");
  CHECK(options_of(text, "bert-embed") == "--max-length=8@1\n--seed=3@6\n");
  CHECK(options_of(text, "bert-mask") == "--max-length=8@1\n--seed=1@2\n");
}

TEST_CASE("what is not in this form is an error with its line") {
  CHECK(options_of("a = 1\nb = yes\n") ==
        ":2: has the value yes, expected a string in quotes, a number, true or false");
  CHECK(options_of("a = [1\n\n2]") == ":3: has no , or ] after a value of a");
  CHECK(options_of("a = 1 2") == ":1: has more after the value: 2");
  CHECK(options_of("a = 1\n\na = 2") == ":3: a is also in line 1");
  CHECK(options_of("[other]") == ":1: a heading must be the name of a tool, such as [bert-train]");
  CHECK(options_of("a =") == ":1: has the value \"\", expected a string in quotes, a number, true or false");
}
