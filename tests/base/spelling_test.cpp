#include "base/spelling.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using bert::did_you_mean;
using bert::edit_distance;
using bert::nearest_name;

TEST_CASE("the edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "ab") == 2);
  CHECK(edit_distance("label", "lable") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest name has at most a quarter of its characters changed") {
  const std::vector<std::string> names = {"text", "text_pair", "Review", "ID"};
  CHECK(nearest_name("txt", names) == "text");
  CHECK(nearest_name("Reviw", names) == "Review");
  CHECK(nearest_name("sentence", names) == "");
  CHECK(nearest_name("test", names) == "text");
  CHECK(nearest_name("best", names) == "");
  CHECK(nearest_name("l1", std::vector<std::string>{"l2"}) == "");
  CHECK(nearest_name("predicition", std::vector<std::string>{"prediction"}) == "prediction");
}

TEST_CASE("case, hyphens and underscores do not count") {
  const std::vector<std::string> names = {"TEXT_PAIR", "id"};
  CHECK(nearest_name("text-pair", names) == "TEXT_PAIR");
  CHECK(nearest_name("ID", names) == "id");
}

TEST_CASE("a name of which nothing is left is no suggestion") {
  CHECK(nearest_name("x", std::vector<std::string>{"y", "k"}) == "");
  CHECK(nearest_name("", std::vector<std::string>{"y"}) == "");
  CHECK(nearest_name("y", {}) == "");
}

TEST_CASE("a word of a command is quoted as the shell reads it") {
  CHECK(bert::shell_word("text") == "text");
  CHECK(bert::shell_word("") == "''");
  CHECK(bert::shell_word("it's a") == "'it'\\''s a'");
  CHECK(bert::shell_word("Column\nA") == "$'Column\\nA'");
  CHECK(bert::shell_word("a\\'\t\x01"
                         "1") == "$'a\\\\\\'\\t\\0011'");
}

TEST_CASE("a suggestion is a question behind a semicolon") {
  CHECK(did_you_mean("txt", std::vector<std::string>{"text"}) == "; did you mean \"text\"?");
  CHECK(did_you_mean("sentence", std::vector<std::string>{"text"}) == "");
}
