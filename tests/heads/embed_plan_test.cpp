#include "heads/embed_plan.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace bert::heads;
using bert::model::Dense;
using bert::model::Directory;
using bert::model::Normalize;

namespace {

Directory directory() { return {.config = {.hidden = 4, .layers = 3, .heads = 2}}; }

// cls and mean pooling, then Dense 8 -> 3 and Normalize, with prompts.
Directory sentence_directory() {
  Directory sentence = directory();
  sentence.sentence.pooling = {{PoolingMode::mean, PoolingMode::cls}, false};
  sentence.sentence.modules = {Dense{.in = 8, .out = 3, .weight = std::vector<float>(24, 1)}, Normalize{}};
  sentence.sentence.prompts = {{"query", "query: "}, {"none", ""}};
  sentence.sentence.default_prompt = "query";
  return sentence;
}

EmbedPlan plan(const VectorOptions& options, const Directory& directory) {
  return EmbedPlan(options, directory);
}

}  // namespace

TEST_CASE("without pooling settings the last layer is mean-pooled") {
  const auto mean = plan({}, directory());
  CHECK(mean.kind() == EmbedPlan::Kind::pooled);
  CHECK(mean.modes() == std::vector{PoolingMode::mean});
  CHECK(mean.mix().wanted() == std::vector<int>{3});
  CHECK(mean.width() == 4);
  CHECK_FALSE(mean.first_tokens_only());
}

TEST_CASE("only the requested layers and tokens are computed") {
  CHECK(plan({.pooling = {.kind = Pooling::Kind::mode, .mode = PoolingMode::cls}}, directory())
            .first_tokens_only());
  CHECK(plan({.pooling = {.kind = Pooling::Kind::pooler}}, directory()).first_tokens_only());
  CHECK_FALSE(plan({.pooling = {.kind = Pooling::Kind::none}}, directory()).first_tokens_only());
  CHECK(plan({.pooling = {.kind = Pooling::Kind::pooler}}, directory()).needs().pooler);
  CHECK_FALSE(
      plan({.pooling = {.kind = Pooling::Kind::mode, .mode = PoolingMode::cls}}, directory()).needs().pooler);
  CHECK(plan({.layers = {0, 2, 1}}, directory()).needs().layers == 2);
  CHECK(plan({.layers = {0}}, directory()).needs().layers == 0);
}

TEST_CASE("auto applies all of the directory's modules; an explicit pooling uses the encoder alone") {
  const auto automatic = plan({}, sentence_directory());
  CHECK(automatic.modes() == std::vector{PoolingMode::mean, PoolingMode::cls});
  CHECK(automatic.width() == 3);
  CHECK(automatic.prompt_left_out());
  const auto vector = automatic.finished(std::vector<float>(8, 2));
  REQUIRE(vector.size() == 3);
  CHECK(vector[0] == doctest::Approx(0.5773503));
  const auto mean =
      plan({.pooling = {.kind = Pooling::Kind::mode, .mode = PoolingMode::mean}}, sentence_directory());
  CHECK(mean.width() == 4);
  CHECK(mean.finished({1, 2, 3, 4}) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("--dim truncates before --normalize") {
  const auto cut = plan({.normalize = true, .dim = 2}, directory());
  CHECK(cut.width() == 2);
  CHECK(cut.finished({3, 4, 100, 100}) == std::vector<float>{0.6f, 0.8f});
  CHECK_THROWS_WITH_AS(plan({.dim = 5}, directory()), "--dim 5: vectors have only 4 numbers", bert::Error);
}

TEST_CASE("a prompt is a name from the directory, a text, or the directory's default") {
  CHECK(plan({}, sentence_directory()).prompt() == "query: ");
  CHECK(plan({.prompt = "none"}, sentence_directory()).prompt().empty());
  CHECK(plan({.prompt = ""}, sentence_directory()).prompt().empty());
  CHECK(plan({.prompt = "find: "}, sentence_directory()).prompt() == "find: ");
  CHECK(plan({}, directory()).prompt().empty());
  CHECK(plan({.prompt = "für"}, directory()).prompt() == "für");
  CHECK_THROWS_WITH(
      plan({.prompt = "qurey"}, sentence_directory()),
      "--prompt qurey: the model has no prompt of this name, only \"none\" and \"query\" (a text to "
      "insert has a space or punctuation mark); did you mean \"query\"?");
  CHECK_THROWS_WITH(
      plan({.prompt = "query"}, directory()),
      "--prompt query: the model has no prompts (a text to insert has a space or punctuation mark)");
}

TEST_CASE("the google format has its own default layers and layer numbers") {
  Directory deep = directory();
  deep.config.layers = 6;
  const auto google = plan({.format = bert::io::Format::google}, deep);
  CHECK(google.kind() == EmbedPlan::Kind::tokens);
  CHECK(google.layers() == std::vector<int>{-1, -2, -3, -4});
  CHECK(google.mix().wanted() == std::vector<int>{3, 4, 5, 6});
  CHECK(google.width() == 16);
  CHECK(plan({.layers = {0}, .format = bert::io::Format::google}, deep).mix().wanted() ==
        std::vector<int>{1});
}

TEST_CASE("options that do not fit the model are rejected") {
  CHECK_THROWS_AS(plan({.pooling = {.kind = Pooling::Kind::pooler}, .layers = {0, 1}}, directory()),
                  bert::Error);
  CHECK_THROWS_AS(plan({.layers = {0, 1}}, sentence_directory()), bert::Error);  // Dense expects 8, gets 16
}

TEST_CASE("truncate_dim shortens the vectors of the model's own pooling; dim overrides it") {
  auto shortened = sentence_directory();
  shortened.sentence.truncate_dim = 2;
  CHECK(plan({}, shortened).width() == 2);
  CHECK(plan({}, shortened).finished(std::vector<float>(8, 2))[0] == doctest::Approx(0.5773503));
  CHECK(plan({.normalize = true}, shortened).finished(std::vector<float>(8, 2))[0] ==
        doctest::Approx(0.7071068));
  CHECK(plan({.dim = 3}, shortened).width() == 3);
  CHECK(plan({.pooling = {.kind = Pooling::Kind::mode}}, shortened).width() == 4);
  CHECK(plan({}, shortened).described() == "pooling mean+cls+dense, 2 of 3 numbers, prompt \"query: \"");
  shortened.sentence.truncate_dim = 9;
  CHECK(plan({}, shortened).width() == 3);
}

TEST_CASE("pooling and prompts have the same name whichever way they are asked for") {
  const auto pooling = [](const VectorOptions& options) { return plan(options, directory()).pooling(); };
  CHECK(pooling({}) == "mean");
  CHECK(pooling({.layers = {3}}) == "mean");
  CHECK(pooling({.layers = {-2, 3}}) == "mean@2,3");
  CHECK(pooling({.layers = {0, -1}, .combine = Combine::mean}) == "mean@0,3:mean");
  CHECK(pooling({.layers = {1, 2}, .layer_weights = {0.5, 2}}) == "mean@1,2:sum,0.5,2");
  CHECK(pooling({.pooling = {.kind = Pooling::Kind::none}}) == "none");
  CHECK(plan({}, sentence_directory()).pooling() == "mean+cls+dense");
  const auto prompt = [](const VectorOptions& options) {
    return plan(options, sentence_directory()).prompt_name();
  };
  CHECK(prompt({}) == "query");
  CHECK(prompt({.prompt = "query: "}) == "query");
  CHECK(prompt({.prompt = "find: "}) == "'find: '");
  CHECK(prompt({.prompt = "none"}).empty());
}
