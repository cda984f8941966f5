#include "text/vocabulary_cut.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "json/json.h"
#include "text/tokenizer_files.h"

namespace bert::text {
namespace {

// The tokens that a tokenizer needs by name, or matches before it splits a text.
std::vector<std::string> needed_tokens(const Tokenizer& tokenizer) {
  const auto& config = tokenizer.config();
  std::vector<std::string> names = {config.unk};
  if (config.specials) names.insert(names.end(), {config.cls, config.sep, config.pad, config.mask});
  for (const auto& token : config.added) names.push_back(token.content);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [&](const auto& name) { return !tokenizer.id(name); });
  return names;
}

}  // namespace

std::string first_names(std::span<const std::string> names) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kShown; ++i)
    text += (i == 0 ? "" : ", ") + json::in_quotes(names[i]);
  return text + (names.size() > kShown ? ", ..." : "");
}

std::vector<std::string> read_tokens(const std::string& file) {
  auto tokens = read_vocab_txt(file, Compat::hf);
  std::map<std::string_view, size_t> lines;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].empty()) throw Error(file, ":", i + 1, ": is empty, expected a token");
    const auto [first, added] = lines.emplace(tokens[i], i + 1);
    if (!added)
      throw Error(file, ":", i + 1, ": repeats the token ", json::in_quotes(tokens[i]), " of line ",
                  first->second);
  }
  return tokens;
}

VocabularyCut::VocabularyCut(const std::string& file, const Tokenizer& tokenizer, int64_t rows)
    : file_(file), tokens_(read_tokens(file)) {
  std::vector<std::string> absent;
  for (const auto& token : tokens_) {
    const auto id = tokenizer.id(token);
    if (id && *id < rows)
      kept_.push_back(*id);
    else
      absent.push_back(token);
  }
  if (!absent.empty())
    throw Error(file, ": has ", counted(absent.size(), "token", "tokens"),
                " that the model lacks: ", first_names(absent));
  for (size_t i = 0; i < kept_.size(); ++i) ids_.emplace_back(kept_[i], static_cast<int32_t>(i));
  std::ranges::sort(ids_);
  sorted_.assign(tokens_.begin(), tokens_.end());
  std::ranges::sort(sorted_);
  auto needed = needed_tokens(tokenizer);
  std::erase_if(needed, [&](const auto& token) { return has(token); });
  if (!needed.empty())
    throw Error(file, ": lacks ", counted(needed.size(), "special or added token", "special or added tokens"),
                " of the model: ", first_names(needed));
}

int32_t VocabularyCut::id_of(int64_t old, std::string_view what) const {
  const auto found =
      std::ranges::lower_bound(ids_, old, {}, [](const auto& id) { return int64_t{id.first}; });
  if (found == ids_.end() || found->first != old)
    throw Error(file_, ": lacks the token with the id ", old, ", which is ", what);
  return found->second;
}

bool VocabularyCut::has(std::string_view token) const { return std::ranges::binary_search(sorted_, token); }

Tokenizer cut_wordpiece(const Tokenizer& tokenizer, const VocabularyCut& cut) {
  auto config = tokenizer.config();
  config.given_cls = config.given_sep = std::nullopt;
  for (auto& token : config.added) token.id = -1;
  return {{cut.tokens().begin(), cut.tokens().end()}, std::move(config), cut.file()};
}

}  // namespace bert::text
