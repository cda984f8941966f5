// What sentence-transformers adds to a model directory: modules.json lists a transformer and what turns its
// hidden states into one vector. Both the old form of its files (up to release 4) and the new one are read.
//
//   [{"path": "", "type": "….Transformer"}, {"path": "1_Pooling", "type": "….Pooling"},
//    {"path": "2_Dense", "type": "….Dense"}, {"path": "3_Normalize", "type": "….Normalize"}]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/config.h"
#include "nn/activation.h"

namespace bert::model {

// From the hidden states h_1 … h_n of all tokens, [CLS] and [SEP] among them, to one vector [H].
enum class PoolingMode {
  cls,            // h_1
  max,            // by component
  mean,           // Σ h_i / n
  mean_sqrt_len,  // Σ h_i / √n
  weighted_mean,  // Σ i·h_i / Σ i
  last,           // h_n
};

std::string_view name_of(PoolingMode mode);  // "mean_sqrt_len"

struct Pooling {
  std::vector<PoolingMode> modes;  // at least one; the vectors of several stand one after another
  bool include_prompt = true;      // false: [CLS] and the prompt's tokens are left out
};

// y = activation(x·Wᵀ + b)
struct Dense {
  int64_t in = 0, out = 0;
  nn::Activation activation = nn::Activation::tanh;
  std::vector<float> weight;  // [out, in]
  std::vector<float> bias;    // [out]; empty: there is none
};

// y = x / ‖x‖
struct Normalize {};

using Module = std::variant<Dense, Normalize>;

// What a directory without a word of it has: the values below.
struct SentenceTransformer {
  std::optional<int64_t> max_seq_length;  // tokens, specials included; longer texts are cut
  bool lowercase = false;                 // do_lower_case: texts are lower-cased before the tokenizer
  std::optional<Pooling> pooling;         // nullopt: none is stated, and there are no modules either
  std::vector<Module> modules;            // what follows the pooling, in order; widths fit one another

  std::map<std::string, std::string, std::less<>> prompts;  // by name
  std::optional<std::string> default_prompt;  // a name in prompts, applied when none is asked for

  bool cross_encoder = false;
  std::optional<ScoreActivation> score_activation;
};

// The directory of config.json, weights and tokenizer: `directory` or, in old models, a folder in it
// ("0_BERT").
std::string transformer_of(const std::string& directory);

// What `directory` says around a transformer whose vectors are [hidden]. Error names the file and what was
// expected; modules that are not computed are refused by name.
SentenceTransformer load_sentence_transformer(const std::string& directory, int64_t hidden);

}  // namespace bert::model
