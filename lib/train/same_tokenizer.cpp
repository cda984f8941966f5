#include "train/same_tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "train/settings.h"

namespace bert::train {

void require_same_vocabulary(std::string_view role, const std::string& path, const text::Tokenizer& its,
                             const text::Tokenizer& ours) {
  bool same = its.size() == ours.size() && its.mask() == ours.mask();
  for (int32_t id = 0; same && id < ours.size(); ++id) same = its.subword(id) == ours.subword(id);
  if (!same) throw Error(path, ": the ", role, " has another vocabulary than the model");
}

void require_same_tokenizer(std::string_view role, const std::string& path, const text::Tokenizer& its,
                            const text::Tokenizer& ours) {
  require_same_vocabulary(role, path, its, ours);
  const auto settings_of = [](const text::Tokenizer& tokenizer) {
    auto config = tokenizer.config();
    config.truncate_left = false;  // texts are truncated once
    config.added.clear();          // tokenizer.json lists tokens that a vocab.txt has anyway
    Settings settings;
    add_settings(config, {}, settings);
    return settings;
  };
  const auto theirs = settings_of(its), own = settings_of(ours);
  const auto [a, b] = std::ranges::mismatch(theirs, own);
  if (a == theirs.end() && b == own.end()) return;
  const auto value = [](const Settings& of, auto at) { return at == of.end() ? "not set" : at->second; };
  throw Error(path, ": the ", role,
              " has another tokenizer than the model: ", a == theirs.end() ? b->first : a->first, ": ",
              value(theirs, a), ", the model's: ", value(own, b));
}

}  // namespace bert::train
