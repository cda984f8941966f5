#include "model/heads.h"

#include <algorithm>

#include "ckpt/checkpoint.h"

namespace bert::model {
namespace {

constexpr std::string_view kForPretraining = "ForPreTraining";

const std::vector<Head>& table() {
  using enum task::Task;
  static const std::vector<Head> heads = {
      {.name = "masked_lm",
       .mark = "cls.predictions.bias",
       .architectures = {"ForMaskedLM", kForPretraining, "LMHeadModel", "ForCausalLM"},
       .causal = 2,
       .tasks = {fill, perplexity}},
      {.name = "next_sentence",
       .mark = "cls.seq_relationship.weight",
       .reads = Reads::sequences,
       .outputs = 2,  // 0: follows, 1: random
       .architectures = {"ForNextSentencePrediction", kForPretraining},
       .tasks = {next}},
      // Clark et al. 2020: a positive logit for a token that was replaced.
      {.name = "replaced_token",
       .mark = "discriminator_predictions.dense_prediction.weight",
       .dense = "discriminator_predictions.dense",
       .context_norm = "discriminator_predictions.LayerNorm",
       .outputs = 1,
       .architectures = {kForPretraining},
       .tasks = {replaced}},
      {.name = "classifier",
       .mark = "classifier.weight",
       .reads = Reads::sequences,
       .fine_tuned = true,
       .dropout = true,
       .own_pooler = true,
       .architectures = {"ForSequenceClassification"},
       .tasks = {classify, regress, multilabel, rank}},
      {.name = "classifier",
       .mark = "classifier.weight",
       .fine_tuned = true,
       .dropout = true,
       .architectures = {"ForTokenClassification"},
       .tasks = {tag}},
      // One output for each choice, regardless of the labels.
      {.name = "classifier",
       .mark = "classifier.weight",
       .reads = Reads::sequences,
       .outputs = 1,
       .fine_tuned = true,
       .dropout = true,
       .compares_rows = true,
       .architectures = {"ForMultipleChoice"},
       .tasks = {choose}},
      // Without dropout, as in run_squad.py.
      {.name = "question_answering",
       .mark = "qa_outputs.weight",
       .outputs = 2,  // start and end of the answer
       .fine_tuned = true,
       .compares_rows = true,
       .architectures = {"ForQuestionAnswering"},
       .tasks = {answer}},
  };
  return heads;
}

const std::vector<std::string_view> kBareModel = {"Model"};

bool has(const Head& head, std::string_view architecture, const ModelType& type) {
  const bool is_replaced = head.tasks.front() == task::Task::replaced;
  if (architecture == kForPretraining &&
      type.pretraining != (is_replaced ? Pretraining::replaced : Pretraining::next_sentence))
    return false;
  const auto found = std::ranges::find(head.architectures, architecture);
  const bool is_causal = found - head.architectures.begin() >= head.causal;
  return found != head.architectures.end() && (!is_causal || architecture == type.causal);
}

}  // namespace

std::span<const Head> heads() { return table(); }

const Head* head_of(task::Task task) {
  const auto found = std::ranges::find_if(
      table(), [&](const Head& head) { return std::ranges::find(head.tasks, task) != head.tasks.end(); });
  return found == table().end() ? nullptr : &*found;
}

std::string architecture_of(const Heads& wanted, const Config& config) {
  std::string_view name;
  for (const auto architecture : wanted.empty() ? kBareModel : wanted.front()->architectures) {
    const bool is_exact = std::ranges::all_of(table(), [&](const Head& head) {
      return has(head, architecture, *config.type) == (std::ranges::find(wanted, &head) != wanted.end());
    });
    if (is_exact && (name.empty() || config.causal)) name = architecture;
  }
  return std::string(config.type->classes).append(name);
}

bool has_head(const Config& config, const Head& head) {
  return std::ranges::any_of(head.architectures, [&](auto name) {
    return has(head, name, *config.type) &&
           config.has_architecture(std::string(config.type->classes).append(name));
  });
}

int64_t outputs_of(const Head& head, const Config& config) {
  return head.outputs > 0 ? head.outputs : config.labels.size();
}

std::vector<std::string_view> heads_in(const ckpt::Checkpoint& checkpoint) {
  std::vector<std::string_view> found;
  if (checkpoint.find(std::string(kPoolerLayer) + ".weight") != nullptr) found.push_back(kPooler);
  for (const Head& head : table()) {
    const bool is_known = std::ranges::find(found, head.name) != found.end();
    if (!is_known && checkpoint.find(head.mark) != nullptr) found.push_back(head.name);
  }
  return found;
}

std::vector<std::string_view> heads_in(const std::string& directory) {
  return heads_in(ckpt::Checkpoint::open(directory, ckpt::DataSums::leave));
}

}  // namespace bert::model
