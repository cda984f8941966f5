#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "json/json.h"
#include "json/members.h"
#include "text/bpe.h"
#include "text/json_block.h"
#include "text/tokenizer_files.h"
#include "text/utf8.h"
#include "text/vocabulary_cut.h"

namespace bert::text {
namespace {

// `object` with the values for which `replaced` returns another text. All other bytes stay as they are.
using Replaced = std::function<std::optional<std::string>(std::string_view key, std::string_view value)>;
std::string with_values(std::string_view object, const Replaced& replaced) {
  std::string text;
  size_t copied = 0;
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) {
    const auto value = object.substr(member.value_begin, member.value_end - member.value_begin);
    const auto other = replaced(member.key, value);
    if (!other) continue;
    text.append(object, copied, member.value_begin - copied).append(*other);
    copied = member.value_end;
  }
  return text.append(object, copied);
}

// From "{" on, as Members expects it.
std::string_view object_in(const std::string& path, std::string_view text) {
  const json::File check(path, text);
  return text.substr(text.find('{'));
}

// Ids are in lists of the key "ids" (TemplateProcessing), and after the token in "cls" and "sep".
void append_with_ids(std::string& out, std::string_view key, const json::Value& value,
                     const VocabularyCut& cut) {
  using enum json::Value::Kind;
  constexpr auto kWhat = "in post_processor";
  const auto append_id = [&](std::string& to, const json::Value& id) {
    json::append_integer(to, cut.id_of(id.integer(), kWhat));
  };
  const auto kind = value.kind();
  if (kind == object) {
    json::Object copy(out);
    for (const auto& [name, member] : value.members()) append_with_ids(copy.key(name), name, member, cut);
    copy.end();
  } else if (kind == array && key == "ids") {
    json::append_array(out, value.elements(), append_id);
  } else if (kind == array && (key == "cls" || key == "sep") && value.size() == 2) {
    const auto pair = value.elements();
    json::append_string(out += '[', pair[0].string());
    append_id(out += ',', pair[1]);
    out += ']';
  } else if (kind == array) {
    json::append_array(out, value.elements(), [&](std::string& to, const json::Value& element) {
      append_with_ids(to, "", element, cut);
    });
  } else if (kind == string) {
    json::append_string(out, value.string());
  } else if (kind == number) {
    json::append_integer(out, value.integer());
  } else {
    out += kind == null ? "null" : value.boolean() ? "true" : "false";
  }
}

bool flag_of(const json::Value& token, std::string_view key) {
  const auto found = token.find(key);
  return found && !found->is_null() && found->boolean();
}

// The list of added tokens in the order of their new ids.
std::string cut_added_tokens(const json::Value& list, const VocabularyCut& cut) {
  std::map<int32_t, json::Value> by_id;
  for (const auto& token : list.elements())
    by_id.emplace(cut.id_of(token.member("id").integer(), "among added_tokens"), token);
  std::string text;
  json::append_array(text, by_id, [](std::string& out, const auto& entry) {
    const auto& [id, token] = entry;
    json::Object object(out);
    object.integer("id", id);
    object.string("content", token.member("content").string());
    for (const auto* key : {"single_word", "lstrip", "rstrip"}) object.boolean(key, flag_of(token, key));
    const bool special = flag_of(token, "special");
    const auto normalized = token.find("normalized");
    object.boolean("normalized", normalized ? normalized->boolean() : !special);
    object.boolean("special", special);
    object.end();
  });
  return text;
}

// The first tokens of the cut are those of the model's own vocabulary; the rest are added tokens that it
// lacks, whose ids follow from their order. Returns the number of the first.
size_t check_added_last(const std::function<bool(std::string_view)>& in_vocabulary,
                        const VocabularyCut& cut) {
  size_t own = 0;
  const auto tokens = cut.tokens();
  while (own < tokens.size() && in_vocabulary(tokens[own])) ++own;
  for (size_t i = own; i < tokens.size(); ++i) {
    if (in_vocabulary(tokens[i]) || (i > own && cut.kept()[i] < cut.kept()[i - 1]))
      throw Error(
          cut.file(), ":", own + 1, ": the token ", json::in_quotes(tokens[own]),
          " was added to the model's vocabulary; such tokens must be the last ones, in the order that "
          "they have");
  }
  return own;
}

// {"token": id, ...} of WordPiece and BPE.
std::string cut_ids(const json::Value& vocab, const VocabularyCut& cut) {
  std::set<std::string_view> known;
  for (const auto& [token, id] : vocab.members()) known.insert(token);
  const size_t own = check_added_last([&](auto token) { return known.contains(token); }, cut);
  std::string text;
  json::Object object(text);
  for (size_t id = 0; id < own; ++id) object.integer(cut.tokens()[id], id);
  object.end();
  return text;
}

// [["token", score], ...] of Unigram.
std::string cut_scores(const json::Value& vocab, const VocabularyCut& cut) {
  std::unordered_map<std::string_view, double> scores;
  for (const auto& entry : vocab.elements()) {
    const auto pair = entry.elements();
    scores.insert_or_assign(pair[0].string(), pair[1].number());
  }
  const size_t own = check_added_last([&](auto token) { return scores.contains(token); }, cut);
  std::string text;
  json::append_array(text, cut.tokens().first(own), [&](std::string& out, const std::string& token) {
    json::append_string(out += '[', token);
    json::append_double(out += ',', scores.at(token));
    out += ']';
  });
  return text;
}

// The merges of BPE whose parts and results are kept.
class CutMerges {
 public:
  CutMerges(const json::Value& merges, const VocabularyCut& cut) : cut_(cut) {
    for (const auto& merge : merges.elements()) {
      listed_ = merge.is_array();
      if (listed_)
        pairs_.emplace_back(merge.strings().at(0), merge.strings().at(1));
      else
        pairs_.push_back(merge_of(merge.string()));
    }
    for (size_t rank = 0; rank < pairs_.size(); ++rank)
      ranks_.emplace(pairs_[rank].first + " " + pairs_[rank].second, rank);
  }

  // Throws Error if a token that `token` is merged from is not kept. Special tokens may have no merges.
  void check(std::string_view token) const {
    std::vector<std::string> parts;
    for (size_t at = 0; at < token.size(); at += parts.back().size())
      parts.emplace_back(token.substr(at, decode(token.data() + at).size));
    auto needed = parts;
    while (const auto place = first_merge(parts)) {
      parts[*place] += parts[*place + 1];
      parts.erase(parts.begin() + static_cast<ptrdiff_t>(*place) + 1);
      needed.push_back(parts[*place]);
    }
    const auto lacking = std::ranges::find_if(needed, [&](const auto& part) { return !cut_.has(part); });
    if (parts.size() == 1 && lacking != needed.end())
      throw Error(cut_.file(), ": has ", json::in_quotes(token), ", but not ", json::in_quotes(*lacking),
                  ", which it is merged from");
  }

  std::string text() const {
    std::vector<std::pair<std::string, std::string>> kept;
    for (const auto& [left, right] : pairs_)
      if (cut_.has(left) && cut_.has(right) && cut_.has(left + right)) kept.emplace_back(left, right);
    std::string text;
    json::append_array(text, kept, [&](std::string& out, const auto& merge) {
      const std::string both[] = {merge.first, merge.second};
      if (listed_)
        json::append_strings(out, both);
      else
        json::append_string(out, both[0] + " " + both[1]);
    });
    return text;
  }

 private:
  // The place of the two parts that are merged next.
  std::optional<size_t> first_merge(std::span<const std::string> parts) const {
    std::optional<size_t> place;
    size_t best = pairs_.size();
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto rank = ranks_.find(parts[i] + " " + parts[i + 1]);
      if (rank == ranks_.end() || rank->second >= best) continue;
      best = rank->second;
      place = i;
    }
    return place;
  }

  const VocabularyCut& cut_;
  bool listed_ = true;  // ["a", "b"], not "a b"
  std::vector<std::pair<std::string, std::string>> pairs_;
  std::unordered_map<std::string, size_t> ranks_;
};

// What the cut of a model needs to know of the other blocks.
struct Around {
  std::set<std::string> added;  // tokens
  bool bytes = false;           // byte-level: every text needs the tokens of the 256 bytes
};

bool has_byte_level(const json::Value& pre_tokenizer) {
  const auto type = pre_tokenizer.find("type");
  if (type && type->string() == "ByteLevel") return true;
  const auto steps = pre_tokenizer.find("pretokenizers");
  return steps && std::ranges::any_of(steps->elements(), has_byte_level);
}

Around around_model(const json::File& file) {
  Around around;
  if (const auto list = file.find("added_tokens"))
    for (const auto& token : list->elements()) around.added.emplace(token.member("content").string());
  const auto pre_tokenizer = file.find("pre_tokenizer");
  around.bytes = pre_tokenizer && has_byte_level(*pre_tokenizer);
  return around;
}

std::string cut_merges(const json::Value& model, const VocabularyCut& cut, const Around& around) {
  const CutMerges merges(model.member("merges"), cut);
  if (around.bytes)
    for (const auto& character : byte_characters())
      if (!cut.has(character))
        throw Error(cut.file(), ": lacks ", json::in_quotes(character), ", one of the 256 tokens of bytes");
  for (const auto& token : cut.tokens())
    if (!around.added.contains(token)) merges.check(token);
  return merges.text();
}

std::string cut_model(std::string_view text, const VocabularyCut& cut, const Around& around) {
  json::Document document;
  const auto model = document.parse(text);
  const auto vocab = model.member("vocab");
  return with_values(text, [&](auto key, auto value) -> std::optional<std::string> {
    if (key == "vocab") return vocab.is_array() ? cut_scores(vocab, cut) : cut_ids(vocab, cut);
    if (key == "merges") return cut_merges(model, cut, around);
    if (key != "unk_id" || value == "null") return std::nullopt;
    return std::to_string(cut.id_of(model.member("unk_id").integer(), "the unknown token"));
  });
}

// {"pad_id": 0, ...}
std::string cut_padding(std::string_view text, const VocabularyCut& cut) {
  return with_values(text, [&](auto key, auto value) -> std::optional<std::string> {
    json::Document document;
    if (key != "pad_id") return std::nullopt;
    return std::to_string(cut.id_of(document.parse(value).integer(), "in padding"));
  });
}

}  // namespace

std::string cut_tokenizer_json(const std::string& path, std::string_view text, const VocabularyCut& cut) {
  const json::File file(path, text);
  const Around around = around_model(file);
  return with_values(object_in(path, text), [&](auto key, auto value) -> std::optional<std::string> {
    if (value == "null") return std::nullopt;
    if (key == "added_tokens") return cut_added_tokens(*file.find(key), cut);
    if (key == "model") return cut_model(value, cut, around);
    if (key == "padding") return cut_padding(value, cut);
    if (key != "post_processor") return std::nullopt;
    std::string processor;
    append_with_ids(processor, key, *file.find(key), cut);
    return processor;
  });
}

std::string without_lengths(const std::string& path, std::string_view text) {
  return with_values(object_in(path, text), [](auto key, auto) -> std::optional<std::string> {
    return key == "truncation" || key == "padding" ? std::optional<std::string>("null") : std::nullopt;
  });
}

std::string cut_tokenizer_config(const std::string& path, std::string_view text, const VocabularyCut& cut) {
  return with_values(object_in(path, text), [&](auto key, auto value) -> std::optional<std::string> {
    if (key != "added_tokens_decoder" || value == "null") return std::nullopt;
    std::map<int32_t, std::string> by_id;
    json::Members tokens(value);
    for (json::Members::Member token; tokens.next(token);) {
      int64_t id = -1;
      std::from_chars(token.key.data(), token.key.data() + token.key.size(), id);
      by_id.emplace(cut.id_of(id, "in added_tokens_decoder"),
                    value.substr(token.value_begin, token.value_end - token.value_begin));
    }
    std::string out;
    json::Object object(out);
    for (const auto& [id, token] : by_id) object.key(std::to_string(id)) += token;
    object.end();
    return out;
  });
}

}  // namespace bert::text
