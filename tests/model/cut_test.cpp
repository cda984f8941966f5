// Cutting layers and vocabulary: the tensors that remain, and what the smaller network computes.
#include "model/cut.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/pool.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"
#include "model/convert.h"
#include "model/network.h"

using namespace bert;

namespace {

std::string cut_model(const std::string& type) { return (golden::directory() / "cut" / type).string(); }

struct Cut {
  Cut(const std::string& source, std::vector<int64_t> layers, const std::string& vocab = "") {
    Log log("test");
    model::convert({.source = source, .out = folder.path("out"), .layers = std::move(layers), .vocab = vocab},
                   log);
  }
  std::string path() const { return folder.path("out"); }

  Folder folder;
};

std::string error_of(const std::string& source, std::vector<int64_t> layers) {
  try {
    const Cut cut(source, std::move(layers));
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(message.rfind('/') + 1);
  }
  return "";
}

// The last of the layers up to `layers`; -1: all.
std::vector<float> last_layer(const std::string& path, int layers = -1) {
  Pool pool(1);
  const auto directory = model::open_directory(path);
  const int last = layers < 0 ? static_cast<int>(directory.config.layers) : layers;
  model::Network network(directory, {.layers = last}, pool);
  nn::Batch batch;
  batch.add(std::vector<int32_t>{2, 3, 4, 1, 2}, std::vector<int32_t>{0, 0, 0, 0, 0});
  const auto hidden = network.hidden(batch, {.layers = {last}});
  std::vector<float> numbers;
  for (int64_t row = 0; row < hidden[0].rows(); ++row)
    numbers.insert(numbers.end(), hidden[0].values(row).begin(), hidden[0].values(row).end());
  return numbers;
}

}  // namespace

TEST_CASE("a model cut to its first layers computes what it computed up to there, bit for bit") {
  for (const auto* type : {"bert", "distilbert", "electra", "mpnet", "roberta"}) {
    CAPTURE(type);
    const Cut cut(cut_model(type), {0, 1});
    CHECK(last_layer(cut.path()) == last_layer(cut_model(type), 2));
    CHECK(last_layer(cut.path()) != last_layer(cut_model(type)));
  }
}

TEST_CASE("all layers and all tokens in their order leave the file as it was") {
  const auto source = cut_model("bert");
  const Cut whole(source, {}), cut(source, {0, 1, 2, 3}, whole.path() + "/vocab.txt");
  for (const auto* name : {"model.safetensors", "config.json", "vocab.txt", "tokenizer_config.json"})
    CHECK(read_file(whole.path() + "/" + name) == read_file(cut.path() + "/" + name));
}

TEST_CASE("layers that share weights must remain groups of one size") {
  // four layers, two groups
  const auto source = cut_model("albert");
  for (const std::vector<int64_t>& layers :
       std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 1, 2}, {3}}) {
    const Cut cut(source, layers);
    CHECK(model::open_directory(cut.path()).config.layers == std::ssize(layers));
  }
  CHECK(error_of(source, {0, 2, 3}) ==
        "albert: the layers are 2 groups that share weights; --layers must keep equally many of each");
  const Cut second(source, {2, 3});
  CHECK(model::open_directory(second.path()).config.layer_groups == 1);
  const auto before = ckpt::Checkpoint::open(source), after = ckpt::Checkpoint::open(second.path());
  constexpr auto kQuery = ".attention.self.query.weight";
  CHECK(ckpt::equal(*before.find(model::layer_name(1) + kQuery), *after.find(model::layer_name(0) + kQuery)));
  CHECK(after.find(model::layer_name(1) + kQuery) == nullptr);
}

TEST_CASE("weights of layers and of words follow") {
  const auto source = golden::model_directory("weighted");
  const auto layers = model::open_directory(source).config.layers;
  REQUIRE(layers >= 2);
  const Cut cut(source, {layers - 1});
  const auto before = ckpt::Checkpoint::open(source), after = ckpt::Checkpoint::open(cut.path());
  std::vector<float> all(static_cast<size_t>(layers) + 1), kept(2);
  ckpt::to_f32(*before.find("layer_weights"), all);
  ckpt::to_f32(*after.find("layer_weights"), kept);
  CHECK(kept == std::vector<float>{all.front(), all.back()});
}

TEST_CASE("layers that do not exist, or in another order, and models without layers are refused") {
  CHECK(error_of(cut_model("bert"), {1, 4}) == "bert are 0 to 3");
  CHECK(error_of(cut_model("bert"), {2, 1}) == "--layers: expected the numbers in ascending order");
  CHECK(error_of((golden::directory() / "static" / "words").string(), {0}) ==
        "words: the model is static and has no layers to cut");
}

TEST_CASE("padding keeps its id where positions are counted from it") {
  const auto source = cut_model("xlm-roberta");
  const Folder folder;
  auto tokens = read_file(source + "/kept.txt");
  tokens = "<pad>\n<s>\n" + tokens.substr(tokens.find("</s>"));
  try {
    const Cut cut(source, {}, folder.write("kept", tokens));
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(std::string(error.what())
              .ends_with("kept: line 2 is not the padding token, whose id, 1, the positions of "
                         "this model are counted from"));
  }
}

TEST_CASE("rows of a matrix that is stored by column") {
  const auto source = model::open_directory(cut_model("bert"));
  const auto tokenizer = model::load_tokenizer(source);
  const Folder folder;
  const text::VocabularyCut cut(folder.write("kept", "[PAD]\n[SEP]\n[UNK]\n[CLS]\n[MASK]\n"), tokenizer,
                                source.config.vocab_size);
  const int64_t rows = source.config.vocab_size;
  std::vector<float> columns(static_cast<size_t>(2 * rows));  // [2, rows]: row i of the matrix is i, 1000 + i
  for (int64_t i = 0; i < rows; ++i) {
    columns[i] = static_cast<float>(i);
    columns[rows + i] = static_cast<float>(1000 + i);
  }
  model::Parts parts{source.config,
                     {{.name = "cls.predictions.decoder.weight",
                       .shape = {rows, 2},
                       .data = std::as_bytes(std::span<const float>(columns)),
                       .transposed = true}}};
  model::cut_vocabulary(cut, source, parts);
  const auto file = folder.path("w.safetensors");
  ckpt::write_safetensors(file, parts.tensors);
  const auto written = ckpt::Checkpoint::open_file(file);
  std::vector<float> numbers(10), expected;
  ckpt::to_f32(written.tensors().front(), numbers);
  for (const auto* token : {"[PAD]", "[SEP]", "[UNK]", "[CLS]", "[MASK]"})
    for (const int base : {0, 1000}) expected.push_back(static_cast<float>(base + *tokenizer.id(token)));
  CHECK(numbers == expected);
  parts.tensors.front().shape = {rows + 1, 2};
  parts.config = source.config;
  CHECK_THROWS_AS(model::cut_vocabulary(cut, source, parts), Error);
}
