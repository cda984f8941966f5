#include "corpus/masking.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/option.h"

namespace bert::corpus {
namespace {

bool is_unused(std::string_view subword) { return subword.starts_with("[unused") && subword.ends_with(']'); }

std::vector<Prediction> next_tokens(std::span<const int32_t> ids) {
  std::vector<Prediction> next;
  for (size_t i = 0; i + 1 < ids.size(); ++i)
    next.push_back({.position = static_cast<int32_t>(i), .id = ids[i + 1]});
  return next;
}

}  // namespace

// nearbyint rounds half to even in the default rounding mode, like Python 3's round().
int64_t predictions_wanted(int64_t length, const MaskRule& rule) {
  const auto rounded = static_cast<int64_t>(std::nearbyint(length * rule.probability));
  const int64_t wanted = std::max<int64_t>(1, rounded);
  return rule.max_predictions ? std::min(wanted, *rule.max_predictions) : wanted;
}

Masker::Masker(const text::Tokenizer& tokenizer, const MaskRule& rule)
    : tokenizer_(tokenizer), rule_(rule), mask_id_(tokenizer.mask()) {
  kinds_.reserve(tokenizer.size());
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const auto subword = tokenizer.subword(id);
    const bool special = tokenizer.is_special(id);
    kinds_.push_back(special                        ? Kind::special
                     : tokenizer.continues_word(id) ? Kind::continuation
                                                    : Kind::start);
    const bool ordinary = !special && !subword.empty() && !is_unused(subword);
    if (ordinary || rule.replacements == MaskRule::Replacements::every) replacements_.push_back(id);
  }
  if (replacements_.empty() && rule.random_rate > 0 && rule.target == MaskRule::Target::masked)
    throw Error("the vocabulary has no tokens for ", opt::random_rate, ": all tokens are special or unused");
}

// Groups of maskable tokens. A "##" token joins the token before it. After a special token, the beginning of
// the word was cut off and the rest is a group of its own; create_pretraining_data.py adds it to the last
// word of the text before.
std::vector<Masker::Group> Masker::groups(std::span<const int32_t> ids) const {
  std::vector<Group> groups;
  groups.reserve(ids.size());
  const int32_t length = ids.size();
  for (int32_t at = 0; at < length; ++at) {
    const Kind kind = kinds_[ids[at]];
    if (kind == Kind::special) continue;
    const bool joins = rule_.unit == MaskRule::Unit::word && kind == Kind::continuation && !groups.empty() &&
                       groups.back().end == at && tokenizer_.joins(ids[static_cast<size_t>(at - 1)], ids[at]);
    if (joins)
      ++groups.back().end;
    else
      groups.push_back({at, at + 1});
  }
  return groups;
}

// The id that replaces a masked token. A random token may be `id` itself, as in the paper.
int32_t Masker::shown(int32_t id, Random& random) const {
  const double draw = random.uniform();
  if (draw < rule_.mask_rate) return mask_id_;
  if (draw < rule_.mask_rate + rule_.random_rate) return replacements_[random.below(replacements_.size())];
  return id;
}

std::vector<Prediction> Masker::mask(std::span<int32_t> ids, Random random) const {
  if (rule_.target == MaskRule::Target::next) return next_tokens(ids);
  const size_t wanted = predictions_wanted(ids.size(), rule_);
  auto order = groups(ids);
  random.shuffle(order);
  std::vector<Prediction> masked;
  masked.reserve(std::min(wanted, ids.size()));
  for (const auto& group : order) {
    if (masked.size() == wanted) break;
    if (masked.size() + (group.end - group.begin) > wanted) continue;
    for (int32_t at = group.begin; at < group.end; ++at) {
      int32_t& id = ids[at];
      masked.push_back({.position = at, .id = id});
      id = shown(id, random);
    }
  }
  std::sort(masked.begin(), masked.end(),
            [](const Prediction& a, const Prediction& b) { return a.position < b.position; });
  return masked;
}

}  // namespace bert::corpus
