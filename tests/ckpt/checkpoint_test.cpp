#include "ckpt/checkpoint.h"

#include <doctest/doctest.h>

#include <array>

#include "base/error.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

constexpr auto kSingle = "model.safetensors";
constexpr auto kIndex = "model.safetensors.index.json";
constexpr std::array<int64_t, 1> kTwo = {2};

std::vector<std::string> names_of(const Checkpoint& checkpoint) {
  std::vector<std::string> names;
  for (const auto& tensor : checkpoint.tensors()) names.push_back(tensor.name);
  return names;
}

float first(const StoredTensor& tensor) {
  float value = 0;
  to_f32(tensor.dtype, tensor.data.data(), {&value, 1});
  return value;
}

// The message of the Error from opening, with "DIR" for the folder's path; "" if it opens.
std::string refusal(const Folder& folder) {
  try {
    Checkpoint::open(folder.path());
  } catch (const Error& error) {
    std::string message = error.what();
    for (size_t at; (at = message.find(folder.path())) != message.npos;) {
      message.replace(at, folder.path().size(), "DIR/");
    }
    return message;
  }
  return "";
}

}  // namespace

TEST_CASE("both naming schemes map to one, sorted and without buffers") {
  const Folder folder;
  folder.write(kSingle, safetensors({f32("module.bert.z.LayerNorm.gamma", {2}, {3, 4}),
                                     f32("bert.a", {2}, {1, 2}),
                                     {"bert.embeddings.position_ids", "I64", {1}, u64(0)},
                                     f32("classifier.bias", {1}, {5})}));
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(names_of(checkpoint) == std::vector<std::string>{"a", "classifier.bias", "z.LayerNorm.weight"});
  CHECK(first(checkpoint.get("z.LayerNorm.weight", kTwo)) == 3);
  CHECK(checkpoint.find("bert.a") == nullptr);
  CHECK(checkpoint.find("b") == nullptr);
  CHECK(checkpoint.find("") == nullptr);
  const auto plain = Checkpoint::open_file(folder.path(kSingle));
  CHECK(plain.find("bert.a") != nullptr);
  CHECK(plain.tensors().size() == 4);
  CHECK(names_of(Checkpoint::open(folder.path(kSingle))) == names_of(checkpoint));
}

TEST_CASE("tensor data remains at its address when a checkpoint is moved") {
  const Folder folder;
  folder.write(kSingle, safetensors({f32("a", {2}, {1, 2})}));
  auto checkpoint = Checkpoint::open(folder.path());
  const auto moved = std::move(checkpoint);
  CHECK(first(moved.get("a", kTwo)) == 1);
}

TEST_CASE("two tensors with the same canonical name are an error") {
  const Folder folder;
  folder.write(kSingle, safetensors({f32("bert.a", {1}, {1}), f32("a", {1}, {1})}));
  CHECK(refusal(folder).starts_with("DIR/model.safetensors: two different tensors are both a ("));
  folder.write(kSingle,
               safetensors({f32("x.LayerNorm.weight", {1}, {1}), f32("x.LayerNorm.gamma", {1}, {1})}));
  CHECK(refusal(folder).find("are both x.LayerNorm.weight") != std::string::npos);
  folder.write(kSingle, safetensors({f32("bert.a", {1}, {1}), {"a", "F8_E5M2", {1}, "x"}}));
  CHECK(refusal(folder).find("are both a ") != std::string::npos);
}

TEST_CASE("the decoder's bias may be present twice if both are equal") {
  const Folder folder;
  folder.write(kSingle, safetensors({f32("cls.predictions.decoder.bias", {2}, {1, 2}),
                                     f32("cls.predictions.bias", {2}, {1, 2})}));
  CHECK(names_of(Checkpoint::open(folder.path())) == std::vector<std::string>{"cls.predictions.bias"});
  folder.write(kSingle, safetensors({f32("cls.predictions.decoder.bias", {2}, {1, 2}),
                                     f32("cls.predictions.bias", {2}, {1, 3})}));
  CHECK(refusal(folder).find("two different tensors are both cls.predictions.bias") != std::string::npos);
  folder.write(kSingle, safetensors({f32("cls.predictions.decoder.bias", {2}, {1, 2})}));
  CHECK(first(Checkpoint::open(folder.path()).get("cls.predictions.bias", kTwo)) == 1);
}

TEST_CASE("get reports the found and the expected shape") {
  const Folder folder;
  const auto path = folder.write(kSingle, safetensors({f32("bert.a", {2, 1}, {1, 2}),
                                                       {"bert.counts", "I64", {2}, u64(1) + u64(2)},
                                                       {"bert.small", "F8_E4M3", {2}, "ab"}}));
  const auto checkpoint = Checkpoint::open(folder.path());
  const auto message = [&](std::string_view name) -> std::string {
    try {
      checkpoint.get(name, kTwo);
    } catch (const Error& error) {
      const std::string text = error.what();
      REQUIRE(text.starts_with(path + ": "));
      return text.substr(path.size() + 2);
    }
    return "";
  };
  CHECK(message("a") == "tensor a has shape [2, 1], expected [2]");
  CHECK(message("b") == R"(tensor b [2] is missing; the file has "a", "counts")");
  CHECK(message("counts") == "tensor counts is I64, expected F32, F16, BF16 or F64");
  CHECK(message("small") == "tensor small is F8_E4M3, expected F32, F16, BF16 or F64");
}

TEST_CASE("shards are read as one checkpoint") {
  const Folder folder;
  folder.write("one.safetensors", safetensors({f32("bert.a", {2}, {1, 2}), f32("bert.c", {2}, {5, 6})}));
  folder.write("two.safetensors", safetensors({f32("bert.b", {2}, {3, 4})}));
  folder.write(kIndex, R"({"metadata":{"total_size":24},"weight_map":
      {"bert.a":"one.safetensors","bert.b":"two.safetensors","bert.c":"one.safetensors"}})");
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(names_of(checkpoint) == std::vector<std::string>{"a", "b", "c"});
  CHECK(first(checkpoint.get("b", kTwo)) == 3);
  CHECK(checkpoint.find("b")->file == folder.path("two.safetensors"));
  CHECK(first(checkpoint.get("c", kTwo)) == 5);
  for (const auto& [name, second] : {std::pair("a", 2.0f), {"b", 4.0f}, {"c", 6.0f}}) {
    float number = 0;
    checkpoint.read(checkpoint.get(name, kTwo).data.subspan(4),
                    std::as_writable_bytes(std::span(&number, 1)).data());
    CHECK(number == second);
  }
}

TEST_CASE("an index that does not match its shards is rejected") {
  const Folder folder;
  folder.write("one", safetensors({f32("a", {1}, {1})}));
  folder.write("two", safetensors({f32("b", {1}, {2})}));
  const auto with = [&](const std::string& map) {
    folder.write(kIndex, R"({"weight_map":)" + map + "}");
    return refusal(folder);
  };
  CHECK(with(R"({"a":"one","b":"two"})") == "");
  CHECK(with(R"({"a":"one","b":"three"})") == "DIR/three: No such file or directory");
  CHECK(with(R"({"a":"one","b":"one"})").starts_with("DIR/one: tensor \"b\" is missing; "));
  CHECK(with(R"({"a":"two","b":"one"})")
            .starts_with("DIR/one: tensor \"a\" is in this file, but not according to "));
  CHECK(with(R"({"b":"two","c":"two"})").starts_with("DIR/two: tensor \"c\" is missing; "));
  CHECK(with(R"({"a":"one","a":"one"})") ==
        "DIR/model.safetensors.index.json: \"weight_map\" has \"a\" twice");
  CHECK(with(R"({"a":"../one"})").find("expected a file name without a directory") != std::string::npos);
  CHECK(with(R"({"a":"o\nne"})").find(R"(has the file "o\nne", expected a file name without a directory)") !=
        std::string::npos);
  CHECK(with(R"({"a":""})").find("expected a file name without a directory") != std::string::npos);
  CHECK(with(R"({"a":1})").find("\"weight_map\" is a number, expected a string") != std::string::npos);
  CHECK(with("{}").find("\"weight_map\" names no file") != std::string::npos);
  CHECK(with("[]").find("\"weight_map\" is an array, expected an object") != std::string::npos);
  folder.write(kIndex, "{}");
  CHECK(refusal(folder) == "DIR/model.safetensors.index.json: \"weight_map\" is missing");
}

TEST_CASE("a directory without readable weights lists what it contains") {
  const Folder folder;
  CHECK(refusal(folder) ==
        "DIR/: has no weights, expected model.safetensors, pytorch_model.bin (either may be sharded) or a "
        "TensorFlow "
        "checkpoint (*.index)");
  folder.write("bert_model.ckpt", "");
  CHECK(refusal(folder).starts_with(
      "DIR/: has weights in \"bert_model.ckpt\", an unsupported format; expected "));
  folder.write("tf_model.h5", "");
  CHECK(
      refusal(folder).starts_with("DIR/: has weights in \"tf_model.h5\", an unsupported format; expected "));
  folder.write(kSingle, safetensors({f32("a", {1}, {1})}));
  CHECK(refusal(folder) == "");
  CHECK_THROWS_WITH(Checkpoint::open("/nonexistent"), "/nonexistent: no such model directory");
}
