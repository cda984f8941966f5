#include "io/conll.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "io/foreign.h"
#include "io/line_cutter.h"
#include "json/json.h"

namespace bert::io {
namespace {

constexpr std::string_view kNewDocument = "# newdoc";
constexpr std::string_view kColumnNames[kConlluColumns] = {"id",   "form",   "lemma", "upos", "xpos", "feats",
                                                           "head", "deprel", "deps",  "misc"};  // of CoNLL-U

bool is_inside(std::string_view tag) { return tag == "I" || tag.starts_with("I-"); }

std::string_view type_of(std::string_view tag) {
  return tag.size() > 1 && tag[1] == '-' ? tag.substr(2) : std::string_view();
}

// Throws Error if TABs separate the columns and one has a space inside: "New York\tB-LOC".
void require_one_separator(std::string_view row) {
  if (row.find('\t') == row.npos || row.find(' ') == row.npos) return;
  for (const auto cell : cells_of(row))
    if (columns_of(cell).size() > 1)
      throw Error("has a space in \"", cell,
                  "\", a column that TAB separates; words have no spaces in CoNLL");
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

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (size_t end; (end = line.find('\t')) != line.npos; line.remove_prefix(end + 1))
    cells.push_back(line.substr(0, end));
  cells.push_back(line);
  return cells;
}

bool has_prefix(std::string_view tag) {
  constexpr std::string_view kPrefixes = "BIESLU";
  return tag.size() > 1 && tag[1] == '-' && kPrefixes.find(tag[0]) != kPrefixes.npos;
}

bool is_entity_tag(std::string_view tag) {
  return tag == kOutside || tag == "B" || tag == "I" || has_prefix(tag);
}

bool is_conll_document(std::string_view line) {
  const auto is = [line](std::string_view mark) {
    return line.starts_with(mark) && (line.size() == mark.size() || is_white(line[mark.size()]));
  };
  return is("-DOCSTART-") || is(kNewDocument);
}

bool is_conll_comment(std::string_view line) {
  return line.starts_with(kNewDocument) || line.starts_with("# newpar") ||
         (line.starts_with("# ") && line.find('=') != std::string_view::npos);
}

bool is_conll_comment(std::string_view line, std::string_view row) {
  if (is_conll_comment(line)) return true;
  if (!line.starts_with("# ")) return false;
  const auto columns = columns_of(line), usual = columns_of(row);
  const bool tagged = is_entity_tag(columns.back());
  if (usual.empty()) return columns.size() > 3 && !tagged;
  return columns.size() != usual.size() || (is_entity_tag(usual.back()) && !tagged);
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

// What sentences show. inside_first: I- that begins an entity, as in IOB1; begin_first: B- that IOB1 does not
// have there; open_end: an entity that IOBES and BILOU would mark at its end; begins: B- or S-, which IOE
// lacks.
enum Shown : unsigned {
  inside_first = 1,
  begin_first = 2,
  open_end = 4,
  of_iobes = 8,
  of_bilou = 16,
  begins = 32
};

void TagSchemes::add(std::span<const std::string_view> tags) const {
  if (!std::ranges::all_of(tags, is_entity_tag)) return;
  unsigned seen = 0;
  for (size_t i = 0; i < tags.size(); ++i) {
    const char kind = tags[i][0];
    const auto before = i > 0 ? tags[i - 1] : kOutside, after = i + 1 < tags.size() ? tags[i + 1] : kOutside;
    const bool same_type = before != kOutside && type_of(before) == type_of(tags[i]);
    const bool is_open = kind == 'B' || kind == 'I',
               has_end = after[0] == 'I' || after[0] == 'E' || after[0] == 'L';
    if (kind == 'I' && !same_type) seen |= inside_first;
    if (kind == 'B' && !same_type) seen |= begin_first;
    if (is_open && !(has_end && type_of(after) == type_of(tags[i]))) seen |= open_end;
    if (kind == 'E' || kind == 'S') seen |= of_iobes;
    if (kind == 'B' || kind == 'S') seen |= begins;
    if (kind == 'L' || kind == 'U') seen |= of_bilou;
  }
  if ((seen_.load(std::memory_order_relaxed) & seen) != seen) seen_.fetch_or(seen, std::memory_order_relaxed);
}

std::string TagSchemes::mixture() const {
  const auto has = [seen = seen_.load()](unsigned shown) { return (seen & shown) != 0; };
  if (!has(begins | of_bilou)) return "";
  if (has(of_iobes) && has(of_bilou)) return "IOBES and BILOU";
  if (has(of_iobes | of_bilou) && has(open_end | inside_first))
    return has(of_iobes) ? "IOBES and BIO" : "BILOU and BIO";
  return has(inside_first) && has(begin_first) ? "IOB1 and BIO" : "";
}

void ConllColumns::set_names(std::vector<std::string> columns) {
  universal = true;
  names = std::move(columns);
  id = find("id");
  word = find(kFormColumn).value_or(0);
  tag = find(kUposColumn);
  if (!tag && names.size() - 1 != word) tag = names.size() - 1;
}

std::optional<size_t> ConllColumns::find(std::string_view name) const {
  const auto is_it = [wanted = lower_case(name)](const std::string& one) {
    return lower_case(one) == wanted;
  };
  const auto found = std::ranges::find_if(names, is_it);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

bool ConllColumns::take_word(const ConllColumn& column) {
  const auto index = column.name.empty() ? column.index : find(column.name);
  word = index.value_or(word);
  return index.has_value();
}

bool ConllColumns::take_tag(const ConllColumn& column) {
  auto index = column.name.empty() ? column.index : find(column.name);
  std::string key;
  const size_t colon = column.name.find(':');
  if (!index && colon < column.name.size() - 1 && lower_case(column.name.substr(0, colon)) == kMiscColumn) {
    index = find(kMiscColumn);
    key = column.name.substr(colon + 1);
  }
  if (!index) return false;
  tag = index;
  tag_key = key;
  return true;
}

void ConllColumns::take_usual(const std::optional<ConllColumn>& words,
                              const std::optional<ConllColumn>& tags) {
  const size_t columns = columns_of(row).size();
  const auto fits = [&](const ConllColumn& column, size_t after) {
    return column.name.empty() != universal && (universal || column.index + after < columns);
  };
  if (words && fits(*words, 1)) take_word(*words);  // numbers: known by the tags after them
  if (!tags || !fits(*tags, 0)) return;
  auto with_tag = *this;
  if (with_tag.take_tag(*tags) && with_tag.tag != word) *this = std::move(with_tag);
}

std::vector<std::string> conllu_names() { return {std::begin(kColumnNames), std::end(kColumnNames)}; }

std::vector<std::string> conllu_plus_names(std::string_view line) {
  const size_t equals = line.find('=');
  if (!line.starts_with('#') || equals == line.npos) return {};
  const auto what = columns_of(line.substr(1, equals - 1));
  if (what.size() != 1 || what.front() != "global.columns") return {};
  const auto names = columns_of(line.substr(equals + 1));
  return {names.begin(), names.end()};
}

bool is_conllu_row(std::string_view line) {
  const auto columns = cells_of(line);
  if (columns.size() != kConlluColumns || columns[1].empty()) return false;
  const auto id = columns[0];
  return id == "1" || id == "0.1" || (id.starts_with("1-") && id.find_first_not_of("0123456789-") == id.npos);
}

std::vector<std::string_view> conll_columns(std::string_view line, const ConllColumns& read) {
  return read.universal && line.find('\t') != line.npos ? cells_of(line) : columns_of(line);
}

bool is_conllu_comment(std::string_view line, const ConllColumns& read) {
  return line.starts_with('#') && (read.id || !line.starts_with("#\t"));
}

bool is_conll_word(std::string_view line, const ConllColumns& read) {
  if (!read.universal) return true;
  if (is_conllu_comment(line, read)) return false;
  if (!read.id) return true;
  const auto columns = conll_columns(line, read);
  return *read.id >= columns.size() || columns[*read.id].find_first_of("-.") == line.npos;
}

std::optional<std::string_view> misc_value(std::string_view misc, std::string_view key) {
  while (!misc.empty()) {
    const auto part = misc.substr(0, misc.find('|'));
    if (part.size() > key.size() && part.starts_with(key) && part[key.size()] == '=')
      return part.substr(key.size() + 1);
    misc.remove_prefix(std::min(part.size() + 1, misc.size()));
  }
  return std::nullopt;
}

std::string conll_record(std::string_view sentence, const ConllColumns& read, int64_t& line,
                         std::string_view encoding) {
  std::vector<std::string_view> words, tags;
  size_t expected = 0;
  const auto has_tags = [&] { return read.tag || read.word + 1 < expected; };
  for (line = 0; !sentence.empty(); ++line) {
    const size_t size = std::min(sentence.find('\n'), sentence.size() - 1) + 1;
    const auto row = without_line_end(sentence.substr(0, size));
    sentence.remove_prefix(size);
    require_utf8(row, 0, encoding);
    if (read.universal && is_conllu_comment(row, read)) continue;
    if (!read.universal) require_one_separator(row);
    const auto columns = conll_columns(row, read);
    if (expected == 0) expected = columns.size();
    if (read.universal && columns.size() != read.names.size())
      throw Error("has ", counted(columns.size(), "column", "columns"), ", expected the ", read.names.size(),
                  read.names.size() == kConlluColumns ? " of CoNLL-U" : " that the first line names",
                  ", separated by TAB");
    if (columns.size() != expected)
      throw Error("has ", counted(columns.size(), "column", "columns"), ", expected ", expected,
                  " as in the first line of the sentence");
    const size_t wanted = std::max(read.word, read.tag.value_or(0));
    if (wanted >= expected)
      throw Error("has ", counted(expected, "column", "columns"), ", so there is no column ", wanted + 1);
    if (!is_conll_word(row, read)) continue;
    words.push_back(columns[read.word]);
    if (!has_tags()) continue;
    const auto tag = columns[read.tag.value_or(expected - 1)];
    tags.push_back(read.tag_key.empty() ? tag : misc_value(tag, read.tag_key).value_or(kOutside));
  }
  std::string text;
  json::Object record(text);
  json::append_array(record.key("words"), words, json::append_string);
  if (has_tags()) json::append_array(record.key(read.tag_field), tags, json::append_string);
  record.end();
  return text;
}

}  // namespace bert::io
