#include "io/marked_text.h"

#include "json/json.h"

namespace bert::io {
namespace {

void append_element(std::string& out, std::string_view name, std::string_view text) {
  out.append("<").append(name).append(" dir=\"auto\">");
  append_html(out, text);
  out.append("</").append(name).append(">");
}

}  // namespace

void append_html(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if ((static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r') || c == '\x7f') {
      out += "\xef\xbf\xbd";  // U+FFFD, since HTML has no such characters
    } else {
      out += c;
    }
  }
}

void append_html(std::string& out, const MarkedText& marked) {
  out += "<section>";
  if (!marked.heading.empty()) append_element(out, "h2", marked.heading);
  out += "\n<p dir=\"auto\">";
  size_t done = 0;
  const std::string_view text = marked.text;
  for (const auto& [begin, end, label, title, color] : marked.marks) {
    constexpr size_t kStep = 137;  // degrees of the golden angle, so that the next colors differ most
    append_html(out, text.substr(done, begin - done));
    out.append("<mark style=\"background:hsl(").append(std::to_string((50 + color * kStep) % 360));
    append_html(out += " 85% 82%)\" title=\"", title);
    append_html(out += "\">", text.substr(begin, end - begin));
    if (!label.empty()) append_element(out += ' ', "small", label);
    out += "</mark>";
    done = end;
  }
  append_html(out, text.substr(done));
  out += "</p>\n";
  if (!marked.note.empty()) append_element(out, "p", marked.note);
  out += "</section>\n";
}

void append_text(std::string& out, const MarkedText& marked, Colored colored) {
  if (!marked.heading.empty()) out.append(marked.heading).append("\n");
  size_t done = 0;
  for (const auto& [begin, end, label, title, color] : marked.marks) {
    constexpr std::string_view kColors = "326541";  // the best legible ones first
    out.append(marked.text, done, begin - done);
    if (colored == Colored::yes) out.append("\x1b[3").append(1, kColors[color % kColors.size()]).append("m");
    out.append("[").append(marked.text, begin, end - begin).append(label.empty() ? "" : " ").append(label);
    out.append(colored == Colored::yes ? "]\x1b[m" : "]");
    done = end;
  }
  out.append(marked.text, done).append("\n");
  if (!marked.note.empty()) out.append(marked.note).append("\n");
  if (!marked.heading.empty()) out += '\n';
}

void append_html(std::string& out, const HtmlTable& table, int precision) {
  out.append("<details open><summary>")
      .append(table.title)
      .append("</summary>\n<table>\n<thead><tr><th></th>");
  for (const auto& name : table.names) append_element(out, "th", name);
  out += "</tr></thead>\n";
  auto cell = table.cells.begin();
  for (const auto& name : table.names) {
    append_element(out += "<tr>", "th", name);
    for (size_t column = 0; column < table.names.size(); ++column) {
      std::string percent;
      json::append_number(percent, 100 * *cell++, precision);
      out.append("<td style=\"background:rgb(0 110 220/").append(percent).append("%)\">");
      out.append(percent).append("</td>");
    }
    out += "</tr>\n";
  }
  out += "</table>\n</details>\n";
}

}  // namespace bert::io
