#include "features/answer_windows.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "features/overflow.h"
#include "features/sequence.h"

namespace bert::features {
namespace {

constexpr int64_t kUsualQuestion = 64;
// [CLS] question [SEP] context [SEP]
int64_t specials_of_pair(const text::Tokenizer& tokenizer) {
  return 2 + tokenizer.config().layout.separators;
}

Features window(const text::Tokenizer& tokenizer, const std::vector<int32_t>& question,
                const std::vector<int32_t>& context, Window part) {
  Features features;
  auto& ids = features.ids;
  ids.push_back(tokenizer.cls());
  ids.insert(ids.end(), question.begin(), question.end());
  features.first = {1, static_cast<uint32_t>(ids.size())};
  ids.insert(ids.end(), tokenizer.config().layout.separators, tokenizer.sep());
  const uint32_t begin = ids.size();
  ids.insert(ids.end(), context.begin() + part.begin, context.begin() + part.end);
  features.second = {begin, static_cast<uint32_t>(ids.size())};
  ids.push_back(tokenizer.sep());
  features.types.resize(ids.size(), second_type(tokenizer));
  std::fill_n(features.types.begin(), begin, 0);
  features.pair = true;
  features.window_begin = part.begin;
  return features;
}

}  // namespace

int64_t question_limit(const text::Tokenizer& tokenizer, const AnswerRule& rule) {
  if (rule.max_question_length) return *rule.max_question_length;
  return std::clamp<int64_t>((rule.max_length - specials_of_pair(tokenizer)) / 2, 0, kUsualQuestion);
}

void require_room(const text::Tokenizer& tokenizer, const AnswerRule& rule) {
  const int64_t question = question_limit(tokenizer, rule), specials = specials_of_pair(tokenizer);
  if (rule.max_length > question + specials) return;
  throw Error("a maximum length of ", rule.max_length, " leaves no room for a question of ", question,
              " tokens and ", specials, " special tokens");
}

AnswerWindows answer_windows(const text::Tokenizer& tokenizer, const AnswerRule& rule,
                             const io::Fields& fields) {
  AnswerWindows made;
  text::Tokens question, context;
  tokenizer.encode(fields.required_text("question"), {}, question);
  made.context = fields.required_text("context");
  tokenizer.encode(made.context, {.offsets = text::Offsets::chars}, context);
  made.offsets = std::move(context.offsets);

  const size_t limit = question_limit(tokenizer, rule);
  const bool from_left = tokenizer.config().truncate_left;
  made.truncated = question.ids.size() > limit;
  if (made.truncated && from_left)
    question.ids.erase(question.ids.begin(), question.ids.end() - static_cast<ptrdiff_t>(limit));
  if (made.truncated) question.ids.resize(limit);
  const int64_t room = rule.max_length - std::ssize(question.ids) - specials_of_pair(tokenizer);
  const int64_t step = std::min(room, rule.stride);
  const auto parts =
      slide(context.ids.size(), {.length = room, .overlap = room - step, .from_left = from_left});
  for (const auto part : parts) made.windows.push_back(window(tokenizer, question.ids, context.ids, part));
  return made;
}

}  // namespace bert::features
