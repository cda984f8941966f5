// Output for people: texts with marked parts, and shaded tables. HTML needs no script and no other file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::io {

// The begin and the end of a document.
inline constexpr std::string_view kHtmlBegin = R"(<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>Results</title>
<style>
:root { color-scheme: light dark }
body { max-width: 50em; margin: 2em auto; padding: 0 1em; font: 1em/1.8 sans-serif }
section { border-top: 1px solid gray }
h2 { font-size: 1em }
p { white-space: pre-wrap; overflow-wrap: anywhere }
mark { color: black; border-radius: .2em; padding: .1em .2em }
mark small { font-weight: bold }
table { border-collapse: collapse; font: 10px/1.4 sans-serif }
thead th { writing-mode: vertical-rl }
th { text-align: end; font-weight: normal; white-space: pre }
td { min-width: 1.6em; text-align: center }
</style>
</head>
<body>
)";
inline constexpr std::string_view kHtmlEnd = "</body>\n</html>\n";

// Escapes a text, or the value of an attribute in double quotes.
void append_html(std::string& out, std::string_view text);

// A text with marked parts.
struct MarkedText {
  struct Mark {
    size_t begin, end;  // bytes of the text; marks do not overlap
    std::string label;  // shown behind the part; "": none
    std::string title;  // shown by the pointer
    size_t color = 0;   // different numbers have different colors
  };
  std::string heading, note;  // "": none
  std::string text;
  std::vector<Mark> marks;  // ascending
};
void append_html(std::string& out, const MarkedText& marked);
// "Ada was born in [London LOC]"
enum class Colored { no, yes };
void append_text(std::string& out, const MarkedText& marked, Colored colored);

// Shares of the tokens of a text in each of them, shaded.
struct HtmlTable {
  std::string title;
  std::vector<std::string> names;  // of the rows, and of the columns
  std::span<const float> cells;    // of the rows, from 0 to 1
};
// As percentages with this number of digits after the point.
void append_html(std::string& out, const HtmlTable& table, int precision);

}  // namespace bert::io
