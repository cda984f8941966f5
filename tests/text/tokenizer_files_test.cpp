#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "text/bpe.h"
#include "text/tokenizer.h"

namespace bert::text {
namespace {

const std::string kVocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nabc\nABC\n##d\ne\u0301\n";

// A temporary directory for each test, removed at its end.
class Directory {
 public:
  Directory() {
    std::string path = (std::filesystem::temp_directory_path() / "tokenizer_files_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw Error(path, ": cannot be made");
    path_ = path;
  }
  ~Directory() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path) << content;
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A tokenizer.json in which each block can be replaced.
struct Json {
  std::string added = R"([{"id":4,"content":"[MASK]","special":true,"lstrip":true,"normalized":false}])";
  std::string normalizer =
      R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"lowercase":false})";
  std::string pre_tokenizer = R"({"type":"BertPreTokenizer"})";
  std::string single = R"([{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
                          {"SpecialToken":{"id":"[SEP]","type_id":0}}])";
  std::string post_processor;
  std::string truncation = "null";
  std::string model_type = "WordPiece";
  std::string decoder = "null";
  std::string max_word_chars = "50";
  std::string vocabulary = R"({"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"abc":5,"ABC":6})";

  std::string text() const {
    const std::string processor =
        !post_processor.empty() ? post_processor : R"({"type":"TemplateProcessing","single":)" + single + "}";
    return R"({"version":"1.0","truncation":)" + truncation + R"(,"added_tokens":)" + added +
           R"(,"normalizer":)" + normalizer + R"(,"pre_tokenizer":)" + pre_tokenizer +
           R"(,"post_processor":)" + processor + R"(,"decoder":)" + decoder + R"(,"model":{"type":")" +
           model_type + R"(","unk_token":"[UNK]","max_input_chars_per_word":)" + max_word_chars +
           R"(,"vocab":)" + vocabulary + "}}";
  }
};

std::vector<int32_t> ids_of(const Tokenizer& tokenizer, std::string_view text) {
  Tokens tokens;
  tokenizer.encode(text, {}, tokens);
  return tokens.ids;
}

using Ids = std::vector<int32_t>;

// The error from loading tokenizer.json with these blocks, without the path.
std::string complaint(const Json& json) {
  const Directory directory;
  directory.write("tokenizer.json", json.text());
  try {
    load_tokenizer(directory.path());
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string path = directory.path() + "/tokenizer.json: ";
    return message.starts_with(path) ? message.substr(path.size()) : "without the path: " + message;
  }
  return "";
}

}  // namespace

TEST_CASE("vocab.txt alone is uncased and protects the five special tokens") {
  const Directory directory;
  directory.write("vocab.txt", kVocab);
  const Tokenizer tokenizer = load_tokenizer(directory.path());
  CHECK(tokenizer.size() == 9);
  CHECK(ids_of(tokenizer, "ABC ÁBCd[MASK]") == Ids{5, 5, 7, 4});
  CHECK(tokenizer.mask() == 4);
  CHECK(tokenizer.is_special(3));
  CHECK_FALSE(tokenizer.is_special(5));
  CHECK_FALSE(tokenizer.config().model_max_length.has_value());
}

TEST_CASE("vocab.txt may have CRLF, no final newline and white space around tokens") {
  const Directory directory;
  const std::string path =
      directory.write("vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\n abc \r\n##d");
  CHECK(load_vocab(path).subword(5) == " abc");
  CHECK(load_vocab(path).subword(6) == "##d");
  CHECK(load_vocab(path, Compat::google).subword(5) == "abc");
}

TEST_CASE("tokenizer_config.json sets case, accents and token names; a length of 1e30 is ignored") {
  const Directory directory;
  directory.write("vocab.txt", kVocab + "<mask>\n");
  directory.write(
      "tokenizer_config.json",
      R"({"do_lower_case":false,"strip_accents":null,"model_max_length":1000000000000000019884624838656,
                      "mask_token":{"content":"<mask>","lstrip":true}})");
  const Tokenizer tokenizer = load_tokenizer(directory.path());
  CHECK(ids_of(tokenizer, "ABC abc e\u0301") == Ids{6, 5, 8});
  CHECK(tokenizer.mask() == 9);
  CHECK_FALSE(tokenizer.config().model_max_length.has_value());
  directory.write("tokenizer_config.json",
                  R"({"do_lower_case":true,"strip_accents":false,"model_max_length":128})");
  const Tokenizer accents = load_tokenizer(directory.path());
  CHECK(ids_of(accents, "ABC E\u0301") == Ids{5, 8});
  CHECK(accents.config().model_max_length == 128);
}

TEST_CASE("added_tokens_decoder overrides added_tokens.json") {
  const Directory directory;
  directory.write("vocab.txt", kVocab);
  directory.write("added_tokens.json", R"({"NEW":9,"<x>":10})");
  CHECK(ids_of(load_tokenizer(directory.path()), "new <X>NEW") ==
        Ids{9, 10, 9});  // normalized, because it is not special
  directory.write("tokenizer_config.json",
                  R"({"added_tokens_decoder":{"9":{"content":"NEW","normalized":false,"special":false}}})");
  CHECK(ids_of(load_tokenizer(directory.path()), "new NEW") == Ids{1, 9});
}

TEST_CASE("tokenizer.json overrides tokenizer_config.json, except for case") {
  const Directory directory;
  directory.write("tokenizer.json", Json().text());
  directory.write("tokenizer_config.json",
                  R"({"do_lower_case":true,"model_max_length":64,"cls_token":"abc"})");
  const Tokenizer tokenizer = load_tokenizer(directory.path());
  CHECK(ids_of(tokenizer, "ABC abc [MASK]") == Ids{5, 5, 4});
  CHECK(tokenizer.config().max_word_chars == 50);
  CHECK(tokenizer.config().model_max_length == 64);
  CHECK(tokenizer.cls() == 2);
  CHECK(ids_of(load_tokenizer(directory.path(), Compat::hf, Case::uncased), "ABC") == Ids{5});
  CHECK(load_tokenizer(directory.path(), Compat::google).config().max_word_chars == 200);
}

TEST_CASE("a vocabulary given by path uses the settings files next to it") {
  const Directory directory;
  const std::string vocab = directory.write("other.txt", kVocab);
  directory.write("tokenizer_config.json", R"({"do_lower_case":false})");
  CHECK(ids_of(load_vocab(vocab), "ABC d") == Ids{6, 1});
  CHECK(ids_of(load_vocab(vocab, Compat::hf, Case::uncased), "ABC") == Ids{5});
  const std::string json = directory.write("tokenizer.json", Json().text());
  CHECK(load_vocab(vocab).config().max_word_chars == 50);
  CHECK(load_vocab(vocab).size() == 9);
  CHECK(load_vocab(json).size() == 7);
}

TEST_CASE("the truncation block of tokenizer.json is read") {
  const Directory directory;
  Json json;
  json.truncation = R"({"direction":"Left","max_length":128,"strategy":"OnlySecond","stride":16})";
  directory.write("tokenizer.json", json.text());
  const auto tokenizer = load_tokenizer(directory.path());
  const auto& truncation = tokenizer.config().truncation;
  REQUIRE(truncation.has_value());
  CHECK(truncation->max_length == 128);
  CHECK(truncation->stride == 16);
  CHECK(tokenizer.config().truncate_left);
  CHECK(truncation->strategy == Truncation::Strategy::only_second);
  const auto of_model =
      load_tokenizer(directory.path(), Compat::hf, Case::from_files, {.lowercase = false, .max_length = 9});
  CHECK(of_model.config().truncation->max_length == 9);
  CHECK(of_model.config().truncation->strategy == Truncation::Strategy::longest_first);
  directory.write("tokenizer_config.json", R"({"truncation_side":"right"})");
  CHECK_FALSE(load_tokenizer(directory.path()).config().truncate_left);
  json.truncation = "null";
  directory.write("tokenizer.json", json.text());
  directory.write("tokenizer_config.json", R"({"truncation_side":"left"})");
  CHECK(load_tokenizer(directory.path()).config().truncate_left);
  CHECK_FALSE(
      load_tokenizer(directory.path(), Compat::hf, Case::from_files, {.lowercase = false, .max_length = 9})
          .config()
          .truncation);
}

TEST_CASE("the maximum word length may be 2^32 characters or 0") {
  const Directory directory;
  Json json;
  json.max_word_chars = "4294967296";
  directory.write("tokenizer.json", json.text());
  CHECK(ids_of(load_tokenizer(directory.path()), "abc") == Ids{5});
  json.max_word_chars = "0";
  directory.write("tokenizer.json", json.text());
  CHECK(ids_of(load_tokenizer(directory.path()), "abc") == Ids{1});
}

TEST_CASE("BertProcessing defines the special tokens like a template") {
  const Directory directory;
  Json json;
  json.post_processor = R"({"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]})";
  directory.write("tokenizer.json", json.text());
  CHECK(load_tokenizer(directory.path()).sep() == 3);
}

TEST_CASE("unsupported tokenizer settings are rejected by name") {
  CHECK(complaint({}) == "");
  CHECK(complaint({.normalizer = R"({"type":"NFKC"})"}) ==
        "normalizer is NFKC; only BertNormalizer is supported");
  CHECK(complaint({.pre_tokenizer = R"({"type":"Metaspace"})"}) ==
        "pre_tokenizer is Metaspace; only BertPreTokenizer is supported");
  CHECK(complaint({.pre_tokenizer = "null"}) == "there is no pre_tokenizer");
  CHECK(complaint({.model_type = "WordLevel"}) ==
        "model is WordLevel; only WordPiece, Unigram or BPE is supported");
  CHECK(complaint({.decoder = R"({"type":"ByteLevel"})"}) ==
        "decoder is ByteLevel; only WordPiece is supported");
  CHECK(
      complaint({.post_processor = R"({"type":"Digits"})"}) ==
      "post_processor is Digits; only TemplateProcessing, BertProcessing or RobertaProcessing is supported");
  CHECK(complaint({.single = R"([{"Sequence":{"id":"A","type_id":0}}])"}) ==
        "post_processor has the template \"$A:0\"; only [CLS]:0 $A:0 [SEP]:0 is supported");
  CHECK(complaint({.truncation = R"({"strategy":"Best"})"}) ==
        "truncation has the strategy Best; only LongestFirst, OnlyFirst or OnlySecond is supported");
  CHECK(complaint({.normalizer = R"({"type":"BertNormalizer","lowercase":"yes"})"}) ==
        "normalizer.lowercase is a string, expected a boolean");
  CHECK(complaint({.added = R"([{"id":2000000000,"content":"X"}])"}) ==
        "added_tokens[0] gives X the id 2000000000; only the id 7 is supported");
  CHECK(complaint({.added = R"([{"id":7,"content":"X"},{"id":9,"content":"Y"}])"}) ==
        "added_tokens[1] gives Y the id 9; only the id 8 is supported");
  CHECK(complaint({.added = R"([{"id":6,"content":"abc"}])"}) ==
        "added_tokens[0] gives abc the id 6; only the id 5 is supported");
  CHECK(complaint({.added = R"([{"id":7,"content":"X"},{"id":7,"content":"X","lstrip":true}])"}) == "");
  CHECK(complaint({.added = R"([{"id":-1,"content":"X"}])"}) ==
        "added_tokens[0].id is -1, expected 0 to 2147483647");
  CHECK(complaint({.added = R"([{"id":7}])"}) == "added_tokens[0] has no content");
  CHECK(complaint({.added = R"([{"id":7,"content":"\u200b","normalized":true}])"}) ==
        "the added token \xE2\x80\x8B is empty after normalization");
  CHECK(complaint({.post_processor = R"({"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",6]})"}) ==
        "post_processor gives [CLS] the id 6, the vocabulary gives it 2; only equal ids are supported");
  const auto with_ids = [](const std::string& ids) {
    return R"({"type":"TemplateProcessing","single":)" + Json().single + R"(,"special_tokens":)" + ids + "}";
  };
  CHECK(complaint({.post_processor = with_ids(R"({"[CLS]":{"ids":[2]},"[SEP]":{"ids":[3]}})")}) == "");
  CHECK(complaint({.post_processor = with_ids(R"({"[CLS]":{"ids":[2]},"[SEP]":{"ids":[4]}})")}) ==
        "post_processor gives [SEP] the id 4, the vocabulary gives it 3; only equal ids are supported");
  CHECK(complaint({.post_processor = with_ids(R"({"[CLS]":{"ids":[2,2]},"[SEP]":{"ids":[3]}})")}) ==
        "post_processor.special_tokens does not give [CLS] one id");
  CHECK(complaint({.decoder = R"({"type":"WordPiece","prefix":"@@"})"}) ==
        "decoder has the prefix @@; only ##, the prefix of the model, is supported");
  CHECK(complaint({.max_word_chars = "-1"}) == "model.max_input_chars_per_word is -1, expected at least 0");
  CHECK(complaint({.max_word_chars = "4294967296"}) == "");
  CHECK(complaint({.vocabulary = R"({"[PAD]":0,"a":1,"b":1})"}) == "model.vocab gives a and b the same id 1");
}

TEST_CASE("missing and unreadable files are named in the error") {
  const Directory directory;
  const std::string path = directory.path();
  CHECK_THROWS_WITH_AS(load_tokenizer(path + "/none"), (path + "/none: no such model directory").c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(load_tokenizer(path),
                       (path + ": there is neither tokenizer.json nor vocab.txt").c_str(), Error);
  const std::string vocab = directory.write("vocab.txt", "[PAD]\n\xFF\n");
  CHECK_THROWS_WITH_AS(load_tokenizer(path), (vocab + ":2: is not valid UTF-8").c_str(), Error);
  directory.write("vocab.txt", "");
  CHECK_THROWS_WITH_AS(load_tokenizer(path), (vocab + ": is empty, expected one token per line").c_str(),
                       Error);
  directory.write("vocab.txt", "[PAD]\n");
  CHECK_THROWS_WITH_AS(load_tokenizer(path), (vocab + ": the token [UNK] is not in the vocabulary").c_str(),
                       Error);
  const std::string config =
      directory.write("tokenizer_config.json", R"({"tokenizer_class":"BertJapaneseTokenizer"})");
  CHECK_THROWS_WITH_AS(
      load_tokenizer(path),
      (config +
       ": tokenizer_class is BertJapaneseTokenizer; only BertTokenizer and its variants are supported")
          .c_str(),
      Error);
}

// The values are those of transformers 5.24.
TEST_CASE("vocab.txt of MPNet has the special tokens of RoBERTa, and those it lacks after it") {
  const std::string vocab = "<s>\n<pad>\n</s>\n<unk>\n[UNK]\nthe\nking\n##s\n.\n";
  const Directory directory;
  directory.write("vocab.txt", vocab + "<mask>\n");
  directory.write("tokenizer_config.json", R"({"tokenizer_class":"MPNetTokenizer"})");
  const auto ids = [&](const Tokenizer& tokenizer) {
    CHECK(tokenizer.cls() == 0);
    CHECK(tokenizer.sep() == 2);
    CHECK(tokenizer.pad() == 1);
    CHECK(tokenizer.unk() == 4);
    CHECK(tokenizer.mask() == 9);
    CHECK(tokenizer.config().layout == Layout{.separators = 2, .second_type = 0});
    Tokens tokens;
    tokenizer.encode("The  kings <mask> . xyz <unk>", {.offsets = Offsets::bytes}, tokens);
    CHECK(tokens.offsets ==
          std::vector<Span>{
              {0, 3}, {5, 9}, {9, 10}, {11, 17}, {18, 19}, {20, 23}, {24, 25}, {25, 28}, {28, 29}});
    return tokens.ids;
  };
  CHECK(ids(load_tokenizer(directory.path())) == Ids{5, 6, 7, 9, 8, 4, 4, 4, 4});
  directory.write("vocab.txt", vocab);
  CHECK(ids(load_tokenizer(directory.path())) == Ids{5, 6, 7, 9, 8, 4, 4, 4, 4});
  directory.write("tokenizer_config.json", R"({"do_lower_case":false})");
  directory.write("config.json", R"({"model_type":"mpnet"})");
  CHECK(ids(load_tokenizer(directory.path())) == Ids{4, 6, 7, 9, 8, 4, 4, 4, 4});
  directory.write("vocab.txt", "<s>\n</s>\n[UNK]\nthe\n");
  const Tokenizer tokenizer = load_tokenizer(directory.path());
  CHECK(tokenizer.pad() == 4);
  CHECK(tokenizer.mask() == 5);
}

TEST_CASE("a directory with vocab.json and merges.txt has a tokenizer") {
  const Directory directory;
  std::string vocab = R"({"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"<mask>":4)";
  int id = 5;
  for (const auto& character : byte_characters())
    vocab += ",\"" + std::string(character == "\"" || character == "\\" ? "\\" : "") + character +
             "\":" + std::to_string(id++);
  directory.write("vocab.json", vocab + ",\"\u0120t\":261,\"\u0120th\":262}");
  directory.write("merges.txt", "#version: 0.2\n\u0120 t\n\u0120t h\n");
  const Tokenizer tokenizer = load_tokenizer(directory.path());
  Tokens tokens;
  tokenizer.encode("a th<mask>t", {.offsets = Offsets::bytes, .words = true}, tokens);
  const std::vector<int32_t> ids{*tokenizer.id("a"), 262, 4, *tokenizer.id("t")};
  CHECK(tokens.ids == ids);
  CHECK(tokens.offsets == std::vector<Span>{{0, 1}, {2, 4}, {4, 10}, {10, 11}});
  CHECK(tokens.words == std::vector<int32_t>{0, 1, 2, 3});
  CHECK(tokenizer.decode(ids, Tokenizer::Specials::skip) == "a tht");
  CHECK(tokenizer.config().layout == Layout{.separators = 2, .second_type = 0});
  CHECK(tokenizer.joins(*tokenizer.id("a"), *tokenizer.id("b")));
  CHECK_FALSE(tokenizer.joins(*tokenizer.id("a"), *tokenizer.id(",")));
  directory.write("merges.txt", "a b c\n");
  CHECK_THROWS_AS(load_tokenizer(directory.path()), Error);
  directory.write("merges.txt", "a b\n");
  CHECK_THROWS_WITH_AS(
      load_tokenizer(directory.path()),
      (std::string(directory.path()) + ": model: merge 0 makes ab, which is not in the vocabulary").c_str(),
      Error);
}

}  // namespace bert::text
