// The records of a SQuAD file, read as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/json.h"

namespace bert::reference {

inline std::string slow_squad_record(const json::Value& article, const json::Value& paragraph,
                                     const json::Value& question) {
  std::string fields;
  const auto field = [&](const char* name, const json::Value& object) {
    const auto value = object.find(name);
    if (!value) return;
    fields += std::string(fields.empty() ? "" : ",") + '"' + name + "\":";
    if (value->kind() == json::Value::Kind::string) {
      json::append_string(fields, value->string());
    } else if (value->kind() == json::Value::Kind::boolean) {
      fields += value->boolean() ? "true" : "false";
    } else {
      fields += std::to_string(value->integer());
    }
  };
  field("id", question);
  field("title", article);
  field("context", paragraph);
  field("question", question);
  if (const auto answers = question.find("answers")) {
    std::string texts, starts;
    for (const json::Value& answer : answers->elements()) {
      if (!texts.empty()) texts += ',', starts += ',';
      json::append_string(texts, answer.find("text").value().string());
      starts += std::to_string(answer.find("answer_start").value().integer());
    }
    fields += ",\"answers\":{\"text\":[" + texts + "],\"answer_start\":[" + starts + "]}";
  }
  field("is_impossible", question);
  return '{' + fields + '}';
}

// Throws if `text` is not a SQuAD file. White space alone has no records.
inline std::vector<std::string> slow_squad(std::string_view text) {
  std::vector<std::string> records;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return records;
  json::Document document;
  bool has_data = false;
  for (const auto& [key, data] : document.parse(text).members()) {
    if (key != "data") continue;
    has_data = true;
    for (const json::Value& article : data.elements()) {
      for (const json::Value& paragraph : article.find("paragraphs").value().elements()) {
        for (const json::Value& question : paragraph.find("qas").value().elements())
          records.push_back(slow_squad_record(article, paragraph, question));
      }
    }
  }
  if (!has_data) throw Error("has no data");
  return records;
}

}  // namespace bert::reference
