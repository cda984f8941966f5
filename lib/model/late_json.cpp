#include "model/late_json.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::model {

using json::in_quotes;

namespace {

std::optional<int64_t> length_in(const json::File& file, std::string_view key) {
  if (!file.find(key)) return std::nullopt;
  const int64_t length = file.integer(key);
  if (length < 1) throw Error(file.path(), ": \"", key, "\" is ", length, ", expected at least 1");
  return length;
}

QueryExpansion read_expansion(const json::Value& settings) {
  QueryExpansion expansion;
  for (const auto& [key, value] : settings.members()) {
    if (key == "strategy") {
      expansion.cuts = value.string() == "fixed";
      if (!expansion.cuts && value.string() != "min")
        throw Error("has the strategy ", in_quotes(value.string()), ", expected fixed or min");
    } else if (key == "attend") {
      expansion.is_attended = value.boolean();
    } else if (key == "length") {
      expansion.length = value.integer();
    } else if (key != "token") {
      throw Error("has the unknown key ", in_quotes(key));
    } else if (!value.is_null()) {
      expansion.token = value.string();
    }
  }
  if (expansion.length < 1) throw Error("has the length ", expansion.length, ", expected at least 1");
  return expansion;
}

std::vector<std::string> texts_in(const json::Value& list) {
  const auto texts = list.strings();
  return {texts.begin(), texts.end()};
}

// ASCII punctuation, a character each.
std::vector<std::string> punctuation() {
  std::vector<std::string> marks;
  for (const char c : std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")) marks.emplace_back(1, c);
  return marks;
}

}  // namespace

std::optional<LateInteraction> read_late(const json::File& file) {
  LateInteraction late;
  late.query_length = length_in(file, "query_length");
  late.document_length = length_in(file, "document_length");
  if (const auto expansion = file.find("query_expansion")) {
    try {
      late.expansion = read_expansion(*expansion);
    } catch (const Error& error) {
      throw Error(file.path(), ": \"query_expansion\" ", error.what());
    }
  }
  if (!late.query_length && !late.document_length && !late.expansion) return std::nullopt;
  return late;
}

void read_late_mask(const json::File& file, LateInteraction& late) {
  if (const auto words = file.find("skiplist_words")) late.skipped = texts_in(*words);
  if (const auto tasks = file.find("skiplist_tasks")) {
    const auto names = texts_in(*tasks);
    const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
    late.skips_in_queries = has("query");
    late.skips_in_documents = has("document");
  }
  if (const auto kept = file.find("keep_only_token_ids"); kept && kept->size() > 0)
    throw Error(file.path(), ": \"keep_only_token_ids\" is set, which is not supported");
}

void read_prefixes(const json::File& file, SentenceTransformer& sentence) {
  for (const std::string name : {"query", "document"}) {
    const auto prefix = file.string(name + std::string(kPrefix), "");
    if (prefix.empty()) continue;
    auto& prompt = sentence.prompts[name];
    if (!prompt.starts_with(prefix)) prompt.insert(0, prefix);
    sentence.late->marks[name] = prefix;
  }
}

void read_pylate(const json::File& file, LateInteraction& late) {
  late.document_length = length_in(file, "document_length");
  const auto query_length = length_in(file, "query_length");
  if (file.boolean("do_query_expansion", true)) {
    auto& expansion = late.expansion.emplace();
    expansion.length = query_length.value_or(expansion.length);
    expansion.is_attended = file.boolean("attend_to_expansion_tokens", false);
  } else {
    late.query_length = query_length;
  }
  const auto words = file.find("skiplist_words");
  late.skipped = words ? texts_in(*words) : punctuation();
}

namespace {

// The marks are tokens before the text. Queries always get tokens for masks.
void read_metadata(const json::File& file, SentenceTransformer& sentence) {
  auto& late = *sentence.late;
  late.document_length = length_in(file, "doc_maxlen");
  late.expansion->length = length_in(file, "query_maxlen").value_or(late.expansion->length);
  late.expansion->is_attended = file.boolean("attend_to_mask_tokens", false);
  if (!file.boolean("mask_punctuation", true)) late.skipped.clear();
  if (const auto similarity = file.string("similarity", "cosine"); similarity != "cosine")
    throw Error(file.path(), ": \"similarity\" is ", in_quotes(similarity), ", expected cosine");
  for (const auto& [key, name] : {std::pair("query_token_id", "query"), {"doc_token_id", "document"}})
    if (const auto mark = file.string(key, ""); !mark.empty()) late.marks[name] = mark + " ";
}

}  // namespace

void read_stanford(const std::string& directory, int64_t hidden, SentenceTransformer& sentence) {
  auto& late = sentence.late.emplace();
  late.dense_in_encoder = true;
  late.expansion.emplace();
  late.skipped = punctuation();
  late.marks = {{"query", "[unused0] "}, {"document", "[unused1] "}};
  const auto path = (std::filesystem::path(directory) / "artifact.metadata").string();
  if (is_file(path)) read_metadata(json::File(path), sentence);
  for (const auto& [name, mark] : late.marks) sentence.prompts[name] = mark;
  const auto weights = ckpt::Checkpoint::open(directory, ckpt::DataSums::leave);
  const auto* const projection = weights.find(kStanfordProjection);
  if (projection == nullptr || projection->shape.size() != 2 || projection->shape[1] != hidden)
    throw Error(directory, ": ", kStanford, " needs a tensor ", in_quotes(kStanfordProjection), " [any, ",
                hidden, "]");
  Dense dense = {.in = hidden, .out = projection->shape[0], .activation = nn::Activation::none};
  dense.weight.resize(projection->count());
  ckpt::to_f32(*projection, dense.weight);
  sentence.modules = {std::move(dense), Normalize()};
}

}  // namespace bert::model
