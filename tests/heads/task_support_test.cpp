#include "heads/task_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"

using namespace bert::heads;
using bert::model::Config;
using bert::model::ProblemType;
using enum bert::task::Task;
using Heads = std::vector<std::string_view>;
using Tasks = std::vector<bert::task::Task>;

namespace {

const std::string kModels = std::filesystem::path(__FILE__).parent_path().parent_path() / "golden" / "models";

constexpr bert::task::Task kAll[] = {fill, next,   replaced, classify, regress,   multilabel,
                                     tag,  answer, choose,   rank,     perplexity};

Tasks classifier(size_t labels, std::optional<ProblemType> type, bool cross_encoder) {
  Config config = {.architectures = {"BertForSequenceClassification"}, .labels = {}, .problem_type = type};
  for (size_t k = 0; k < labels; ++k) config.labels.push_back("label " + std::to_string(k));
  config.cross_encoder = cross_encoder;
  return tasks_of(config, Heads{"pooler", "classifier"});
}

std::string refusal(bert::task::Task task, const std::string& model) {
  try {
    task_for(task, bert::model::open_directory(kModels + "/" + model));
  } catch (const bert::Error& error) {
    return std::string(error.what()).substr(kModels.size() + 1);
  }
  return "";
}

}  // namespace

TEST_CASE("the architecture determines the tasks, the usual one first") {
  CHECK(tasks_of({.architectures = {"BertForPreTraining"}}, {}) == Tasks{fill, next, perplexity});
  CHECK(tasks_of({.architectures = {"BertForMaskedLM"}}, {}) == Tasks{fill, perplexity});
  CHECK(tasks_of({.architectures = {"BertForNextSentencePrediction"}}, {}) == Tasks{next});
  CHECK(tasks_of({.architectures = {"BertForTokenClassification"}}, {}) == Tasks{tag});
  CHECK(tasks_of({.architectures = {"BertForQuestionAnswering"}}, {}) == Tasks{answer});
  CHECK(tasks_of({.architectures = {"BertForMultipleChoice"}}, {}) == Tasks{choose});
  CHECK(
      tasks_of({.type = bert::model::find_model_type("electra"), .architectures = {"ElectraForPreTraining"}},
               {}) == Tasks{replaced});
}

TEST_CASE("the problem type determines a text classifier's tasks, else its labels and settings") {
  CHECK(classifier(3, {}, false) == Tasks{classify});
  CHECK(classifier(1, {}, false) == Tasks{regress, rank});
  CHECK(classifier(1, {}, true) == Tasks{rank, regress});
  CHECK(classifier(3, {}, true) == Tasks{classify});
  CHECK(classifier(3, ProblemType::multi_label, false) == Tasks{multilabel});
  CHECK(classifier(1, ProblemType::multi_label, false) == Tasks{multilabel, regress, rank});
  CHECK(classifier(1, ProblemType::regression, true) == Tasks{regress, rank});
  CHECK(classifier(3, ProblemType::regression, false) == Tasks{regress});
  CHECK(classifier(2, ProblemType::single_label, false) == Tasks{classify});
}

TEST_CASE("heads that the architecture does not name count too, such as next in bert-base-uncased") {
  const Heads pretrained = {"pooler", "masked_lm", "next_sentence"};
  CHECK(tasks_of({.architectures = {"BertForMaskedLM"}}, pretrained) == Tasks{fill, perplexity, next});
  CHECK(tasks_of({.architectures = {"BertModel"}}, pretrained) == Tasks{fill, perplexity, next});
}

TEST_CASE("without an architecture the tensors determine the tasks") {
  CHECK(tasks_of({}, Heads{}) == Tasks{});
  CHECK(tasks_of({}, Heads{"pooler"}) == Tasks{});
  CHECK(tasks_of({}, Heads{"question_answering"}) == Tasks{answer});
  CHECK(tasks_of({}, Heads{"classifier"}) == Tasks{tag});
  CHECK(tasks_of({}, Heads{"pooler", "classifier"}) == Tasks{classify, tag, choose});
  CHECK(tasks_of({.labels = {"score"}}, Heads{"pooler", "classifier"}) == Tasks{regress, rank, tag, choose});
}

TEST_CASE("each test model supports the tasks of its head and rejects all others") {
  const std::pair<const char*, Tasks> models[] = {{"answer", {answer}},
                                                  {"bare", {}},
                                                  {"choose", {choose}},
                                                  {"classify", {classify}},
                                                  {"masked-lm", {fill, perplexity}},
                                                  {"multilabel", {multilabel}},
                                                  {"next", {next}},
                                                  {"pretraining", {fill, next, perplexity}},
                                                  {"rank", {rank, regress}},
                                                  {"regress", {regress, rank}},
                                                  {"tag", {tag}}};
  for (const auto& model : models) {
    for (const bert::task::Task task : kAll) {
      const bool fits = std::ranges::find(model.second, task) != model.second.end();
      CHECK_MESSAGE(refusal(task, model.first).empty() == fits, model.first << " " << name_of(task));
    }
    CHECK_MESSAGE(refusal(automatic, model.first).empty() == !model.second.empty(), model.first);
  }
}

TEST_CASE("the error for an unsupported task names the model and the tasks it supports") {
  CHECK(refusal(tag, "classify") ==
        "classify: the model (BertForSequenceClassification, 3 labels, problem_type "
        "single_label_classification) is not fine-tuned for tag; it can be used for classify; see "
        "bert-train(1)");
  CHECK(refusal(classify, "bare") ==
        "bare: the model (BertModel) is not fine-tuned for classify; it has no head; see bert-train(1)");
  CHECK(refusal(next, "masked-lm") ==
        "masked-lm: the model (BertForMaskedLM) is not trained for next; it can be used for fill, "
        "perplexity; see "
        "bert-train(1)");
}

TEST_CASE("a bare encoder has no default task, and the error lists the tasks") {
  const std::string what = refusal(automatic, "bare");
  for (const bert::task::Task task : kAll) CHECK_MESSAGE(what.find(name_of(task)) != std::string::npos, what);
}
