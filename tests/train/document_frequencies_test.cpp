#include "train/document_frequencies.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "examples/embed_example.h"
#include "model/directory.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;

TEST_CASE("rare tokens of documents have large weights, special ones none") {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path();
  const auto tokenizer =
      model::load_tokenizer(model::open_directory(tests / "golden" / "models" / "pretraining"));
  const int32_t the = tokenizer.id("the").value(), king = tokenizer.id("king").value(),
                queen = tokenizer.id("queen").value();
  DocumentFrequencies frequencies(tokenizer);
  // A query, which is not counted, and documents: "the the king", "the".
  examples::EmbedExample example;
  example.looked_up = 1;
  example.lengths = {2, 5, 3};
  example.ids = {queen,           the, tokenizer.cls(), the, the, king, tokenizer.sep(),
                 tokenizer.cls(), the, tokenizer.sep()};
  example.types.assign(example.ids.size(), 0);
  frequencies.add(example);
  frequencies.add(example);
  comm::Communicator alone;
  const auto weights = frequencies.inverse(alone);
  CHECK(weights.size() == static_cast<size_t>(tokenizer.size()));
  CHECK(weights[the] == doctest::Approx(std::log(1 + 0.5 / 4.5)));
  CHECK(weights[king] == doctest::Approx(std::log(1 + 2.5 / 2.5)));
  CHECK(weights[queen] == doctest::Approx(std::log(1 + 4.5 / 0.5)));
  for (int32_t id = 0; id < tokenizer.size(); ++id) CHECK((weights[id] == 0) == tokenizer.is_special(id));
}
