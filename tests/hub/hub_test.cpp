#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "hub/cache.h"
#include "hub/listing.h"

namespace {

using namespace bert;

// An answer of the Hub for files of 1 byte; weights have SHA-256.
std::string answer(const std::vector<std::string>& paths) {
  std::string text = R"({"sha":"abc123","siblings":[)";
  for (const auto& path : paths) {
    if (text.back() == '}') text += ',';
    text += R"({"rfilename":")" + path + R"(","size":1,"blobId":")" + std::string(40, 'b') + '"';
    if (path.ends_with(".safetensors") || path.ends_with(".bin"))
      text += R"(,"lfs":{"sha256":")" + std::string(64, 'a') + R"(","size":7})";
    text += '}';
  }
  return text + "]}";
}

std::vector<std::string> needed(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const auto& file : hub::needed_files(hub::parse_listing(answer(paths), "m"), "m"))
    names.push_back(file.path);
  return names;
}

}  // namespace

TEST_CASE("names of models on the Hub") {
  const auto plain = hub::ModelName::parse("bert-base-uncased");
  REQUIRE(plain);
  CHECK(plain->name == "bert-base-uncased");
  CHECK(plain->revision == "main");
  const auto tagged = hub::ModelName::parse("org/na.me_1@refs/pr/1");
  REQUIRE(tagged);
  CHECK(tagged->name == "org/na.me_1");
  CHECK(tagged->revision == "refs/pr/1");
  for (const char* bad :
       {"", "a/b/c", "../a", "a/..", "/a", "a/", "-a", "a b", "a@", "a@../b", "a@/b", "a//b", "a\n"})
    CHECK_FALSE(hub::ModelName::parse(bad));
  CHECK(hub::name_of_snapshot("/c/models--org--name/snapshots/abc") == "org/name");
  CHECK(hub::name_of_snapshot("/c/models--bert/snapshots/abc") == "bert");
  CHECK(hub::name_of_snapshot("/c/name/snapshots/abc").empty());
  CHECK(hub::name_of_snapshot("/c/models--org--name").empty());
}

TEST_CASE("the files of a model that are needed") {
  const std::vector<std::string> sentences = {
      "1_Pooling/config.json", "README.md",           "config.json",
      "model.safetensors",     "modules.json",        "onnx/model.onnx",
      "onnx/config.json",      "pytorch_model.bin",   "tf_model.h5",
      "tokenizer.json",        "training_args.bin",   "vocab.txt",
      "openvino/config.json",  "2_Dense/config.json", "2_Dense/pytorch_model.bin"};
  CHECK(needed(sentences) == std::vector<std::string>{"1_Pooling/config.json", "README.md", "config.json",
                                                      "model.safetensors", "modules.json", "tokenizer.json",
                                                      "vocab.txt", "2_Dense/config.json",
                                                      "2_Dense/pytorch_model.bin"});
  CHECK(needed({"config.json", "pytorch_model-00001-of-00002.bin", "pytorch_model.bin.index.json",
                "pytorch_model-00002-of-00002.bin", "sentencepiece.bpe.model", "optimizer.bin"}) ==
        std::vector<std::string>{"config.json", "pytorch_model-00001-of-00002.bin",
                                 "pytorch_model.bin.index.json", "pytorch_model-00002-of-00002.bin",
                                 "sentencepiece.bpe.model"});
  CHECK(needed({"config.json", "model-00001-of-00001.safetensors", "model.safetensors.index.json"}).size() ==
        3);
  CHECK_THROWS_WITH(needed({"config.json", "model.onnx"}),
                    "m: has no weights in safetensors or PyTorch's format");
  CHECK_THROWS_WITH(needed({"model.safetensors"}),
                    "m: has no config.json, so it is no model that the tools read");
}

TEST_CASE("an answer of the Hub") {
  const auto listing = hub::parse_listing(answer({"a", "b.bin"}), "m");
  CHECK(listing.commit == "abc123");
  REQUIRE(listing.files.size() == 2);
  CHECK(listing.files[0].size == 1);
  CHECK(listing.files[0].etag == std::string(40, 'b'));
  CHECK_FALSE(listing.files[0].large);
  CHECK(listing.files[1].size == 7);
  CHECK(listing.files[1].etag == std::string(64, 'a'));
  CHECK(listing.files[1].large);
  for (const char* bad : {"../a", "a/../b", "/a", "a//b", "a/", ".", "a\\\\b", "a\\u0007"})
    CHECK_THROWS_AS(hub::parse_listing(answer({bad}), "m"), Error);
  for (
      const char* bad :
      {"", "[]", "{}", "<html>", R"({"sha":"../x","siblings":[]})",
       R"({"sha":"abc","siblings":[{"rfilename":"a","size":1,"blobId":"../../x"}]})",
       R"({"sha":"abc","siblings":[{"rfilename":"a","size":-1,"blobId":"0123456789012345678901234567890123456789"}]})"})
    CHECK_THROWS_AS(hub::parse_listing(bad, "m"), Error);
}
