// The heads that a model may have above its encoder, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "task/task.h"

namespace bert::ckpt {
class Checkpoint;
}

namespace bert::model {

// What a head reads: the hidden states of tokens, or the pooler's output for each sequence.
enum class Reads { tokens, sequences };

struct Head {
  std::string_view name;        // as in bert-convert --info; heads that share their tensors share it
  std::string_view mark;        // a tensor that only this head has, and those that share its tensors
  std::string_view dense = {};  // a layer before the head's output, as wide as the encoder: act(dense(h))
  std::string_view context_norm = {};  // before it, in types with ModelType::replaced_in_context
  Reads reads = Reads::tokens;
  int64_t outputs = 0;      // of each token or sequence; 0: one for each label of the model
  bool fine_tuned = false;  // otherwise pre-trained: always reads the last layer
  bool dropout = false;     // of its input, in training
  bool own_pooler = false;  // the pooler is the head's first layer in types with drops_head_input
  // Whether the loss compares rows with each other, as nn::place_loss does, or only the outputs of one row.
  // If it compares rows, a value added to all rows cancels, so parameters that only add such a value have
  // gradient 0. They are set to exactly 0, because Adam would turn rounding errors into full steps.
  bool compares_rows = false;
  // Hugging Face's models with this head, after the classes of the model type: "ForMaskedLM". Types differ in
  // what they call ForPreTraining, see ModelType::pretraining.
  std::vector<std::string_view> architectures = {};
  std::ptrdiff_t causal = PTRDIFF_MAX;  // index of the first one of a causal model, see ModelType::causal
  std::vector<task::Task> tasks = {};

  // Begins the names of its tensors: "classifier". Some types call all fine-tuned heads that.
  std::string_view tensors(const ModelType& type) const {
    return type.transforms_first && fine_tuned ? "classifier" : mark.substr(0, mark.rfind('.'));
  }
};

constexpr std::string_view kPooler = "pooler";

using Heads = std::vector<const Head*>;

std::span<const Head> heads();

// nullptr for tasks that need no head.
const Head* head_of(task::Task task);

// The architecture with these heads and no others: the first one, or the last one of a causal model.
std::string architecture_of(const Heads& heads, const Config& config);

bool has_head(const Config& config, const Head& head);  // by its architectures
int64_t outputs_of(const Head& head, const Config& config);

// The names of the heads whose weights exist, in the order of the table after "pooler", regardless of the
// configuration.
std::vector<std::string_view> heads_in(const ckpt::Checkpoint& checkpoint);
std::vector<std::string_view> heads_in(const std::string& directory);  // reads tensor names only, no values

}  // namespace bert::model
