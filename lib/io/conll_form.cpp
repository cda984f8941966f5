#include "io/conll_form.h"

#include <algorithm>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "io/input_format.h"
#include "io/line_cutter.h"
#include "json/json.h"

namespace bert::io {
namespace {

// Whether a word has this key in MISC, among those near the beginning.
bool has_misc_key(Input& input, const ConllColumns& columns, std::string_view key) {
  constexpr size_t kMostBytes = 1 << 20;
  while (input.is_regular() && input.unread().size() < kMostBytes && input.read_more()) {
  }
  const auto misc = columns.find(kMiscColumn);
  if (!misc || key.empty()) return false;
  for (auto rest = input.unread(); !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto cells = conll_columns(without_line_end(line), columns);
    if (cells.size() == columns.names.size() && misc_value(cells[*misc], key)) return true;
  }
  return false;
}

[[noreturn]] void refuse_column(Input& input, Option option, const ConllColumns& columns,
                                const std::string& name) {
  if (!columns.universal)
    throw Error(input.name(), ": is not CoNLL-U, whose columns have names; ", option, " ", name,
                " must be a number");
  auto advice = did_you_mean(name, columns.names);
  if (option == opt::tag_column && columns.find(kMiscColumn)) {
    if (has_misc_key(input, columns, name)) {
      advice = "; did you mean \"" + std::string(kMiscColumn) + ":" + name + "\", a key of MISC?";
    } else if (advice.empty()) {
      advice = "; a key of MISC is named as in misc:ner";
    }
  }
  throw Error(input.name(), ": has no column ", json::in_quotes(name), " for ", option, "; the columns are ",
              listed(columns.names, "and"), advice);
}

}  // namespace

ConllColumns conll_columns_of(Input& input, const StreamOptions& options, InputFormat format) {
  ConllColumns columns;
  columns.tag_field = options.predicted_tags ? "prediction" : "tags";
  columns.written_back = options.format == Format::conll;
  if (format == InputFormat::conllu) {
    const auto lines = first_lines(input, 1);
    auto names = lines.empty() ? std::vector<std::string>() : conllu_plus_names(lines.front());
    columns.set_names(names.empty() ? conllu_names() : std::move(names));
  } else {
    columns.row = first_conll_row(input);
  }
  if (const auto& word = options.word_column) {
    if (!columns.take_word(*word)) refuse_column(input, opt::word_column, columns, word->name);
  }
  // Other predictions are in the last column.
  const bool reads_tag = columns.universal || !options.predicted_tags;
  if (const auto& tag = options.tag_column; tag && reads_tag) {
    if (!columns.take_tag(*tag)) refuse_column(input, opt::tag_column, columns, tag->name);
  }
  columns.take_usual(options.word_column ? std::nullopt : options.usual.word,
                     reads_tag && !options.tag_column ? options.usual.tag : std::nullopt);
  const bool has_words = columns.find(kFormColumn) || options.word_column || options.usual.word;
  if (columns.universal && !has_words && !options.no_texts)
    refuse_column(input, opt::word_column, columns, std::string(kFormColumn));
  return columns;
}

}  // namespace bert::io
