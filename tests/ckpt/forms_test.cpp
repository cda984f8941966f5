// Weights in every format, written by PyTorch itself and by an independent TensorFlow writer
// (tests/golden/make_checkpoints.py), are compared with the safetensors file of the same model.
#include "ckpt/forms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

std::string golden_file(const std::string& name) { return golden::directory() / "checkpoints" / name; }

std::vector<float> numbers_of(const StoredTensor& tensor) {
  std::vector<float> numbers(static_cast<size_t>(tensor.count()));
  to_f32(tensor, numbers);
  return numbers;
}

std::string copied(const Folder& folder, const std::string& form, const std::string& name) {
  return folder.write(name, read_file(golden_file(form + "/" + name)));
}

std::string refusal(const std::string& path) {
  try {
    Checkpoint::open(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("one model has the same tensors in every format") {
  const auto expected = Checkpoint::open(golden_file("safetensors"));
  for (const auto* form : {"zip", "stream", "shards", "tensorflow"}) {
    CAPTURE(form);
    const auto found = Checkpoint::open(golden_file(form));
    size_t transposed = 0;
    for (const auto& tensor : expected.tensors()) {
      CAPTURE(tensor.name);
      REQUIRE(found.find(tensor.name) != nullptr);
      CHECK(equal(*found.find(tensor.name), tensor));
      transposed += found.find(tensor.name)->transposed;
    }
    CHECK(transposed == 8);  // 6 of the layer, pooler, transform
    const auto* decoder = found.find("cls.predictions.decoder.weight");
    CHECK((decoder != nullptr) == (std::string_view(form) != "tensorflow"));
    const size_t tied = decoder == nullptr ? 0 : 1;
    CHECK(found.tensors().size() == expected.tensors().size() + tied);
    if (decoder == nullptr) continue;
    const auto& words = *found.find("embeddings.word_embeddings.weight");
    CHECK(equal(*decoder, words));
    if (std::string_view(form) != "shards") CHECK(decoder->data.data() == words.data.data());  // shared
  }
}

TEST_CASE("numbers of all formats, views and strides match those that PyTorch saved") {
  const auto expected = Checkpoint::open_file(golden_file("odd/expected.safetensors"));
  for (const auto* name : {"odd/zip.bin", "odd/stream.bin", "odd/protocol.bin"}) {
    CAPTURE(name);
    const auto found = Checkpoint::open_file(golden_file(name));
    for (const auto& tensor : expected.tensors()) {
      CAPTURE(tensor.name);
      REQUIRE(found.find(tensor.name) != nullptr);
      CHECK(found.find(tensor.name)->shape == tensor.shape);
      CHECK(numbers_of(*found.find(tensor.name)) == numbers_of(tensor));
    }
    using enum Dtype;
    for (const auto& [integers, dtype] : std::map<std::string, Dtype>{
             {"int64", i64}, {"int32", i32}, {"int16", i16}, {"int8", i8}, {"uint8", u8}}) {
      const auto& tensor = *found.find(integers);
      CHECK(tensor.dtype == dtype);
      REQUIRE(tensor.count() == 6);
      for (int64_t i = 0; i < 6; ++i)
        CHECK(tensor.data[static_cast<size_t>(i) * size_of(dtype)] == std::byte(i));
    }
    CHECK(found.find("bool")->dtype == boolean);
    CHECK(found.find("bool")->count() == 3);
    CHECK(found.find("float16")->dtype == f16);
    CHECK(found.find("bfloat16")->dtype == bf16);
    CHECK(found.find("half transposed")->transposed);
    CHECK(found.find("part")->data.data() == found.find("whole")->data.data() + 6 * sizeof(float));
    CHECK(found.find("columns") == nullptr);
    constexpr int64_t kShape[] = {4, 2};
    CHECK_THROWS_WITH_AS(
        found.get("columns", kShape),
        (golden_file(name) + ": tensor columns is F32 with strides [6, 1], expected F32, F16, BF16 or F64")
            .c_str(),
        Error);
    found.check_sums();
  }
}

TEST_CASE("zip checksums are verified on request") {
  const Folder folder;
  auto bytes = read_file(golden_file("zip/pytorch_model.bin"));
  const auto expected = Checkpoint::open(golden_file("safetensors"));
  const auto& words = expected.find("embeddings.word_embeddings.weight")->data;
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(words.data()), words.size()));
  REQUIRE(at != bytes.npos);
  bytes[at + 100] ^= 1;
  const auto path = folder.write("pytorch_model.bin", bytes);
  const auto checkpoint = Checkpoint::open(folder.path());
  try {
    checkpoint.check_sums();
    FAIL("no Error");
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.starts_with(path + ": entry \"pytorch_model/data/"));
    CHECK(message.find(" is damaged: its CRC is ") != message.npos);
  }
}

TEST_CASE("TensorFlow checksums are always verified, for every tensor") {
  const Folder folder;
  for (const auto* name : {"bert_model.ckpt.index", "bert_model.ckpt.data-00000-of-00002"}) {
    copied(folder, "tensorflow", name);
  }
  const auto path = copied(folder, "tensorflow", "bert_model.ckpt.data-00001-of-00002");
  CHECK(refusal(folder.path()) == "");
  const auto bytes = read_file(path);
  for (size_t at = 0; at < bytes.size(); at += 97) {
    auto changed = bytes;
    changed[at] ^= static_cast<char>(1 << at % 8);
    folder.write("bert_model.ckpt.data-00001-of-00002", changed);
    const auto message = refusal(folder.path());
    CHECK(message.find(" is damaged: the bytes in " + path + " have the CRC ") != message.npos);
    CHECK_NOTHROW(Checkpoint::open(folder.path(), DataSums::leave));
  }
  folder.write("bert_model.ckpt.data-00001-of-00002", bytes.substr(0, bytes.size() - 1));
  CHECK(refusal(folder.path()).find(": it is truncated") != std::string::npos);
  std::filesystem::remove(path);
  CHECK(refusal(folder.path()) == path + ": No such file or directory");
}

TEST_CASE("a directory with several formats always opens the same one") {
  const Folder folder;
  const auto found = [&] { return find_weights(folder.path()).path.substr(folder.path().size()); };
  const auto write = [&](const char* name, std::string_view text = "") { folder.write(name, text); };
  write("a.index");
  CHECK(found() == "a.index");
  write("b.index");
  CHECK_THROWS_AS(found(), Error);
  write("bert_model.ckpt.index");
  CHECK(found() == "bert_model.ckpt.index");
  write("checkpoint",
        "model_checkpoint_path: \"/home/other/model.ckpt-7\"\nall_model_checkpoint_paths: \"a\"\n");
  CHECK(found() == "bert_model.ckpt.index");
  write("model.ckpt-7.index");
  CHECK(found() == "model.ckpt-7.index");
  write("pytorch_model.bin.index.json");
  CHECK(found() == "pytorch_model.bin.index.json");
  write("pytorch_model.bin");
  CHECK(found() == "pytorch_model.bin");
  write("model.safetensors.index.json");
  CHECK(found() == "model.safetensors.index.json");
  write("model.safetensors");
  CHECK(found() == "model.safetensors");
  CHECK(find_weights(folder.path("bert_model.ckpt")).form == Form::tensorflow);
  CHECK(find_weights(folder.path("bert_model.ckpt.index")).path == folder.path("bert_model.ckpt.index"));
}

TEST_CASE("files that are not weights are reported with what they are") {
  const Folder folder;
  const auto said = [&](const char* name, std::string_view bytes) {
    const auto message = refusal(folder.write(name, bytes));
    REQUIRE(message.starts_with(folder.path(name) + ": "));
    return message.substr(folder.path(name).size() + 2);
  };
  CHECK(said("pytorch_model.bin", "version https://git-lfs.github.com/spec/v1\n")
            .starts_with("is a Git LFS pointer"));
  CHECK(said("x.index", "version https://git-lfs.github.com/spec/v1\n").starts_with("is a Git LFS pointer"));
  CHECK(said("pytorch_model.bin", "") ==
        "is neither a zip file nor a pickle, expected a file written by torch.save");
  CHECK(said("pytorch_model.bin", "PK\3\4") == "has no directory at its end: it is truncated");
  std::string tar(600, '\0');
  tar.replace(257, 5, "ustar");
  CHECK(said("pytorch_model.bin", tar) ==
        "is a tar file written by PyTorch before 0.1.11, expected a newer format");
  CHECK(said("x.index", "") == "has 0 bytes, fewer than the footer of a checkpoint index");
  CHECK(said("x.index", std::string(48, 'x')) == "does not end like the index of a TensorFlow checkpoint");
}
