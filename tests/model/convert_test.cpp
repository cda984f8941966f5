// What bert-convert copies from a model's files, and what it leaves out.
#include "model/convert.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"

using namespace bert;
namespace fs = std::filesystem;

namespace {

// What `run` writes to stderr.
template <class Run>
std::string said(const Run& run) {
  const FileDescriptor messages(::memfd_create("messages", MFD_CLOEXEC));
  const FileDescriptor stderr_copy(::dup(STDERR_FILENO));
  ::dup2(messages.get(), STDERR_FILENO);
  run();
  ::dup2(stderr_copy.get(), STDERR_FILENO);
  return read_file("/dev/fd/" + std::to_string(messages.get()));
}

// A copy of a small model with tensors added or replaced, and with `from` replaced by `to` in its
// configuration.
struct Changed {
  Changed(const std::string& model, std::vector<ckpt::TensorToWrite> more, const std::string& from = "{",
          const std::string& to = "{") {
    const fs::path source = golden::model_directory(model);
    auto config = read_file((source / "config.json").string());
    config.replace(config.find(from), from.size(), to);
    folder.write("in/config.json", config);
    folder.write("in/vocab.txt", read_file((source / "vocab.txt").string()));
    const auto checkpoint = ckpt::Checkpoint::open_file((source / "model.safetensors").string());
    for (const auto& tensor : checkpoint.tensors()) {
      if (std::ranges::find(more, tensor.name, &ckpt::TensorToWrite::name) != more.end()) continue;
      more.push_back(
          {.name = tensor.name, .shape = tensor.shape, .data = tensor.data, .dtype = tensor.dtype});
    }
    ckpt::write_safetensors(folder.path("in/model.safetensors"), more);
  }

  // Converts and returns the messages.
  std::string convert(std::optional<Dtype> store = {}) const {
    return said([&] {
      Log log("test");
      model::convert({.source = folder.path("in"),
                      .out = folder.path("out"),
                      .store = store,
                      .existing = model::Existing::replace},
                     log);
    });
  }
  ckpt::Checkpoint converted() const { return ckpt::Checkpoint::open(folder.path("out")); }

  Folder folder;
};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& numbers) {
  return std::as_bytes(std::span(numbers));
}

}  // namespace

TEST_CASE("tensors that are not BERT weights are left out and reported") {
  const std::vector<float> numbers = {1, 2};
  const std::vector<int64_t> steps = {7};
  const ckpt::TensorToWrite odd = {.name = "zzz.weight", .shape = {2}, .data = bytes_of(numbers)};
  const ckpt::TensorToWrite step = {
      .name = "classifier.steps", .shape = {1}, .data = bytes_of(steps), .dtype = Dtype::i64};

  const Changed one("classify", {odd});
  CHECK(one.convert() == "test: skipped 1 tensor that is not part of BERT: \"zzz.weight\"\n");
  CHECK(one.converted().find("zzz.weight") == nullptr);
  CHECK(one.converted().find("classifier.weight") != nullptr);

  const Changed two("classify", {odd, step});
  CHECK(two.convert() == "test: skipped 2 tensors that are not part of BERT: \"classifier.steps\", ...\n");
  CHECK(two.converted().find("classifier.steps") == nullptr);

  const Changed none("classify", {});
  CHECK(none.convert() == "");
}

TEST_CASE("a tied decoder is dropped silently, an untied one is kept") {
  const auto table = ckpt::Checkpoint::open(golden::model_directory("pretraining"));
  const auto& words = *table.find("embeddings.word_embeddings.weight");
  std::vector<float> numbers(static_cast<size_t>(words.count()));
  std::iota(numbers.begin(), numbers.end(), 1.f);
  constexpr auto kDecoder = "cls.predictions.decoder.weight";
  const ckpt::TensorToWrite decoder = {.name = kDecoder, .shape = words.shape, .data = bytes_of(numbers)};

  const Changed tied("pretraining", {decoder});
  CHECK(tied.convert() == "");
  CHECK(tied.converted().find(kDecoder) == nullptr);

  const Changed untied("pretraining", {decoder}, "{", "{\"tie_word_embeddings\": false,");
  CHECK(untied.convert() == "");
  const auto converted = untied.converted();
  const auto& kept = converted.get(kDecoder, words.shape);
  CHECK(kept.dtype == Dtype::f32);
  REQUIRE(kept.data.size() == numbers.size() * sizeof(float));
  CHECK(std::memcmp(kept.data.data(), numbers.data(), kept.data.size()) == 0);
  CHECK(!model::open_directory(untied.folder.path("out")).config.tied_embeddings);

  CHECK(untied.convert(Dtype::f16) == "");
  CHECK(untied.converted().get(kDecoder, words.shape).dtype == Dtype::f16);
}

TEST_CASE("a weight in an unsupported format is an error, not left out") {
  const Folder folder;
  const fs::path source = golden::model_directory("classify");
  for (const auto* name : {"config.json", "vocab.txt"})
    folder.write(std::string("in/") + name, read_file((source / name).string()));
  std::vector<WrittenTensor> tensors;
  const auto checkpoint = ckpt::Checkpoint::open_file((source / "model.safetensors").string());
  for (const auto& tensor : checkpoint.tensors()) {
    const auto* data = reinterpret_cast<const char*>(tensor.data.data());
    tensors.push_back({tensor.name, "F32", tensor.shape, std::string(data, tensor.data.size())});
  }
  tensors.push_back({"cls.predictions.bias", "F8_E4M3", {3}, "abc"});
  folder.write("in/model.safetensors", safetensors(tensors));
  Log log("test");
  const auto convert = [&] { model::convert({.source = folder.path("in"), .out = folder.path("out")}, log); };
  const auto expected = folder.path("in/model.safetensors") +
                        ": tensor \"cls.predictions.bias\" is F8_E4M3, expected F32, F16, BF16 or F64";
  CHECK_THROWS_WITH(convert(), expected.c_str());
  CHECK(!fs::exists(folder.path("out")));
}

TEST_CASE("dense layers in folders of any name are copied in the requested format") {
  const Folder folder;
  for (const auto& entry : fs::recursive_directory_iterator(golden::model_directory("sentence-new"))) {
    if (!entry.is_regular_file()) continue;
    const auto name = fs::relative(entry.path(), golden::model_directory("sentence-new")).string();
    folder.write("in/" + name, read_file(entry.path().string()));
  }
  auto modules = read_file(folder.path("in/modules.json"));
  modules.replace(modules.find("2_Dense"), 7, "more/of it");
  folder.write("in/modules.json", modules);
  fs::create_directories(folder.path("in/more"));
  fs::rename(folder.path("in/2_Dense"), folder.path("in/more/of it"));
  Log log("test");
  model::convert({.source = folder.path("in"), .out = folder.path("out"), .store = Dtype::bf16}, log);
  CHECK(read_file(folder.path("out/modules.json")) == modules);
  const auto dense = ckpt::Checkpoint::open(folder.path("out/more/of it"));
  CHECK(dense.find("linear.weight")->dtype == Dtype::bf16);
  CHECK(read_file(folder.path("out/more/of it/config.json")) ==
        read_file(folder.path("in/more/of it/config.json")));
  const auto before = model::open_directory(folder.path("in")),
             after = model::open_directory(folder.path("out"));
  CHECK(before.sentence.prompts == after.sentence.prompts);
  CHECK(before.vector_size(1) == after.vector_size(1));
}
