#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "json/json.h"
#include "text/json_block.h"
#include "text/tokenizer_files.h"

namespace bert::text {
namespace {

void read_wordpiece(const json::File& file, const Block& model, TokenizerParts& parts) {
  parts.config.unk = model.string("unk_token", "[UNK]");
  parts.config.prefix = model.string("continuing_subword_prefix", "##");
  parts.config.max_word_chars = model.integer("max_input_chars_per_word", 100);
  if (parts.config.max_word_chars < 0) {
    throw Error(file.path(), ": model.max_input_chars_per_word is ", parts.config.max_word_chars,
                ", expected at least 0");
  }
  parts.subwords = read_ids(file, model);
}

void read_normalizer(const json::File& file, TokenizerConfig& config) {
  if (!file.find("normalizer")) {
    config.clean_text = config.chinese_chars = config.lowercase = config.strip_accents = false;
    return;
  }
  const Block normalizer = required(file, "normalizer");
  normalizer.require_type("BertNormalizer");
  config.clean_text = normalizer.boolean("clean_text", true);
  config.chinese_chars = normalizer.boolean("handle_chinese_chars", true);
  config.lowercase = normalizer.boolean("lowercase", true);
  config.strip_accents = normalizer.boolean("strip_accents", config.lowercase);
}

// Hugging Face's tokenizers ignore the id in the file: an added token gets the id of the equal vocabulary
// entry, otherwise the next id after the vocabulary. So the file must give that id.
class AddedIds {
 public:
  explicit AddedIds(const std::vector<std::string>& subwords)
      : subwords_(subwords), next_(std::count_if(subwords.begin(), subwords.end(), [](auto& subword) {
          return !subword.empty();
        })) {}

  void check(const Block& block, const AddedToken& token) {
    const size_t id = token.id;
    if (id < subwords_.size() && subwords_[id] == token.content) return;
    const auto subword = std::find(subwords_.begin(), subwords_.end(), token.content);
    const int64_t expected = subword != subwords_.end() ? subword - subwords_.begin() : next_++;
    if (token.id != expected)
      block.refuse("gives " + token.content + " the id " + std::to_string(token.id),
                   "the id " + std::to_string(expected));
  }

 private:
  const std::vector<std::string>& subwords_;
  int64_t next_;
};

void read_token_list(const json::File& file, TokenizerParts& parts) {
  const std::optional<json::Value> list = file.find("added_tokens");
  if (!list) return;
  AddedIds ids(parts.subwords);
  size_t number = 0;
  for (const json::Value& json : list->elements()) {
    const Block block(file, "added_tokens[" + std::to_string(number++) + "]", json);
    const bool special = block.boolean("special", false);
    const int64_t id = block.integer("id", 0);
    AddedToken token{.content = block.string("content", ""),
                     .id = static_cast<int32_t>(id),
                     .single_word = block.boolean("single_word", false),
                     .lstrip = block.boolean("lstrip", false),
                     .rstrip = block.boolean("rstrip", false),
                     .normalized = block.boolean("normalized", !special),
                     .special = special};
    if (token.content.empty()) throw Error(file.path(), ": ", block.name(), " has no content");
    if (id < 0 || id > std::numeric_limits<int32_t>::max())
      throw Error(file.path(), ": ", block.name(), ".id is ", id, ", expected 0 to 2147483647");
    const bool again = std::any_of(parts.config.added.begin(), parts.config.added.end(),
                                   [&](const AddedToken& other) { return other.content == token.content; });
    if (!again) ids.check(block, token);
    add_token(std::move(token), parts.config);
  }
}

// An unsupported template is refused in the library's notation: "[CLS]:0 $A:0 [SEP]:0".
std::string describe(const Block& processor, std::string_view key) {
  const std::optional<json::Value> items = processor.find(key);
  std::string text;
  if (!items) return text;
  return processor.named(key, [&] {
    for (const json::Value& item : items->elements()) {
      for (const auto& [kind, value] : item.members()) {
        const auto id = value.find("id");
        const auto type = value.find("type_id");
        if (!id || !type) throw Error("has an item without id or type_id");
        if (!text.empty()) text += ' ';
        if (kind == "Sequence") text += '$';
        text.append(id->string()).append(":").append(std::to_string(type->integer()));
      }
    }
    return text;
  });
}

// The id in special_tokens: {"[CLS]": {"id": "[CLS]", "ids": [101], "tokens": ["[CLS]"]}, ...}
std::optional<int64_t> given_id(const Block& processor, const std::string& token) {
  const std::optional<json::Value> specials = processor.find("special_tokens");
  if (!specials) return std::nullopt;
  return processor.named("special_tokens", [&] {
    const std::optional<json::Value> entry = specials->find(token);
    const std::optional<json::Value> ids = entry ? entry->find("ids") : std::nullopt;
    if (!ids || ids->elements().size() != 1) throw Error("does not give ", token, " one id");
    return std::optional(ids->elements().front().integer());
  });
}

// The template of a pair in this layout, given that of a single text.
std::string pair_template(const std::string& single, const std::string& sep, const Layout& layout) {
  const std::string type = std::to_string(layout.second_type);
  std::string pair = single;
  for (int32_t i = 1; i < layout.separators; ++i) pair += " " + sep + ":0";
  return pair + " $B:" + type + " " + sep + ":" + type;
}

void read_template(const Block& processor, TokenizerConfig& config) {
  const std::string single = describe(processor, "single");
  const size_t first = single.find(":0 $A:0 ");
  const size_t last = single.rfind(' ');
  if (first == std::string::npos || !single.ends_with(":0")) {
    processor.refuse("has the template \"" + single + "\"", "[CLS]:0 $A:0 [SEP]:0");
  }
  config.cls = single.substr(0, first);
  config.sep = single.substr(last + 1, single.size() - last - 3);
  const std::string expected_single = config.cls + ":0 $A:0 " + config.sep + ":0";
  if (single != expected_single)
    processor.refuse("has the template \"" + single + "\"", "[CLS]:0 $A:0 [SEP]:0");
  config.given_cls = given_id(processor, config.cls);
  config.given_sep = given_id(processor, config.sep);
  const std::string pair = describe(processor, "pair");
  for (const int32_t separators : {1, 2}) {
    for (const int32_t second_type : {0, 1}) {
      config.layout = {.separators = separators, .second_type = second_type};
      if (pair == pair_template(expected_single, config.sep, config.layout)) return;
    }
  }
  config.layout = Layout();
  if (!pair.empty())
    processor.refuse("has the pair template \"" + pair + "\"",
                     "\"" + pair_template(expected_single, config.sep, config.layout) + "\"");
}

// {"cls": ["[CLS]", 101], "sep": ["[SEP]", 102]}
void read_cls_and_sep(const json::File& file, const Block& processor, TokenizerConfig& config) {
  const auto read = [&](const char* key, std::string& token, std::optional<int64_t>& id) {
    const std::optional<json::Value> entry = processor.find(key);
    if (!entry) throw Error(file.path(), ": ", processor.name(), " has no ", key);
    processor.named(key, [&] {
      const std::vector<json::Value> elements = entry->elements();
      if (elements.size() != 2) throw Error("is not a token and its id");
      token = elements[0].string();
      id = elements[1].integer();
    });
  };
  read("cls", config.cls, config.given_cls);
  read("sep", config.sep, config.given_sep);
}

void read_post_processor(const json::File& file, const Block& processor, TokenizerParts& parts) {
  const std::string type = processor.string("type", "");
  const auto trims = [&] {
    if (processor.boolean("trim_offsets", true))
      parts.config.trim_offsets = TrimOffsets{processor.boolean("add_prefix_space", true)};
  };
  if (type == "TemplateProcessing" && parts.config.specials) return read_template(processor, parts.config);
  if (type == "TemplateProcessing" || (type == "BertProcessing" && !parts.config.specials)) return;
  if (type == "BertProcessing") return read_cls_and_sep(file, processor, parts.config);
  if (type == "RobertaProcessing") {
    trims();
    parts.config.layout = {.separators = 2, .second_type = 0};
    return read_cls_and_sep(file, processor, parts.config);
  }
  if (type == "ByteLevel") return trims();
  if (type != "Sequence")
    processor.refuse("is " + type, "TemplateProcessing, BertProcessing or RobertaProcessing");
  const auto list = processor.find("processors");
  const auto steps = list ? list->elements() : std::vector<json::Value>();
  for (size_t i = 0; i < steps.size(); ++i)
    read_post_processor(file, {file, processor.name() + "[" + std::to_string(i) + "]", steps[i]}, parts);
}

void read_truncation(const json::File& file, TokenizerConfig& config) {
  if (!file.find("truncation")) return;
  const Block block = required(file, "truncation");
  Truncation truncation;
  truncation.max_length = block.integer("max_length", 512);
  truncation.stride = block.integer("stride", 0);
  const std::string direction = block.string("direction", "Right");
  if (direction != "Right" && direction != "Left")
    block.refuse("has the direction " + direction, "Right or Left");
  config.truncate_left = direction == "Left";
  using Strategy = Truncation::Strategy;
  static constexpr std::array<std::pair<std::string_view, Strategy>, 6> kStrategies = {
      {{"LongestFirst", Strategy::longest_first},
       {"longest_first", Strategy::longest_first},
       {"OnlyFirst", Strategy::only_first},
       {"only_first", Strategy::only_first},
       {"OnlySecond", Strategy::only_second},
       {"only_second", Strategy::only_second}}};
  const std::string strategy = block.string("strategy", "LongestFirst");
  for (const auto& [name, value] : kStrategies) {
    if (name != strategy) continue;
    truncation.strategy = value;
    config.truncation = truncation;
    return;
  }
  block.refuse("has the strategy " + strategy, "LongestFirst, OnlyFirst or OnlySecond");
}

// Old files do not say the type.
std::string model_type(const Block& model) {
  const auto vocab = model.find("vocab");
  const bool is_array = vocab && vocab->is_array();
  return model.string("type", is_array ? "Unigram" : model.find("merges") ? "BPE" : "WordPiece");
}

void read_decoder(const json::File& file, TokenizerConfig& config) {
  const std::optional<json::Value> json = file.find("decoder");
  if (!json) return;
  const Block decoder(file, "decoder", *json);
  decoder.require_type("WordPiece");
  const std::string prefix = decoder.string("prefix", "##");
  if (prefix != config.prefix)
    decoder.refuse("has the prefix " + prefix, config.prefix + ", the prefix of the model,");
  config.decode_cleanup = decoder.boolean("cleanup", true);
}

}  // namespace

TokenizerParts read_tokenizer_json(const std::string& path, const ModelSettings& settings) {
  const json::File file(path);
  TokenizerParts parts;
  parts.config.specials = settings.specials;
  const Block model = required(file, "model");
  const std::string type = model_type(model);
  const bool composed = type == "Unigram" || type == "BPE";
  if (composed) {
    read_composition(file, type, parts);
  } else {
    if (type != "WordPiece") model.refuse("is " + type, "WordPiece, Unigram or BPE");
    read_wordpiece(file, model, parts);
    read_normalizer(file, parts.config);
    required(file, "pre_tokenizer").require_type("BertPreTokenizer");
    read_decoder(file, parts.config);
  }
  read_token_list(file, parts);
  if (settings.specials || file.find("post_processor"))
    read_post_processor(file, required(file, "post_processor"), parts);
  read_truncation(file, parts.config);
  return parts;
}

}  // namespace bert::text
