#include "model/heads.h"

#include <doctest/doctest.h>

#include <set>

using namespace bert;
using namespace bert::model;

TEST_CASE("each task that a model predicts has one head, and the heads differ in their architectures") {
  for (const auto task : task::tasks_with(&task::Entry::predicted)) {
    if (task == task::Task::automatic) continue;
    const auto* head = head_of(task);
    REQUIRE(head != nullptr);
    const auto* type = find_model_type(task == task::Task::replaced ? "electra" : "bert");
    const auto name = architecture_of({head}, {.type = type});
    CHECK(has_head({.type = type, .architectures = {name}}, *head));
  }
  CHECK(head_of(task::Task::embed) == nullptr);
}

TEST_CASE("an architecture has exactly the heads that it is asked for") {
  using enum task::Task;
  CHECK(architecture_of({}, {}) == "BertModel");
  CHECK(architecture_of({head_of(fill)}, {}) == "BertForMaskedLM");
  CHECK(architecture_of({head_of(fill), head_of(next)}, {}) == "BertForPreTraining");
  CHECK(architecture_of({head_of(fill)}, {.causal = true}) == "BertLMHeadModel");
  CHECK(architecture_of({head_of(tag)}, {.causal = true}) == "BertForTokenClassification");
  CHECK(architecture_of({head_of(next)}, {}) == "BertForNextSentencePrediction");
  CHECK(architecture_of({head_of(classify)}, {}) == "BertForSequenceClassification");
  CHECK(architecture_of({head_of(tag)}, {}) == "BertForTokenClassification");
  CHECK(architecture_of({head_of(replaced)}, {.type = find_model_type("electra")}) ==
        "ElectraForPreTraining");
}

TEST_CASE("what ForPreTraining has depends on the type of the model") {
  using enum task::Task;
  const auto heads_of = [](std::string_view type, const std::string& architecture) {
    const Config config = {.type = find_model_type(type), .architectures = {architecture}};
    std::vector<std::string_view> names;
    for (const auto& head : heads())
      if (has_head(config, head)) names.push_back(head.name);
    return names;
  };
  using Names = std::vector<std::string_view>;
  CHECK(heads_of("bert", "BertForPreTraining") == Names{"masked_lm", "next_sentence"});
  CHECK(heads_of("electra", "ElectraForPreTraining") == Names{"replaced_token"});
  CHECK(heads_of("electra", "ElectraForMaskedLM") == Names{"masked_lm"});
  CHECK(heads_of("albert", "AlbertForPreTraining").empty());
}

TEST_CASE("a head has an output for each label, or a fixed number") {
  const Config config = {.labels = {"a", "b", "c"}};
  CHECK(outputs_of(*head_of(task::Task::tag), config) == 3);
  CHECK(outputs_of(*head_of(task::Task::choose), config) == 1);
  CHECK(outputs_of(*head_of(task::Task::answer), config) == 2);
}
