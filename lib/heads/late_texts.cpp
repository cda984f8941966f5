#include "heads/late_texts.h"

#include <algorithm>

#include "base/error.h"

namespace bert::heads {
namespace {

// The token that queries get. One that is not known is [UNK], as in transformers.
int32_t added_token(const model::QueryExpansion& expansion, const text::Tokenizer& tokenizer) {
  if (expansion.token.empty()) return tokenizer.mask();
  return tokenizer.id(expansion.token).value_or(tokenizer.unk());
}

// Added tokens that others do not attend to must see a token themselves, and not be compared by distance.
void require_readable(const model::Config& config, const model::QueryExpansion& expansion) {
  const auto fails = [&](const auto&... why) { throw Error("queries of the model have ", why...); };
  if (expansion.length > config.positions)
    fails(expansion.length, " tokens, but the model reads at most ", config.positions);
  if (expansion.is_attended) return;
  if (!config.in_window.empty() && expansion.length > config.window)
    fails(expansion.length,
          " tokens, of which some see no token of their text, since the model's window has ", config.window);
  if (config.relative_positions)
    fails("tokens that others do not attend to, which cannot be computed with relative positions");
}

}  // namespace

Side side_of(const std::optional<std::string>& prompt) {
  return prompt == kQuery ? Side::query : Side::document;
}

LateTexts::LateTexts(const model::LateInteraction& late, const model::Config& config, int64_t max_length,
                     const text::Tokenizer& tokenizer, Side side)
    : max_length_(max_length) {
  const bool is_query = side == Side::query;
  const auto& length = is_query ? late.query_length : late.document_length;
  max_length_ = std::min(length.value_or(max_length_), config.positions);
  if (is_query && late.expansion) {
    expansion_ = late.expansion;
    added_ = added_token(*expansion_, tokenizer);
    separator_ = tokenizer.sep();
    require_readable(config, *expansion_);
    max_length_ = expansion_->cuts ? expansion_->length : std::max(max_length_, expansion_->length);
  }
  if (!(is_query ? late.skips_in_queries : late.skips_in_documents)) return;
  for (const auto& token : late.skipped) {
    const auto id = tokenizer.id(token);
    if (id && (*id != tokenizer.unk() || token == tokenizer.config().unk)) skipped_.push_back(*id);
  }
}

void LateTexts::expand(features::Features& features) const {
  if (!expansion_) return;
  const int64_t length = features.ids.size(), added = std::max<int64_t>(0, expansion_->length - length);
  features.ids.resize(length + added, added_);
  features.types.resize(length + added, 0);
  features.seen = seen(features.ids);
}

// A sequence ends with a separator, so all added tokens at its end are those of expand().
std::optional<int64_t> LateTexts::seen(std::span<const int32_t> ids) const {
  if (!expansion_ || expansion_->is_attended) return std::nullopt;
  const size_t least = added_ == separator_ ? 2 : 1;  // at the end, its own separator included
  while (ids.size() > least && ids.back() == added_ && ids[ids.size() - least] == added_)
    ids = ids.first(ids.size() - 1);
  return std::ssize(ids);
}

bool LateTexts::has_vector(int32_t id) const { return std::ranges::find(skipped_, id) == skipped_.end(); }

}  // namespace bert::heads
