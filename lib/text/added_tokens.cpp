#include "text/added_tokens.h"

#include <algorithm>
#include <functional>

#include "text/characters.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

// Whether the match [begin, end) is not part of a longer word.
bool stands_alone(std::string_view text, size_t begin, size_t end) {
  const bool word_before = begin > 0 && is_word_character(decode_before(text, begin).value);
  const bool word_behind = end < text.size() && is_word_character(decode(text.data() + end).value);
  return !word_before && !word_behind;
}

size_t skip_space_left(std::string_view text, size_t begin, size_t limit) {
  while (begin > limit) {
    const CodePoint code = decode_before(text, begin);
    if (!is_white_space(code.value)) break;
    begin -= code.size;
  }
  return begin;
}

size_t skip_space_right(std::string_view text, size_t end) {
  while (end < text.size()) {
    const CodePoint code = decode(text.data() + end);
    if (!is_white_space(code.value)) break;
    end += code.size;
  }
  return end;
}

}  // namespace

void AddedTokens::add(const AddedToken& token, std::string form) {
  std::vector<size_t>& sizes = sizes_[static_cast<uint8_t>(form[0])];
  if (sizes.empty()) first_bytes_.push_back(form[0]);
  const auto place = std::lower_bound(sizes.begin(), sizes.end(), form.size(), std::greater<>());
  if (place == sizes.end() || *place != form.size()) sizes.insert(place, form.size());
  by_form_.insert_or_assign(
      std::move(form),
      Entry{
          .id = token.id, .single_word = token.single_word, .lstrip = token.lstrip, .rstrip = token.rstrip});
}

size_t AddedTokens::next_candidate(std::string_view text, size_t from) const {
  if (first_bytes_.size() == 1) return std::min(text.find(first_bytes_[0], from), text.size());
  while (from < text.size() && sizes_[static_cast<uint8_t>(text[from])].empty()) ++from;
  return from;
}

const std::pair<const std::string, AddedTokens::Entry>* AddedTokens::longest_at(std::string_view text,
                                                                                size_t at) const {
  for (const size_t size : sizes_[static_cast<uint8_t>(text[at])]) {
    if (size > text.size() - at) continue;
    const auto found = by_form_.find(text.substr(at, size));
    if (found != by_form_.end()) return &*found;
  }
  return nullptr;
}

std::optional<AddedTokens::Match> AddedTokens::Search::next() {
  while (!tokens_.empty()) {
    at_ = tokens_.next_candidate(text_, at_);
    if (at_ == text_.size()) break;
    const auto* found = tokens_.longest_at(text_, at_);
    if (found == nullptr) {
      ++at_;
      continue;
    }
    const auto& [form, entry] = *found;
    Match match{.id = entry.id, .begin = at_, .end = at_ + form.size()};
    at_ = match.end;
    if (entry.single_word && !stands_alone(text_, match.begin, match.end)) continue;
    if (entry.lstrip) match.begin = std::max(skip_space_left(text_, match.begin, taken_), taken_);
    if (entry.rstrip) match.end = skip_space_right(text_, match.end);
    if (match.begin >= match.end) continue;  // white space already taken by the previous token
    taken_ = match.end;
    return match;
  }
  return std::nullopt;
}

}  // namespace bert::text
