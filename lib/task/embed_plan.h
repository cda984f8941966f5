// What bert-embed makes of a text, once its options and what the model directory says are put together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "model/directory.h"
#include "model/network.h"
#include "task/layer_mix.h"
#include "task/pooling.h"

namespace bert::task {

enum class Pooling { automatic, cls, mean, max, pooler, none };
enum class VectorFormat { jsonl, npy, f32, tsv, google };

struct VectorOptions {
  Pooling pooling = Pooling::automatic;
  std::vector<int> layers;         // none: the last; for google the last four
  std::optional<Combine> combine;  // without it concat, or sum when there are weights
  std::vector<double> layer_weights;
  bool normalize = false;
  std::optional<int64_t> dim;         // the first numbers of the vector
  std::optional<std::string> prompt;  // a name of the directory's prompts, or a text
  VectorFormat format = VectorFormat::jsonl;
};

// What options exclude each other, whatever the model; nullopt when all is well.
std::optional<std::string> conflict(const VectorOptions& options);

class EmbedPlan {
 public:
  enum class Kind { tokens, pooled, pooler };

  // Error when the model cannot do what is asked. Says by log.info what the directory decided.
  EmbedPlan(const VectorOptions& options, const model::Directory& directory, Log& log);

  Kind kind() const { return kind_; }
  const LayerMix& mix() const { return mix_; }
  const std::vector<int>& layers() const { return recipe_.layers; }  // as the user counts them
  const std::vector<PoolingMode>& modes() const { return modes_; }   // of Kind::pooled
  model::Needs needs() const;
  bool first_tokens_only() const;           // no other token's hidden state is read
  int64_t width() const { return width_; }  // numbers of a vector that is written

  const std::string& prompt() const { return prompt_; }      // put before each text; may be empty
  bool prompt_left_out() const { return prompt_left_out_; }  // it and [CLS] do not count for the pooling

  // From the pooled vector, or a token's, to the one that is written: modules, dim, normalize.
  std::vector<float> finished(std::vector<float> vector) const;

 private:
  void take_pooling(const VectorOptions& options, const model::Directory& directory, Log& log);
  void take_prompt(const VectorOptions& options, const model::Directory& directory, Log& log);
  int64_t pooled_width() const;
  int64_t width_after_modules() const;

  LayerMix::Recipe recipe_;
  LayerMix mix_;
  Kind kind_ = Kind::pooled;
  std::vector<PoolingMode> modes_;
  std::vector<model::Module> modules_;
  std::string prompt_;
  bool prompt_left_out_ = false;
  bool unit_length_ = false;
  int64_t width_ = 0;
};

}  // namespace bert::task
