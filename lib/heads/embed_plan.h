// How bert-embed computes vectors: its options combined with the settings of the model directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heads/late_texts.h"
#include "heads/layer_mix.h"
#include "heads/pooling.h"
#include "io/format.h"
#include "model/directory.h"
#include "model/network.h"

namespace bert::heads {

// What --pooling asks for: the model's pooling, one mode, the pooler's output or a vector for each token.
struct Pooling {
  enum class Kind { automatic, mode, pooler, none };
  Kind kind = Kind::automatic;
  PoolingMode mode = PoolingMode::mean;  // for Kind::mode, and for a model without pooling

  bool operator==(const Pooling&) const = default;
};

struct VectorOptions {
  Pooling pooling = {};
  std::vector<int> layers;         // empty: the last; for google the last four
  std::optional<Combine> combine;  // default: concat, or sum if there are weights
  std::vector<double> layer_weights;
  bool normalize = false;
  std::optional<int64_t> dim;         // keep the first `dim` numbers of the vector
  std::optional<std::string> prompt;  // name of one of the directory's prompts, or a text
  // jsonl: fields of records, whatever the format of these; google; any other format has rows of numbers.
  io::Format format = io::Format::jsonl;
  bool base64 = false;  // in records
};

// The text to insert before each text: `asked`, or the model's default. May be empty. A word of ASCII
// letters, digits, '-', '_' and '.' is the name of one of the model's prompts, anything else is a text.
std::string prompt_of(const std::optional<std::string>& asked, const model::Directory& directory);

class EmbedPlan {
 public:
  enum class Kind { tokens, pooled, pooler };

  // Throws Error if the model does not support the options.
  EmbedPlan(const VectorOptions& options, const model::Directory& directory);

  Kind kind() const { return kind_; }
  const LayerMix& mix() const { return mix_; }
  const std::vector<int>& layers() const { return recipe_.layers; }  // as numbered by the user
  const std::vector<PoolingMode>& modes() const { return modes_; }   // for Kind::pooled
  model::Needs needs() const;
  bool first_tokens_only() const;           // only the first token's hidden states are used
  int64_t width() const { return width_; }  // length of an output vector

  // Which vectors of late interaction the model makes; nullopt: others.
  std::optional<Side> late_side() const { return late_side_; }

  const std::string& prompt() const { return prompt_; }      // inserted before each text; may be empty
  bool prompt_left_out() const { return prompt_left_out_; }  // pooling skips [CLS] and the prompt

  // How the hidden states become a vector, apart from its length: "mean", "cls+max@11,12", "mean+dense".
  std::string pooling() const;
  std::string prompt_name() const { return prompt_name_; }  // as in VectorModel
  std::string described() const;  // "pooling mean", "pooling cls, 128 of 384 numbers, prompt \"query: \""

  bool normalized() const;  // whether vectors have unit length

  // Final steps for a pooled or token vector: modules, dim, normalize.
  std::vector<float> finished(std::vector<float> vector) const;

 private:
  void take_prompt_name(const model::Directory& directory);
  void take_pooling(const VectorOptions& options, const model::Directory& directory);
  void take_width(const VectorOptions& options, const model::Directory& directory);
  int64_t pooled_width() const;
  int64_t width_after_modules() const;

  LayerMix::Recipe recipe_;
  LayerMix mix_;
  Kind kind_ = Kind::pooled;
  std::vector<PoolingMode> modes_;
  std::vector<model::Module> modules_;
  std::optional<Side> late_side_;
  std::vector<int> read_layers_;  // those of recipe_ from 0, if not the last one alone
  std::string prompt_, prompt_name_;
  bool prompt_left_out_ = false;
  bool unit_length_ = false;
  int64_t whole_width_ = 0;  // of a vector before it is shortened to width_
  int64_t width_ = 0;
};

}  // namespace bert::heads
