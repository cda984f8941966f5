#include "io/conll_lines.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "io/line_cutter.h"

namespace bert::io {
namespace {

// Removes the first line, with its end.
std::string_view take_line(std::string_view& lines) {
  const auto line = lines.substr(0, std::min(lines.find('\n'), lines.size() - 1) + 1);
  lines.remove_prefix(line.size());
  return line;
}

void append_column(std::string& out, std::string_view line, std::string_view value) {
  const auto row = without_line_end(line);
  size_t size = row.size();
  while (size > 0 && is_white(row[size - 1])) --size;
  out.append(row.substr(0, size)) += row.find('\t') == row.npos ? ' ' : '\t';
  out.append(value).append(line.substr(row.size()));
}

// Lines between two sentences. A -DOCSTART- with columns gets one more, too: conlleval wants as many in all
// lines.
ConllLines split_between(std::string_view lines, const ConllColumns& read) {
  ConllLines found;
  const size_t comments = begin_of_comments(lines, 0, lines.size());
  found.comments = lines.substr(comments);
  for (lines = lines.substr(0, comments); !lines.empty();) {
    const auto line = take_line(lines);
    if (!read.universal && is_conll_document(line) && columns_of(line).size() > 1) {
      append_column(found.between, line, kOutside);
    } else {
      found.between += line;
    }
  }
  return found;
}

// "SpaceAfter=No" -> "SpaceAfter=No|ner=B-PER"; the tag "O" is not added, as it is read where there is none.
std::string with_misc_value(std::string_view misc, std::string_view key, std::string_view value) {
  const auto entry = std::string(key) + "=" + std::string(value);
  const auto old = misc_value(misc, key);
  if (!old && value == kOutside) return std::string(misc);
  if (misc.empty() || misc == "_") return entry;
  if (old) {
    const size_t begin = old->data() - misc.data();
    return std::string(misc.substr(0, begin)).append(value).append(misc.substr(begin + old->size()));
  }
  return std::string(misc) + "|" + entry;
}

void replace_column(std::string& out, std::string_view line, std::string_view tag, const ConllColumns& read) {
  const auto old = conll_columns(without_line_end(line), read)[*read.tag];
  const size_t begin = old.data() - line.data();
  out += line.substr(0, begin);
  out += read.tag_key.empty() ? std::string(tag) : with_misc_value(old, read.tag_key, tag);
  out += line.substr(begin + old.size());
}

}  // namespace

size_t begin_of_comments(std::string_view data, size_t end, size_t begin) {
  size_t comments = end;
  for (auto lines = data.substr(end, begin - end); !lines.empty();) {
    const auto line = take_line(lines);
    if (is_blank(line) || is_conll_document(line)) comments = begin - lines.size();
  }
  return comments;
}

ConllLines ConllLineReader::take(size_t begin, size_t size, const ConllColumns& read) {
  auto lines = split_between(data_.substr(position_, begin - position_), read);
  lines.sentence = data_.substr(begin, size);
  auto rest = data_.substr(begin + size);
  if (!rest.empty()) lines.after = take_line(rest);
  if (auto next = rest; !next.empty() && is_blank(take_line(next))) lines.after += take_line(rest);
  position_ = data_.size() - rest.size();
  // Only the last sentence of a FILE may lack a blank line at the end of the bytes.
  const bool crlf = data_.substr(begin).find('\r') != std::string_view::npos;
  while (rest.empty() && std::ranges::count(lines.after, '\n') < 2) lines.after += crlf ? "\r\n" : "\n";
  return lines;
}

std::string ConllLineReader::rest(const ConllColumns& read) {
  auto lines = split_between(data_.substr(position_), read);
  position_ = data_.size();
  auto text = lines.between + lines.comments;
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

void append_tagged(std::string& out, std::string_view sentence, std::span<const std::string_view> tags,
                   const ConllColumns& read) {
  for (size_t word = 0; !sentence.empty();) {
    const auto line = take_line(sentence);
    if (!is_conll_word(line, read)) {
      out += line;
    } else if (assert(word < tags.size()); read.universal) {
      replace_column(out, line, tags[word++], read);
    } else {
      append_column(out, line, tags[word++]);
    }
  }
}

}  // namespace bert::io
