// Cutting a vocabulary, in the files of tests/golden/cut and in small ones.
#include "text/vocabulary_cut.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"
#include "json/json.h"

namespace bert::text {
namespace {

std::string model_of(const std::string& type) { return (golden::directory() / "cut" / type).string(); }

// All tokens of a tokenizer but those of `left_out`, one per line, `last` at the end.
std::string lines_of(const Tokenizer& tokenizer, const std::vector<std::string>& left_out = {}) {
  std::string lines;
  for (int32_t id = 0; id < tokenizer.size(); ++id)
    if (const auto token = std::string(tokenizer.subword(id));
        std::ranges::find(left_out, token) == left_out.end())
      lines += token + "\n";
  return lines;
}

std::string error_of(const std::string& type, const std::string& lines) {
  const Folder folder;
  const auto file = folder.write("kept", lines);
  const auto tokenizer = load_tokenizer(model_of(type));
  try {
    const VocabularyCut cut(file, tokenizer, tokenizer.size());
    const auto json = model_of(type) + "/tokenizer.json";
    cut_tokenizer_json(json, read_file(json), cut);
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.size());
  }
  return "";
}

}  // namespace

TEST_CASE("tokens are found by name when others were added after the vocabulary") {
  for (const auto* type : {"roberta", "xlm-roberta", "albert", "bert"}) {
    const auto tokenizer = load_tokenizer(model_of(type));
    for (int32_t id = 0; id < tokenizer.size(); ++id) {
      CAPTURE(tokenizer.subword(id));
      CHECK(tokenizer.id(tokenizer.subword(id)) == id);
    }
  }
}

TEST_CASE("a cut to all tokens is the same tokenizer") {
  for (const auto* type : {"roberta", "xlm-roberta", "bert"}) {
    CAPTURE(type);
    const auto tokenizer = load_tokenizer(model_of(type));
    const Folder folder;
    const VocabularyCut cut(folder.write("kept", lines_of(tokenizer)), tokenizer, tokenizer.size());
    const auto path = model_of(type) + "/tokenizer.json";
    const auto text = cut_tokenizer_json(path, read_file(path), cut);
    folder.write("tokenizer.json", text);
    for (const auto* name : {"tokenizer_config.json", "config.json"})
      folder.write(name, read_file(model_of(type) + "/" + name));
    const auto copy = load_tokenizer(folder.path());
    REQUIRE(copy.size() == tokenizer.size());
    for (int32_t id = 0; id < copy.size(); ++id) CHECK(copy.subword(id) == tokenizer.subword(id));
    CHECK(copy.config().composition == tokenizer.config().composition);
    CHECK(copy.config().added.size() == tokenizer.config().added.size());
  }
}

TEST_CASE("files that are no part of the vocabulary are refused with line or names") {
  const auto bert = load_tokenizer(model_of("bert"));
  CHECK(error_of("bert", lines_of(bert)).empty());
  CHECK(error_of("bert", lines_of(bert) + "castle\n") == ":" + std::to_string(bert.size() + 1) +
                                                             ": repeats the token \"castle\" of line " +
                                                             std::to_string(*bert.id("castle") + 1));
  CHECK(error_of("bert", "[PAD]\n\n") == ":2: is empty, expected a token");
  CHECK(error_of("bert", lines_of(bert) + "a1\na2\na3\na4\n") ==
        ": has 4 tokens that the model lacks: \"a1\", \"a2\", \"a3\", ...");
  CHECK(error_of("bert", lines_of(bert, {"[MASK]", "[UNK]"})) ==
        ": lacks 2 special or added tokens of the model: \"[MASK]\", \"[UNK]\"");
}

TEST_CASE("tokens of BPE need the ones that they are merged from, and the bytes") {
  const auto bpe = load_tokenizer(model_of("roberta"));
  REQUIRE(bpe.id("Ġthe"));
  CHECK(error_of("roberta", lines_of(bpe)).empty());
  CHECK(error_of("roberta", lines_of(bpe, {"he"})).ends_with(", but not \"he\", which it is merged from"));
  CHECK(error_of("roberta", lines_of(bpe, {"Ġthe"})).empty());
  CHECK(error_of("roberta", lines_of(bpe, {"q"})) == ": lacks \"q\", one of the 256 tokens of bytes");
}

TEST_CASE("BPE of characters needs no bytes, and may have merges as strings") {
  const Folder folder;
  const auto json = folder.write("tokenizer.json", R"({"added_tokens": [], "normalizer": null,
 "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
 "post_processor": {"type": "BertProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2]},
 "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3,
 "<mask>": 4, "a": 5, "b": 6, "c": 7, "▁": 8, "ab": 9, "bc": 10, "▁ab": 11}, "merges": ["a b", "b c", "▁ ab"]}})");
  const auto tokenizer = load_tokenizer(folder.path());
  const VocabularyCut cut(folder.write("kept", "<s>\n<pad>\n</s>\n<unk>\n▁ab\nab\na\nb\n▁\n<mask>\n"),
                          tokenizer, tokenizer.size());
  const auto text = cut_tokenizer_json(json, read_file(json), cut);
  CHECK(text.ends_with(
      R"("vocab": {"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"▁ab":4,"ab":5,"a":6,"b":7,"▁":8,"<mask>":9}, "merges": ["a b","▁ ab"]}})"));
}

TEST_CASE("tokens that were added after the vocabulary are the last ones") {
  const auto unigram = load_tokenizer(model_of("xlm-roberta"));
  CHECK(error_of("xlm-roberta", "<mask>\n" + lines_of(unigram, {"<mask>"})) ==
        ":1: the token \"<mask>\" was added to the model's vocabulary; such tokens must be the last ones, in "
        "the order that they have");
}

TEST_CASE("all ids of tokenizer.json and tokenizer_config.json change, and nothing else") {
  const auto tokenizer = load_tokenizer(model_of("bert"));
  const Folder folder;
  const VocabularyCut cut(folder.write("kept", "[CLS]\n[SEP]\na\n[UNK]\n[PAD]\n[MASK]\n"), tokenizer,
                          tokenizer.size());
  const std::string text = R"( {"version": "1.0", "truncation": null,
 "padding": {"strategy": "BatchLongest", "pad_id": 0, "pad_token": "[PAD]"},
 "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}, {"id": 2, "content": "[CLS]", "lstrip": true}],
 "post_processor": {"type": "Sequence", "processors": [{"type": "BertProcessing", "sep": ["[SEP]", 3],
  "cls": ["[CLS]", 2]}, {"special_tokens": {"[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}}]},
 "model": {"type": "WordPiece", "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "a": 7},
  "max_input_chars_per_word": 100}}
)";
  CHECK(cut_tokenizer_json("t", text, cut) == R"({"version": "1.0", "truncation": null,
 "padding": {"strategy": "BatchLongest", "pad_id": 4, "pad_token": "[PAD]"},
 "added_tokens": [{"id":0,"content":"[CLS]","single_word":false,"lstrip":true,"rstrip":false,"normalized":true,"special":false},{"id":4,"content":"[PAD]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
 "post_processor": {"type":"Sequence","processors":[{"type":"BertProcessing","sep":["[SEP]",1],"cls":["[CLS]",0]},{"special_tokens":{"[SEP]":{"id":"[SEP]","ids":[1],"tokens":["[SEP]"]}}}]},
 "model": {"type": "WordPiece", "vocab": {"[CLS]":0,"[SEP]":1,"a":2,"[UNK]":3,"[PAD]":4,"[MASK]":5},
  "max_input_chars_per_word": 100}}
)");
  CHECK(cut_tokenizer_config(
            "t",
            R"({"added_tokens_decoder": {"0": {"content": "[PAD]"}, "2": {"content": "[CLS]"}}, "unk": "x"})",
            cut) ==
        R"({"added_tokens_decoder": {"0":{"content": "[CLS]"},"4":{"content": "[PAD]"}}, "unk": "x"})");
}

}  // namespace bert::text
