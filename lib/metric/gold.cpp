#include "metric/gold.h"

#include <algorithm>
#include <functional>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "base/string_table.h"
#include "io/input_format.h"
#include "io/line_cutter.h"
#include "io/pull_reader.h"
#include "io/record_reader.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

// Adds the id of each question with the texts of its answers.
void add_questions(const json::Value& data, GoldTable& table) {
  for (const auto& article : data.elements()) {
    for (const auto& paragraph : article.member("paragraphs").elements()) {
      for (const auto& question : paragraph.member("qas").elements()) {
        std::string answers;
        for (const auto& answer : question.member("answers").elements())
          pack(answers, answer.member("text").string());
        table.add(question.member("id").string(), answers);
      }
    }
  }
}

std::optional<std::string_view> first_line(io::Input& input) {
  size_t end;
  while ((end = input.unread().find('\n')) == std::string_view::npos && input.read_more()) {
  }
  const auto line = input.unread().substr(0, end);
  const auto mark = std::find_if_not(line.begin(), line.end(), io::is_white);
  return mark != line.end() && *mark == '{' ? std::optional(line) : std::nullopt;
}

// `holds_all`: whether an object on the first line is the whole data.
std::optional<io::InputFormat> recognize(io::Input& input, bool (*holds_all)(const json::Value&)) {
  const auto line = first_line(input);
  if (!line) return std::nullopt;
  try {
    json::Document document;
    const auto root = document.parse(*line);
    return holds_all(root) ? std::optional(io::InputFormat::object) : std::nullopt;
  } catch (const Error&) {  // continues on the next line, or is not JSON
    return io::InputFormat::object;
  }
}

constexpr std::string_view kWords = "words", kPrediction = "prediction";

// Of a field that is no text, nullopt.
std::optional<std::string_view> text_of(const io::Fields& fields, std::string_view field) {
  const auto value = fields.json(field);
  if (value && value->kind() != json::Value::Kind::string) return std::nullopt;
  return fields.text(field);
}

std::optional<uint64_t> text_sum(const io::Fields& fields, std::string_view field) {
  const auto text = text_of(fields, field);
  if (!text) return std::nullopt;
  Checksum checksum;
  checksum.add(*text);
  return checksum.value();
}

// Of the array in `text_field` or, if it is none, in kWords.
std::optional<uint64_t> words_sum(const io::Fields& fields, std::string_view text_field) {
  auto words = fields.json(text_field);
  if (!words || !words->is_array()) words = fields.json(kWords);
  if (!words || !words->is_array()) return std::nullopt;
  Checksum checksum;
  for (const auto& word : words->elements()) {
    if (word.kind() == json::Value::Kind::string) checksum.add(word.string());
    checksum.add("\n");
  }
  return checksum.value();
}

// Of a value that may be a key: a word with a digit, or an integer.
std::optional<uint64_t> key_sum(const io::Fields& fields, std::string_view field) {
  const auto value = fields.json(field);
  using Kind = json::Value::Kind;
  if (value && value->kind() != Kind::string && value->kind() != Kind::number) return std::nullopt;
  const auto key = value ? value->label() : std::string(fields.text(field).value_or(""));
  if (key.find_first_of("0123456789") == key.npos || key.find('.') != key.npos) return std::nullopt;
  Checksum checksum;
  checksum.add(key);
  return checksum.value();
}

// Whether the field is a text with a space between two words.
bool has_words(const io::Fields& fields, std::string_view field) {
  const auto text = text_of(fields, field).value_or("");
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  const auto begin = std::ranges::find_if_not(text, is_space);
  const auto end = std::find_if(begin, text.end(), is_space);
  return std::find_if_not(end, text.end(), is_space) != text.end();
}

std::string id_in_other_case(const io::Fields& fields) {
  const auto names = fields.names();
  const auto found =
      std::ranges::find_if(names, [](const std::string& name) { return lower_case(name) == kIdField; });
  return found == names.end() ? "" : *found;
}

// Whether the first line is a word with its gold and predicted tag, which may be of any kind.
bool has_word_and_tags(io::Input& input) {
  const auto lines = io::first_lines(input, 1);
  if (lines.empty() || lines.front().find_first_of("{[,;") != std::string::npos) return false;
  const auto columns = io::columns_of(lines.front());
  return columns.size() >= 3 && std::ranges::find(columns, "prediction") == columns.end();
}

}  // namespace

void GoldTable::add(std::optional<std::string_view> id, std::string_view gold) {
  if (!id && has_ids()) throw Error("has no id, unlike the records before it");
  if (id && size() > 0 && !has_ids()) throw Error("has an id, unlike the records before it");
  if (id && !ids_.add(*id).second) throw Error("id \"", *id, "\" appears twice");
  bytes_ += gold;
  ends_.push_back(bytes_.size());
}

void GoldTable::add_texts(const io::Fields& fields, std::string_view text_field,
                          std::string_view label_field) {
  using enum Text::Kind;
  const auto add = [&](std::string_view field, Text::Kind kind, std::optional<uint64_t> sum) {
    if (sum) texts_.push_back({.field = fields_.add(field).first, .kind = kind, .sum = *sum});
  };
  add(text_field, text, text_sum(fields, text_field));
  add(kWords, words, words_sum(fields, text_field));
  for (const auto& name : fields.names()) {
    if (name == text_field || name == label_field || name == kPrediction) continue;
    if (has_words(fields, name)) {
      add(name, text, text_sum(fields, name));
    } else {
      add(name, key, key_sum(fields, name));
    }
  }
  text_ends_.push_back(texts_.size());
}

void GoldTable::find_keys() {
  std::vector<std::vector<uint64_t>> sums(fields_.size());
  for (const auto& [field, kind, sum] : texts_)
    if (kind == Text::Kind::key) sums[field].push_back(sum);
  for (auto& values : sums) {
    std::ranges::sort(values);
    keys_.push_back(size() > 1 && values.size() == size() &&
                    std::ranges::adjacent_find(values) == values.end());
  }
}

std::string_view GoldTable::other_text(size_t place, const io::Fields& fields,
                                       std::string_view text_field) const {
  if (place >= text_ends_.size()) return "";
  for (uint64_t i = place == 0 ? 0 : text_ends_[place - 1]; i < text_ends_[place]; ++i) {
    const auto& [number, kind, sum] = texts_[i];
    if (kind == Text::Kind::key && !keys_[number]) continue;
    const auto field = fields_.at(number);
    const auto found = kind == Text::Kind::words ? words_sum(fields, text_field)
                       : kind == Text::Kind::key ? key_sum(fields, field)
                                                 : text_sum(fields, field);
    if (found && *found != sum) return field;
  }
  return "";
}

bool GoldTable::is_key(std::string_view field) const {
  const auto number = fields_.find(field);
  return number && keys_[*number];
}

std::string GoldTable::name(size_t place) const {
  if (!has_ids()) return "record " + std::to_string(place + 1);
  return "id \"" + std::string(ids_.at(place)) + "\"";
}

std::string_view GoldTable::gold(size_t place) const {
  const uint64_t begin = place == 0 ? 0 : ends_[place - 1];
  return std::string_view(bytes_).substr(begin, ends_[place] - begin);
}

GoldTable read_gold(const std::string& file, const std::string& id_field, const Scorer& scorer,
                    const io::StreamOptions& stream) {
  GoldTable table(file);
  auto options = io::side_file(stream, file);
  options.header_fields = {scorer.gold_field(), id_field.empty() ? kIdField : id_field};
  options.no_texts = true;
  options.more = io::formats_of({io::RecordKind::tagged});
  if (options.tag_column == io::ConllColumn{}) options.word_column = io::ConllColumn{.index = 1};
  if (options.tag_column) options.format_options = {{opt::tag_column, io::RecordKind::tagged}};
  options.recognize = recognize_data;
  io::PullReader reader(options);
  io::RawRecordReader records(options.invalid_utf8, io::OnError::stop);
  for (io::RawRecord raw; reader.next(raw);) {
    records.read(raw, [&](const io::Fields& fields, const io::Record& record) {
      if (record.source().format == io::InputFormat::object)
        return add_questions(fields.required("data"), table);
      const auto gold = scorer.gold(fields);  // reports a missing gold label before a missing id
      const auto id = find_id(fields, id_field);
      if (!id && table.size() == 0) table.id_in_other_case = id_in_other_case(fields);
      table.add(id, gold);
      if (!id) table.add_texts(fields, options.text_field, scorer.gold_field());
    });
  }
  if (table.size() == 0) throw Error(file, ": has no records");
  table.find_keys();
  return table;
}

uint64_t input_sum(const io::Fields& fields, std::string_view text_field) {
  const auto words = words_sum(fields, text_field);
  return words ? *words : text_sum(fields, text_field).value_or(0);
}

std::optional<std::string> find_id(const io::Fields& fields, const std::string& id_field) {
  if (!id_field.empty()) return fields.label(id_field);
  if (!fields.json(kIdField) && !fields.text(kIdField)) return std::nullopt;
  return fields.label(kIdField);
}

std::optional<io::InputFormat> recognize_answers(io::Input& input) {
  return recognize(input,
                   [](const json::Value& line) { return !line.find("prediction") && !line.find("id"); });
}

std::optional<io::InputFormat> recognize_data(io::Input& input) {
  return recognize(input, [](const json::Value& line) {
    const auto data = line.find("data");
    if (!data || !data->is_array()) return false;
    const auto articles = data->elements();  // a table of pandas has rows
    return articles.empty() || articles.front().kind() == json::Value::Kind::object;
  });
}

std::optional<io::InputFormat> recognize_conll(io::Input& input) {
  const bool conll = input.name().ends_with(".conll") || io::is_conll(input) || io::is_conllu(input) ||
                     io::is_conllu_plus(input) || has_word_and_tags(input);
  return conll ? std::optional(io::InputFormat::documents) : std::nullopt;
}

}  // namespace bert::metric
