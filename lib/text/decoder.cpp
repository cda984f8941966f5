#include "text/decoder.h"

#include <array>

namespace bert::text {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The replacements of tokenizers/src/decoders/wordpiece.rs, in the same order.
void clean_up(std::string& token) {
  static constexpr std::array<std::array<std::string_view, 2>, 11> kReplacements = {{{" .", "."},
                                                                                     {" ?", "?"},
                                                                                     {" !", "!"},
                                                                                     {" ,", ","},
                                                                                     {" ' ", "'"},
                                                                                     {" n't", "n't"},
                                                                                     {" 'm", "'m"},
                                                                                     {" do not", " don't"},
                                                                                     {" 's", "'s"},
                                                                                     {" 've", "'ve"},
                                                                                     {" 're", "'re"}}};
  for (const auto& [from, to] : kReplacements) replace_all(token, from, to);
}

}  // namespace

void Decoder::add(std::string_view token) {
  std::string written;
  if (first_) {
    written = token;
  } else if (token.starts_with(prefix_)) {
    written = token.substr(prefix_.size());
  } else {
    written.append(" ").append(token);
  }
  if (cleanup_) clean_up(written);
  first_ = false;
  text_ += written;
}

}  // namespace bert::text
