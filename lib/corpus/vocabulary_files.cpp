#include "corpus/vocabulary_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "json/json.h"
#include "text/bpe_learner.h"

namespace bert::corpus {
namespace {

using text::kRobertaSpecials;

// Digits of a score after the point: exp() differs between processors in later ones.
constexpr int kScorePrecision = 6;

void append_type(std::string& out, std::string_view type) {
  json::Object object(out);
  object.string("type", type);
  object.end();
}

void append_normalizer(std::string& out, std::span<const text::NormalizerStep> steps) {
  if (steps.empty()) {
    out += "null";
    return;
  }
  json::Object object(out);
  object.string("type", "Sequence");
  json::append_array(object.key("normalizers"), steps, [](std::string& list, const auto& step) {
    append_type(list, text::name_of(step.kind));
  });
  object.end();
}

void append_metaspace(std::string& out) {
  json::Object object(out);
  object.string("type", "Metaspace");
  object.string("replacement", text::kMetaspace);
  object.string("prepend_scheme", "always");
  object.boolean("split", true);
  object.end();
}

void append_byte_level(std::string& out) {
  json::Object object(out);
  object.string("type", "ByteLevel");
  object.boolean("add_prefix_space", false);
  object.boolean("trim_offsets", true);
  object.boolean("use_regex", true);
  object.end();
}

void append_pre_tokenizer(std::string& out, const text::Composition& composition) {
  if (composition.byte_level) return append_byte_level(out);
  json::Object object(out);
  object.string("type", "Sequence");
  std::string& list = object.key("pretokenizers") += '[';
  append_type(list, "WhitespaceSplit");
  append_metaspace(list += ',');
  list += ']';
  object.end();
}

class Ids {
 public:
  explicit Ids(std::span<const std::string> subwords) : subwords_(subwords) {}
  int64_t of(std::string_view token) const {
    return std::find(subwords_.begin(), subwords_.end(), token) - subwords_.begin();
  }

 private:
  std::span<const std::string> subwords_;
};

// <mask> takes the space before it.
void append_added_tokens(std::string& out, const Ids& ids) {
  json::append_array(out, kRobertaSpecials, [&](std::string& list, std::string_view token) {
    json::Object object(list);
    object.integer("id", ids.of(token));
    object.string("content", token);
    object.boolean("single_word", false);
    object.boolean("lstrip", token == kRobertaSpecials.back());
    object.boolean("rstrip", false);
    object.boolean("normalized", false);
    object.boolean("special", true);
    object.end();
  });
}

// <s> A </s>, and <s> A </s> </s> B </s>
void append_post_processor(std::string& out, const Ids& ids, const text::Composition& composition) {
  json::Object object(out);
  object.string("type", "RobertaProcessing");
  for (const auto& [key, token] : {std::pair{"sep", "</s>"}, std::pair{"cls", "<s>"}}) {
    std::string& pair = object.key(key) += '[';
    json::append_string(pair, token);
    json::append_integer(pair += ',', ids.of(token));
    pair += ']';
  }
  object.boolean("trim_offsets", composition.byte_level.has_value());
  object.boolean("add_prefix_space", false);
  object.end();
}

void append_unigram(std::string& out, std::span<const std::string> subwords,
                    const text::UnigramData& unigram) {
  json::Object object(out);
  object.string("type", "Unigram");
  object.integer("unk_id", unigram.unk);
  std::string& list = object.key("vocab") += '[';
  for (size_t id = 0; id < subwords.size(); ++id) {
    list += id == 0 ? "\n[" : ",\n[";
    json::append_string(list, subwords[id]);
    json::append_double(list += ',', unigram.scores[id], kScorePrecision);
    list += ']';
  }
  list += "\n]";
  object.boolean("byte_fallback", unigram.byte_fallback);
  object.end();
}

void append_bpe(std::string& out, std::span<const std::string> subwords, const text::BpeData& bpe) {
  json::Object object(out);
  object.string("type", "BPE");
  for (const auto* key : {"dropout", "unk_token"}) object.null(key);
  for (const auto* key : {"continuing_subword_prefix", "end_of_word_suffix"}) object.string(key, "");
  for (const auto* key : {"fuse_unk", "byte_fallback", "ignore_merges"}) object.boolean(key, false);
  std::string& ids = object.key("vocab") += '{';
  for (size_t id = 0; id < subwords.size(); ++id) {
    ids += id == 0 ? "\n" : ",\n";
    json::append_string(ids, subwords[id]);
    json::append_integer(ids += ':', id);
  }
  ids += "\n}";
  std::string& list = object.key("merges") += '[';
  for (size_t rank = 0; rank < bpe.merges.size(); ++rank) {
    list += rank == 0 ? "\n" : ",\n";
    json::append_string(list, bpe.merges[rank].first + " " + bpe.merges[rank].second);
  }
  list += "\n]";
  object.end();
}

std::string wordpiece_config_json(const text::TokenizerConfig& config) {
  std::string text;
  json::Object object(text, 0);
  object.string("tokenizer_class", "BertTokenizer");
  object.boolean("do_lower_case", config.lowercase);
  object.boolean("strip_accents", config.strip_accents);
  object.boolean("tokenize_chinese_chars", config.chinese_chars);
  object.string("unk_token", "[UNK]");
  object.string("sep_token", "[SEP]");
  object.string("pad_token", "[PAD]");
  object.string("cls_token", "[CLS]");
  object.string("mask_token", "[MASK]");
  object.end();
  return text + "\n";
}

}  // namespace

std::string tokenizer_json(std::span<const std::string> subwords, const text::Composition& composition) {
  const Ids ids(subwords);
  std::string text;
  json::Object object(text, 0);
  object.string("version", "1.0");
  for (const auto* key : {"truncation", "padding"}) object.null(key);
  append_added_tokens(object.key("added_tokens"), ids);
  append_normalizer(object.key("normalizer"), composition.normalizer);
  append_pre_tokenizer(object.key("pre_tokenizer"), composition);
  append_post_processor(object.key("post_processor"), ids, composition);
  std::string& decoder = object.key("decoder");
  if (composition.byte_level)
    append_byte_level(decoder);
  else
    append_metaspace(decoder);
  std::string& model = object.key("model");
  if (composition.unigram)
    append_unigram(model, subwords, *composition.unigram);
  else
    append_bpe(model, subwords, *composition.bpe);
  object.end();
  return text + "\n";
}

// For other kinds than WordPiece, the class that takes tokenizer.json as it is; the classes of RoBERTa and
// XLM-R replace parts of it.
std::string tokenizer_config_json(const text::TokenizerConfig& config) {
  if (config.model == text::ModelKind::wordpiece) return wordpiece_config_json(config);
  std::string text;
  json::Object object(text, 0);
  object.string("tokenizer_class", "PreTrainedTokenizerFast");
  for (const auto& [key, token] :
       {std::pair{"bos_token", "<s>"}, std::pair{"eos_token", "</s>"}, std::pair{"unk_token", "<unk>"},
        std::pair{"sep_token", "</s>"}, std::pair{"pad_token", "<pad>"}, std::pair{"cls_token", "<s>"},
        std::pair{"mask_token", "<mask>"}})
    object.string(key, token);
  const std::string inputs[] = {"input_ids", "attention_mask"};
  object.strings("model_input_names", inputs);
  object.end();
  return text + "\n";
}

}  // namespace bert::corpus
