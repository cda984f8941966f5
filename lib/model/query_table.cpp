#include "model/query_table.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/checkpoint.h"
#include "json/json.h"

namespace bert::model {
namespace {

namespace fs = std::filesystem;

// Tokens that the vocabulary lacks give their weight to the unknown token, the last one of them, as in
// sentence-transformers. Tokens without a weight have 0.
std::vector<float> weights_in_json(const std::string& path, const text::Tokenizer& tokenizer) {
  const json::File file(path);
  std::vector<float> weights(tokenizer.size());
  for (const auto& [token, weight] : file.root().members()) {
    try {
      weights[tokenizer.id(token).value_or(tokenizer.unk())] = static_cast<float>(weight.number());
    } catch (const Error& error) {
      throw Error(path, ": ", json::in_quotes(token), " ", error.what());
    }
  }
  return weights;
}

std::vector<float> weights_in_file(const std::string& folder, const text::Tokenizer& tokenizer) {
  const auto checkpoint = ckpt::Checkpoint::open(folder);
  const auto& tensor = checkpoint.get("weight", std::array{int64_t{tokenizer.size()}});
  std::vector<float> weights(tensor.count());
  ckpt::to_f32(tensor, weights);
  return weights;
}

}  // namespace

QueryTable read_query_table(const std::string& folder) {
  const auto config = fs::path(folder) / "config.json";
  QueryTable table{.tokenizer = text::load_tokenizer(folder), .weights = {}, .max_length = {}};
  std::string path;
  if (is_file(config.string())) {
    const json::File settings(config.string());
    path = settings.string("path", "");
    table.frozen = settings.boolean("frozen", false);
  }
  table.max_length = table.tokenizer.config().model_max_length;
  table.weights = path.ends_with(".json")
                      ? weights_in_json((fs::path(folder) / path).string(), table.tokenizer)
                      : weights_in_file(folder, table.tokenizer);
  for (int32_t id = 0; id < table.tokenizer.size(); ++id)
    if (const float weight = table.weights[id]; !std::isfinite(weight) || weight < 0)
      throw Error(folder, ": the weight of ", json::in_quotes(table.tokenizer.subword(id)), " is ", weight,
                  ", expected a finite number of at least 0");
  return table;
}

}  // namespace bert::model
