// What sentence-transformers adds to a model directory: modules.json lists a transformer and the modules that
// turn its hidden states into one vector. Reads the old form of these files (up to release 4) and the new
// one.
//
//   [{"path": "", "type": "….Transformer"}, {"path": "1_Pooling", "type": "….Pooling"},
//    {"path": "2_Dense", "type": "….Dense"}, {"path": "3_Normalize", "type": "….Normalize"}]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/config.h"
#include "nn/activation.h"

namespace bert::model {

// Reduces the hidden states h_1 … h_n of all tokens, [CLS] and [SEP] included, to one vector [H].
enum class PoolingMode {
  cls,            // h_1
  max,            // componentwise
  mean,           // Σ h_i / n
  mean_sqrt_len,  // Σ h_i / √n
  weighted_mean,  // Σ i·h_i / Σ i
  last,           // h_n
};

struct PoolingName {
  PoolingMode mode;
  std::string_view name;               // in --pooling and bert-convert --info
  std::string_view transformers_name;  // in "pooling_mode"
  std::string_view old_key;            // boolean of the old form, which concatenates in this order
};
inline constexpr PoolingName kPoolings[] = {
    {PoolingMode::cls, "cls", "cls", "pooling_mode_cls_token"},
    {PoolingMode::max, "max", "max", "pooling_mode_max_tokens"},
    {PoolingMode::mean, "mean", "mean", "pooling_mode_mean_tokens"},
    {PoolingMode::mean_sqrt_len, "mean_sqrt_len", "mean_sqrt_len_tokens",
     "pooling_mode_mean_sqrt_len_tokens"},
    {PoolingMode::weighted_mean, "weighted_mean", "weightedmean", "pooling_mode_weightedmean_tokens"},
    {PoolingMode::last, "last", "lasttoken", "pooling_mode_lasttoken"},
};

std::string_view name_of(PoolingMode mode);

struct Pooling {
  std::vector<PoolingMode> modes;  // at least one; their vectors are concatenated
  bool include_prompt = true;      // false: skip [CLS] and the prompt's tokens
};

// How a SparseEncoder makes the weight of a word of the logits that the masked-language-model head gives it
// at the tokens: the largest of ln(1 + relu(logit)), or their sum; `_log`: of ln(1 + that).
enum class SparsePooling { max, sum, max_log, sum_log };
// With their names, as in bert-embed --sparse.
inline constexpr std::pair<std::string_view, SparsePooling> kSparsePoolings[] = {
    {"max", SparsePooling::max},
    {"sum", SparsePooling::sum},
    {"max-log", SparsePooling::max_log},
    {"sum-log", SparsePooling::sum_log}};
std::string_view name_of(SparsePooling pooling);
constexpr bool is_sum(SparsePooling pooling) {
  return pooling == SparsePooling::sum || pooling == SparsePooling::sum_log;
}
constexpr bool is_log(SparsePooling pooling) {
  return pooling == SparsePooling::max_log || pooling == SparsePooling::sum_log;
}

// Queries of late interaction get tokens for masks at the end, up to `length` tokens; these have vectors,
// too.
struct QueryExpansion {
  int64_t length = 32;
  bool cuts = true;          // longer queries are truncated to it
  bool is_attended = false;  // whether tokens attend to the added ones
  std::string token;         // "": the one for masks
};

// Late interaction (Khattab and Zaharia 2020, "ColBERT: Efficient and effective passage search via
// contextualized late interaction over BERT"): each token has a vector, and the score of a query and a
// document is Σ over the query's vectors of the largest dot product with a vector of the document.
struct LateInteraction {
  std::optional<int64_t> query_length, document_length;  // like max_seq_length; nullopt: that one
  std::optional<QueryExpansion> expansion;
  std::vector<std::string> skipped;  // tokens that get no vector
  bool skips_in_queries = false, skips_in_documents = true;
  bool mean = false;  // scores are divided by the number of the query's vectors
  // Stanford's form, see read_stanford: the dense layer of `modules` is a tensor of the encoder's file.
  bool dense_in_encoder = false;
  // Tokens that a prompt, by its name, begins with, which the tokenizer may not know as special.
  std::map<std::string, std::string> marks;
};

// y = activation(x·Wᵀ + b)
struct Dense {
  int64_t in = 0, out = 0;
  nn::Activation activation = nn::Activation::tanh;
  std::vector<float> weight;  // [out, in]
  std::vector<float> bias;    // [out]; empty: no bias
};

// y = x / ‖x‖
struct Normalize {};

using Module = std::variant<Dense, Normalize>;

// The values below are the defaults of a directory without such settings.
struct SentenceTransformer {
  // In tokens, special tokens included; longer texts are truncated. Overrides the tokenizer's
  // model_max_length.
  std::optional<int64_t> max_seq_length;
  bool lowercase = false;               // do_lower_case: lowercase texts, also with a cased tokenizer
  std::optional<Pooling> pooling;       // nullopt: not specified, and no modules either
  std::optional<SparsePooling> sparse;  // of a SparseEncoder, which has no pooling
  std::string query_table;              // folder of the weights of queries, see query_table.h; "": none
  std::optional<LateInteraction> late;  // of a MultiVectorEncoder, which has no pooling
  std::vector<Module> modules;          // after pooling, or of each token's vector; their widths match

  std::map<std::string, std::string, std::less<>> prompts;  // by name
  std::optional<std::string> default_prompt;                // a name in prompts, used when none is requested

  std::optional<int64_t> truncate_dim;    // keep the first numbers of a vector, after all modules
  std::optional<std::string> similarity;  // similarity_fn_name: how vectors are to be compared

  bool cross_encoder = false;
  std::optional<ScoreActivation> score_activation;
};

// Directory of config.json, weights and tokenizer: `directory` itself or, in old models, a folder in it
// ("0_BERT").
std::string transformer_of(const std::string& directory);

// Whether modules.json begins with a StaticEmbedding: a table of the words' vectors instead of a transformer.
bool is_static(const std::string& directory);

// Reads only what concerns texts: max_seq_length and do_lower_case.
SentenceTransformer load_text_settings(const std::string& directory);

// The text of the default prompt; "" if there is none.
std::string default_prompt_of(const SentenceTransformer& sentence);

// Reads the settings and modules of `directory` for a transformer with vectors [hidden]. Errors name the file
// and what was expected; unsupported modules are rejected by name.
SentenceTransformer load_sentence_transformer(const std::string& directory, int64_t hidden);

}  // namespace bert::model
