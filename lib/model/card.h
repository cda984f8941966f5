// The model card: README.md with a front matter in YAML that the Hugging Face Hub reads
// (huggingface.co/docs/hub/model-cards), and Markdown for people. What its owner has written in it is kept.
//
//   ---
//   base_model: "google-bert/bert-base-uncased"
//   ---
//   # desk
//
//   <!-- bert-train: written anew with the model -->
//   ...
//   <!-- bert-train: end -->
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bert::model {

inline constexpr std::string_view kCard = "README.md";

struct Card {
  // A key of the front matter.
  struct Key {
    std::string name;
    // What follows "name:", with a space or a line end before it, and without one behind it. "": the key is
    // removed, since what it says is no longer true.
    std::string value;
  };

  std::string title;  // of a new card
  std::vector<Key> keys;
  std::string text;  // Markdown; ends with a line end
};

// The card, in which the other keys and all text outside the marks of `previous`, a card or "", are kept.
std::string merged(const Card& card, std::string_view previous);

// Whether the front matter of a card has the key.
bool has_key(std::string_view card, std::string_view key);

}  // namespace bert::model
