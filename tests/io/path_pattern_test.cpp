#include "io/path_pattern.h"

#include <doctest/doctest.h>

using namespace bert::io;
using Entry = PathPattern::Entry;

namespace {

bool matches(std::string_view line, std::string_view path, Entry entry = Entry::file) {
  const auto pattern = PathPattern::of_line(line);
  return pattern && pattern->matches(path, entry);
}

}  // namespace

TEST_CASE("a name matches a pattern with wildcards") {
  CHECK(matches_name("*.md", "a.md"));
  CHECK(matches_name("*.md", ".md"));
  CHECK(!matches_name("*.md", "a.mdx"));
  CHECK(matches_name("a?c", "abc"));
  CHECK(!matches_name("a?c", "ac"));
  CHECK(matches_name("[a-c]x", "bx"));
  CHECK(!matches_name("[!a-c]x", "bx"));
  CHECK(!matches_name("[^a-c]x", "bx"));
  CHECK(matches_name("[]x]", "]"));
  CHECK(matches_name("[a-]", "-"));
  CHECK(matches_name("[[:digit:]]", "7"));
  CHECK(!matches_name("[[:digits:]]", "7"));
  CHECK(!matches_name("[a", "[a"));
  CHECK(matches_name("\\*", "*"));
  CHECK(!matches_name("\\*", "a"));
  CHECK(!matches_name("a\\", "a\\"));
  CHECK(matches_name("", ""));
}

TEST_CASE("many stars do not take long") {
  CHECK(!matches_name("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
  const PathPattern pattern("**/a/**/a/**/a/**/a/**/b");
  std::string path;
  for (int i = 0; i < 500; ++i) path += "a/";
  CHECK(!pattern.matches(path + "c", Entry::file));
  CHECK(pattern.matches(path + "b", Entry::file));
}

TEST_CASE("a pattern without a slash matches at any depth, others from the folder on") {
  CHECK(matches("b", "a/b"));
  CHECK(!matches("/b", "a/b"));
  CHECK(matches("/b", "b"));
  CHECK(matches("a/b", "a/b"));
  CHECK(!matches("a/b", "c/a/b"));
  CHECK(!matches("a/*", "a/b/c"));
  CHECK(matches("**/b", "b"));
  CHECK(matches("**/b", "a/c/b"));
  CHECK(matches("a/**", "a/b/c"));
  CHECK(!matches("a/**", "a", Entry::folder));
  CHECK(matches("a/**/b", "a/b"));
  CHECK(matches("a/**/b", "a/x/y/b"));
  CHECK(!matches("a/**/b", "a/x/y/c"));
  CHECK(!matches("a**/b", "ax/y/b"));
}

TEST_CASE("paths as they are written") {
  const auto matches = [](const char* glob, const char* path, Entry entry = Entry::file) {
    return PathPattern(glob).matches_written(path, entry);
  };
  CHECK(matches("a/b", "a/b"));
  CHECK(matches("./a/*", "./a/b"));
  CHECK(matches("../a/b/", "../a/b", Entry::folder));
  CHECK(matches("/x/a/b", "/x/a/b"));
  CHECK(!matches("/a/b", "a/b"));  // from the folder on
  CHECK(!matches("x/a", "/x/a"));
  CHECK(!matches("b", "a/b"));  // a name
  CHECK(!matches("a/b", "a/b/c"));
}

TEST_CASE("lines of .gitignore") {
  CHECK(matches("b/", "a/b", Entry::folder));
  CHECK(!matches("b/", "a/b"));
  CHECK(matches("b  ", "b"));
  CHECK(matches("b\\ ", "b "));
  CHECK(matches("b\r", "b"));
  CHECK(matches("\\#b", "#b"));
  CHECK(matches("\\!b", "!b"));
  CHECK(PathPattern::of_line("!b")->negated());
  CHECK(PathPattern::of_line("!b")->matches("b", Entry::file));
  for (const auto* line : {"", "  ", "#b", "/", "!"}) CHECK(!PathPattern::of_line(line));
}
