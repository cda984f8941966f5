// Tables of static vectors against transformers and scikit-learn (tests/golden/make_static_table.py).
#include "predict/static_table.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/checkpoint.h"
#include "ckpt/written_files.h"
#include "golden/golden.h"
#include "json/json.h"
#include "model/directory.h"
#include "model/model_type.h"

using namespace bert;

namespace {

std::string teacher_of(std::string_view type) {
  return (golden::directory() / "cut" / std::string(type)).string();
}

struct Made {
  explicit Made(predict::StaticTable table, int threads = 2) {
    table.out = folder.path("out");
    Pool pool(threads);
    Log log("test", Log::Level::quiet);
    predict::make_static(table, pool, log);
  }
  std::vector<float> numbers() const {
    const auto file = ckpt::Checkpoint::open(folder.path("out"));
    const auto* tensor = file.find(model::kWordTable);
    std::vector<float> values(static_cast<size_t>(tensor->count()));
    ckpt::to_f32(*tensor, values);
    return values;
  }

  Folder folder;
};

std::string error_of(const predict::StaticTable& table) {
  try {
    const Made made(table);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("vectors are those of transformers and scikit-learn") {
  for (const std::string name : {"bert", "roberta", "xlm-roberta", "words"}) {
    CAPTURE(name);
    const auto folder = golden::directory() / "static-table";
    const json::File expected((folder / (name + ".json")).string());
    const auto size = expected.integer("size");
    const Made made({.source = teacher_of(expected.string("type")),
                     .vocab = name == "words" ? (folder / "words.txt").string() : "",
                     .dim = size,
                     .sif = expected.number("sif")});
    const auto numbers = made.numbers();
    const auto directory = model::open_directory(made.folder.path("out"));
    const auto tokenizer = model::load_tokenizer(directory);
    const auto tokens = expected.find("tokens")->strings();
    const auto rows = expected.find("vectors")->elements();
    REQUIRE(numbers.size() == tokens.size() * static_cast<size_t>(size));
    double error = 0;
    for (size_t row = 0; row < tokens.size(); ++row) {
      CHECK(tokenizer.id(tokens[row]) == static_cast<int32_t>(row));
      const auto values = rows[row].elements();
      for (size_t i = 0; i < values.size(); ++i)
        error = std::max(error, std::abs(values[i].number() - numbers[row * values.size() + i]));
    }
    CHECK(error < 1e-6 * expected.number("largest"));
  }
}

TEST_CASE("a static model is shortened to the directions in which its vectors are longest") {
  const json::File expected((golden::directory() / "static-table" / "short.json").string());
  const auto rows = expected.find("vectors")->elements();
  const predict::StaticTable table{.source = (golden::directory() / "static" / "words").string(), .dim = 7};
  const auto numbers = Made(table).numbers();
  REQUIRE(numbers.size() == rows.size() * 7);
  double error = 0;
  for (size_t i = 0; i < numbers.size(); ++i)
    error = std::max(error, std::abs(rows[i / 7].elements()[i % 7].number() - numbers[i]));
  CHECK(error < 1e-6);
}

TEST_CASE("the number of threads does not change a table") {
  for (const auto& source : {teacher_of("mpnet"), (golden::directory() / "static" / "words").string()}) {
    const predict::StaticTable table{.source = source, .dim = 7};
    CHECK(Made(table, 1).numbers() == Made(table, 3).numbers());
  }
}

TEST_CASE("what cannot become a table is refused") {
  const auto source = teacher_of("bert");
  CHECK(error_of({.source = source, .dim = 13}).ends_with("bert have 12 numbers"));
  const auto words_model = (golden::directory() / "static" / "words").string();
  CHECK(error_of({.source = words_model, .dim = 13}).ends_with("words have 12 independent numbers"));
  CHECK(error_of({.source = words_model, .vocab = "some"})
            .ends_with("is static already; cut its vocabulary before"));
  CHECK(error_of({.source = words_model, .sif = 0})
            .ends_with("is static already, and its tokens have weights"));
  const Folder folder;
  const auto words = folder.write("words", "[UNK]\nCastle\nold king\nsnowy\n##zz\n");
  CHECK(error_of({.source = source, .vocab = words}) ==
        words + ": has 3 words that the tokenizer changes or splits: \"Castle\", \"old king\", \"##zz\"");
  const auto no_unknown = folder.write("words", "snowy\n");
  CHECK(error_of({.source = source, .vocab = no_unknown}) ==
        no_unknown + ": the unknown token [UNK] is not in the vocabulary");
  const auto lacking = folder.write("words", read_file(teacher_of("xlm-roberta") + "/kept.txt") + "snowy\n");
  CHECK(error_of({.source = teacher_of("xlm-roberta"), .vocab = lacking}) ==
        lacking + ": has 1 token that the model lacks: \"snowy\"");
}
