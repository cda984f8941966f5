#include "io/marked_text.h"

#include <doctest/doctest.h>

#include <vector>

using namespace bert::io;

namespace {

std::string html(const MarkedText& marked) {
  std::string out;
  append_html(out, marked);
  return out;
}

std::string text(const MarkedText& marked, Colored colored = Colored::no) {
  std::string out;
  append_text(out, marked, colored);
  return out;
}

const MarkedText kMarked = {
    .text = "<Ada> & \"Bob\"",
    .marks = {{.begin = 0, .end = 5, .label = "A&B", .title = "0.5"}, {.begin = 8, .end = 13, .color = 1}}};

}  // namespace

TEST_CASE("texts and labels are escaped in HTML") {
  CHECK(html(kMarked) ==
        "<section>\n<p dir=\"auto\"><mark style=\"background:hsl(50 85% 82%)\" title=\"0.5\">&lt;Ada&gt; "
        "<small "
        "dir=\"auto\">A&amp;B</small>"
        "</mark> &amp; <mark style=\"background:hsl(187 85% 82%)\" "
        "title=\"\">&quot;Bob&quot;</mark></p>\n</section>\n");
  CHECK(html({.heading = "a<b", .note = "none", .text = "a\tb\r\nc\x01\x1b\x7f\u00e9"}) ==
        "<section><h2 dir=\"auto\">a&lt;b</h2>\n<p dir=\"auto\">a\tb\r\nc\ufffd\ufffd\ufffd\u00e9</p>\n"
        "<p dir=\"auto\">none</p></section>\n");
}

TEST_CASE("marks of text are brackets, in colors if wanted") {
  CHECK(text(kMarked) == "[<Ada> A&B] & [\"Bob\"]\n");
  CHECK(text(kMarked, Colored::yes) == "\x1b[33m[<Ada> A&B]\x1b[m & \x1b[32m[\"Bob\"]\x1b[m\n");
  CHECK(text({.heading = "Who?", .note = "No answer", .text = "Ada"}) == "Who?\nAda\nNo answer\n\n");
}

TEST_CASE("tables have a row and a column for each name") {
  const std::vector<float> cells = {1, 0, 0.256f, 0.744f};
  std::string out;
  append_html(out, {.title = "Head 1", .names = {"<a>", "b"}, .cells = cells}, 1);
  CHECK(
      out ==
      "<details open><summary>Head 1</summary>\n<table>\n<thead><tr><th></th><th dir=\"auto\">&lt;a&gt;</th>"
      "<th dir=\"auto\">b</th></tr></thead>\n"
      "<tr><th dir=\"auto\">&lt;a&gt;</th><td style=\"background:rgb(0 110 220/100%)\">100</td><td "
      "style=\"background:rgb(0 110 220/0%)\">0</td></tr>\n"
      "<tr><th dir=\"auto\">b</th><td style=\"background:rgb(0 110 220/25.6%)\">25.6</td><td "
      "style=\"background:rgb(0 110 220/74.4%)\">74.4</td></tr>\n"
      "</table>\n</details>\n");
}
