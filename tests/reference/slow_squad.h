// The records of a SQuAD file, read as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "io/json.h"

namespace bert::reference {

inline std::string slow_squad_record(const io::Json& article, const io::Json& paragraph,
                                     const io::Json& question) {
  std::string fields;
  const auto field = [&](const char* name, const io::Json& object) {
    const auto value = object.find(name);
    if (!value) return;
    fields += std::string(fields.empty() ? "" : ",") + '"' + name + "\":";
    if (value->kind() == io::Json::Kind::string) {
      io::append_string(fields, value->string());
    } else if (value->kind() == io::Json::Kind::boolean) {
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
    for (const io::Json& answer : answers->elements()) {
      if (!texts.empty()) texts += ',', starts += ',';
      io::append_string(texts, answer.find("text").value().string());
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
  io::JsonDocument document;
  for (const auto& [key, data] : document.parse(text).members()) {
    if (key != "data") continue;
    for (const io::Json& article : data.elements()) {
      for (const io::Json& paragraph : article.find("paragraphs").value().elements()) {
        for (const io::Json& question : paragraph.find("qas").value().elements())
          records.push_back(slow_squad_record(article, paragraph, question));
      }
    }
  }
  return records;
}

}  // namespace bert::reference
