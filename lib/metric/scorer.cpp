#include "metric/scorer.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace bert::metric {
namespace {

std::string integer_text(int64_t value) { return std::to_string(value); }

}  // namespace

std::unique_ptr<io::Work> Scorer::compare_conll(std::string_view) const {
  throw Error("CoNLL input is only for --task tag");
}

std::unique_ptr<io::Work> Scorer::compare_text(std::string_view, std::string_view) const {
  throw Error("an object of predictions by id is only for --task answer");
}

void Scorer::read_null_scores(const json::File& file, const GoldTable&) {
  throw Error(file.path(), ": null scores are only for --task answer");
}

json::Value required(const io::Fields& fields, std::string_view name) {
  const auto value = fields.json(name);
  if (!value)
    throw Error("field \"", name, fields.text(name) ? "\" is text, expected JSON" : "\" is missing");
  return *value;
}

std::string label_text(const io::Fields& fields, std::string_view name) {
  const auto value = fields.json(name);
  if (!value) return std::string(fields.required_text(name));
  return io::named(name, [&]() -> std::string {
    if (value->kind() == json::Value::Kind::string) return std::string(value->string());
    if (value->kind() == json::Value::Kind::number) return integer_text(value->integer());
    throw Error("is ", value->kind_name(), ", expected a string or an integer");
  });
}

double number(const io::Fields& fields, std::string_view name) {
  const auto value = fields.json(name);
  if (value && value->kind() != json::Value::Kind::string) {
    return io::named(name, [&] { return value->number(); });
  }
  const auto text = fields.required_text(name);
  double parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(parsed))
    throw Error("field \"", name, "\" is \"", text, "\", expected a number");
  return parsed;
}

std::vector<std::string_view> texts(const io::Fields& fields, std::string_view name) {
  const auto value = required(fields, name);
  return io::named(name, [&] {
    std::vector<std::string_view> texts;
    for (const auto& element : value.elements()) {
      if (element.kind() != json::Value::Kind::string)
        throw Error("contains ", element.kind_name(), ", expected strings");
      texts.push_back(element.string());
    }
    return texts;
  });
}

std::unique_ptr<Scorer> make_scorer(const ScoreOptions& options) {
  using enum task::Task;
  using Make = decltype(&make_label_scorer);
  constexpr std::pair<task::Task, Make> kMakers[] = {{fill, make_fill_scorer},
                                                     {next, make_label_scorer},
                                                     {classify, make_label_scorer},
                                                     {regress, make_number_scorer},
                                                     {multilabel, make_multilabel_scorer},
                                                     {tag, make_tag_scorer},
                                                     {answer, make_answer_scorer},
                                                     {choose, make_label_scorer},
                                                     {rank, make_rank_scorer}};
  const auto maker = std::ranges::find(kMakers, options.task, &std::pair<task::Task, Make>::first);
  assert(maker != std::end(kMakers));
  return maker->second(options);
}

}  // namespace bert::metric
