#include "io/conll.h"

#include <algorithm>

#include "base/error.h"
#include "io/cutter.h"
#include "json/json.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

bool is_inside(std::string_view tag) { return tag == "I" || tag.starts_with("I-"); }

std::string_view type_of(std::string_view tag) {
  return tag.size() > 1 && tag[1] == '-' ? tag.substr(2) : std::string_view();
}

}  // namespace

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (auto at = line.begin(); at != line.end();) {
    const auto begin = std::find_if_not(at, line.end(), is_white);
    at = std::find_if(begin, line.end(), is_white);
    if (begin != at) columns.emplace_back(begin, at);
  }
  return columns;
}

bool has_prefix(std::string_view tag) {
  constexpr std::string_view kPrefixes = "BIESLU";
  return tag.size() > 1 && tag[1] == '-' && kPrefixes.find(tag[0]) != kPrefixes.npos;
}

bool is_entity_tag(std::string_view tag) {
  return tag == kOutside || tag == "B" || tag == "I" || has_prefix(tag);
}

bool is_conll_document(std::string_view line) {
  constexpr std::string_view kMark = "-DOCSTART-";
  return line.starts_with(kMark) && (line.size() == kMark.size() || is_white(line[kMark.size()]));
}

bool is_conll_comment(std::string_view line) {
  return line.starts_with("# ") && line.find('=') != std::string_view::npos;
}

std::vector<std::string> bio_of(std::span<const std::string_view> tags) {
  std::vector<std::string> bio;
  if (!std::ranges::all_of(tags, is_entity_tag)) return {tags.begin(), tags.end()};
  for (size_t i = 0; i < tags.size(); ++i) {
    bio.emplace_back(tags[i]);
    const bool goes_on = i > 0 && tags[i - 1] != kOutside && type_of(tags[i - 1]) == type_of(tags[i]);
    if (is_inside(tags[i]) && !goes_on) bio.back()[0] = 'B';
  }
  return bio;
}

std::string conll_record(std::string_view sentence, int64_t& line) {
  std::vector<std::string_view> words, tags;
  size_t expected = 0;
  for (line = 0; !sentence.empty(); ++line) {
    const size_t size = std::min(sentence.find('\n'), sentence.size() - 1) + 1;
    const auto row = without_line_end(sentence.substr(0, size));
    sentence.remove_prefix(size);
    json::check_utf8(row);
    const auto columns = columns_of(row);
    if (line == 0) expected = columns.size();
    if (columns.size() != expected)
      throw Error("has ", counted(static_cast<int64_t>(columns.size()), "column", "columns"), ", expected ",
                  expected, " as in the first line of the sentence");
    words.push_back(columns.front());
    if (expected > 1) tags.push_back(columns.back());
  }
  std::string text;
  json::Object record(text);
  json::append_array(record.key("words"), words, json::append_string);
  if (expected > 1) json::append_array(record.key("tags"), tags, json::append_string);
  record.end();
  return text;
}

}  // namespace bert::io
