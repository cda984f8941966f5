#include "features/word_windows.h"

#include "base/error.h"
#include "features/overflow.h"

namespace bert::features {

std::vector<Features> word_windows(const io::Fields& fields, const Featurizer& featurizer,
                                   const std::pair<std::string, json::Value>& words) {
  const auto& [name, array] = words;
  return featurizer.options().document ? featurizer.windows(name, array, fields.context())
                                       : featurizer.windows(name, array);
}

std::optional<std::vector<Features>> find_token_windows(const io::Fields& fields,
                                                        const Featurizer& featurizer) {
  if (featurizer.options().document) return std::nullopt;
  if (featurizer.options().take_ids == TakeIds::never || !fields.json_only("input_ids")) return std::nullopt;
  auto windows = featurizer.windows(fields);
  const auto words = fields.words(featurizer.options().text_field);
  if (words && words->second.size() != token_places(windows).size()) return std::nullopt;
  if (windows.front().pair) throw Error("field \"input_ids\" has a pair, but tagging takes a single text");
  return windows;
}

}  // namespace bert::features
