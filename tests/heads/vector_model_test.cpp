#include "heads/vector_model.h"

#include <doctest/doctest.h>

using namespace bert::heads;

namespace {

const VectorModel kModel = {.name = "mini",
                            .fingerprint = "0123456789abcdef",
                            .pooling = "mean",
                            .max_length = 256,
                            .prompt = "'find: '"};

}  // namespace

TEST_CASE("the model of a vector is read as it was written, and other texts are not") {
  CHECK(kModel.text() == "mini 0123456789abcdef mean 256 'find: '");
  auto model = VectorModel::parse(kModel.text());
  REQUIRE(model);
  CHECK(model->text() == kModel.text());
  CHECK(!difference(*model, kModel));
  model->normalized = true;
  CHECK(model->text() == "mini 0123456789abcdef mean+normalize 256 'find: '");
  CHECK(VectorModel::parse(model->text())->pooling == "mean");
  CHECK(VectorModel::parse(model->text())->normalized);
  model->prompt.clear();
  CHECK(VectorModel::parse(model->text())->prompt.empty());
  for (const char* text :
       {"", " ", "text-embedding-3", "mini 0123456789abcdef mean", "mini 0123456789abcdef mean x",
        "mini 0123456789ABCDEF mean 256", "mini 0123456789abcde mean 256", "mini 0123456789abcdef mean 256x",
        "mini 0123456789abcdef mean 99999999999999999999"})
    CHECK_MESSAGE(!VectorModel::parse(text), text);
}

TEST_CASE("the fields of the text and its pair are named, and compared with others") {
  for (const auto& [fields, shown] : {std::pair(std::vector<std::string>{"title"}, "title"),
                                      {{"title", "body"}, "title,body"},
                                      {{"a b", "c,d"}, "\"a b\",\"c,d\""},
                                      {{"", "\"q\\"}, "\"\",\"\\\"q\\\\\""},
                                      {{"'"}, "'"}}) {
    auto model = kModel;
    model.fields = fields;
    CHECK(model.text() == "mini 0123456789abcdef mean 256 of " + std::string(shown) + " 'find: '");
    for (const char* prompt : {"", "query", "'of a: '"}) {
      model.prompt = prompt;
      const auto read = VectorModel::parse(model.text());
      REQUIRE(read);
      CHECK(read->fields == fields);
      CHECK(read->prompt == prompt);
      CHECK(!difference(*read, model));
      CHECK(fields_of(model.text()) == fields);
    }
    CHECK(difference(model, kModel)->kind == ModelDifference::Kind::prompt);
    model.prompt = kModel.prompt;
    CHECK(!difference(model, kModel));
  }
  CHECK(fields_of(kModel.text()).empty());
  CHECK(fields_of("of a").empty());
  for (const char* text :
       {"mini 0123456789abcdef mean 256 of \"a", "mini 0123456789abcdef mean 256 of \"\\x\""})
    CHECK(!VectorModel::parse(text));
}

TEST_CASE("the first difference of two models is named; the directory's name is none") {
  auto other = kModel;
  other.name = "copy";
  CHECK(!difference(kModel, other));
  other.prompt.clear();
  CHECK(difference(kModel, other)->kind == ModelDifference::Kind::prompt);
  CHECK(difference(kModel, other)->second == "none");
  other.normalized = true;
  CHECK(difference(kModel, other)->kind == ModelDifference::Kind::normalization);
  CHECK(difference(kModel, other)->second == "L2");
  other.max_length = 128;
  CHECK(difference(kModel, other)->first == "256");
  other.pooling = "cls";
  CHECK(difference(kModel, other)->kind == ModelDifference::Kind::pooling);
  other.fingerprint.back() = '0';
  CHECK(difference(kModel, other)->second == "copy (0123456789abcde0)");
}

TEST_CASE("the name of a model is one word in UTF-8") {
  CHECK(name_of_model("/nowhere/my model") == "my_model");
  CHECK(name_of_model("/nowhere/b\xc3\xa4r") == "b\xc3\xa4r");
  CHECK(name_of_model("/nowhere/b\xe4r") == "b_r");
  CHECK(name_of_model("/") == "_");
}
