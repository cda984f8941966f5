// Finds literal tokens such as "[MASK]" in a text, left to right, longest match first, like Hugging Face's
// tokenizers.
//
// A token that consists of white space can occur within the white space taken by rstrip of the previous
// token. It is matched there too, as in Hugging Face's library. With lstrip its match starts where the
// previous match ends; if that leaves an empty match, it is dropped.
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
    size_t begin = 0, end = 0;  // includes the white space taken by lstrip and rstrip
  };

  // Adds a token that occurs in texts as `form` (not empty), which differs from the token's content if texts
  // are normalized first. If several tokens have the same form, the last one added wins; Hugging Face's
  // choice varies from run to run.
  void add(const AddedToken& token, std::string form);

  bool empty() const { return by_form_.empty(); }

  // Iterates over the matches in `text`, which are ordered and do not overlap.
  class Search {
   public:
    Search(const AddedTokens& tokens, std::string_view text) : tokens_(tokens), text_(text) {}
    std::optional<Match> next();

   private:
    const AddedTokens& tokens_;
    std::string_view text_;
    size_t at_ = 0;     // where the search continues
    size_t taken_ = 0;  // end of the last match returned
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
  std::array<std::vector<size_t>, 256> sizes_;  // sizes of the forms that start with a byte, descending
  std::string first_bytes_;                     // without repetitions
};

}  // namespace bert::text
