// Finds literal tokens such as "[MASK]" in a text, from the left, the longest first, as Hugging Face's
// tokenizers do.
//
// A token that is white space itself may lie in what rstrip of the token before took. There, too, it counts,
// as in that library; but if it has lstrip it begins where the one before ends, and is nothing when that
// leaves nothing of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

class AddedTokens {
 public:
  struct Match {
    int32_t id = 0;
    size_t begin = 0, end = 0;  // with the white space that lstrip and rstrip take
  };

  // Adds a token that stands in texts as `form`, not empty, which differs from its content when texts are
  // normalised first. Of tokens with one form the last is meant; Hugging Face's choice differs from run to
  // run.
  void add(const AddedToken& token, std::string form);

  bool empty() const { return by_form_.empty(); }

  // Matches in `text`, in the order of their literal tokens, which do not overlap. A search keeps its place
  // in this object.
  class Search {
   public:
    Search(const AddedTokens& tokens, std::string_view text) : tokens_(tokens), text_(text) {}
    std::optional<Match> next();

   private:
    const AddedTokens& tokens_;
    std::string_view text_;
    size_t at_ = 0;     // where to look on
    size_t taken_ = 0;  // end of the last match given out
  };

 private:
  struct Entry {
    int32_t id;
    bool single_word, lstrip, rstrip;
  };

  size_t next_candidate(std::string_view text, size_t from) const;
  const std::pair<const std::string, Entry>* longest_at(std::string_view text, size_t at) const;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> by_form_;
  std::array<std::vector<size_t>, 256> sizes_;  // of the forms that begin with a byte, descending
  std::string first_bytes_;                     // each once
};

}  // namespace bert::text
