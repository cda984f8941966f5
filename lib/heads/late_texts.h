// Queries and documents of late interaction (see model::LateInteraction): which tokens they have and which of
// these get a vector.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/features.h"
#include "model/directory.h"
#include "text/tokenizer.h"

namespace bert::heads {

enum class Side { document, query };

// Names of prompts. The first asks for a query; any other, or none, for a document.
constexpr std::string_view kQuery = "query", kDocument = "document";
Side side_of(const std::optional<std::string>& prompt);

class LateTexts {
 public:
  // `max_length`: of texts for which `late` has no length. Throws Error if the network cannot read queries.
  LateTexts(const model::LateInteraction& late, const model::Config& config, int64_t max_length,
            const text::Tokenizer& tokenizer, Side side);
  // Of a model of late interaction.
  LateTexts(const model::Directory& directory, const text::Tokenizer& tokenizer, Side side)
      : LateTexts(*directory.sentence.late, directory.config, directory.max_length, tokenizer, side) {}

  int64_t max_length() const { return max_length_; }  // in tokens, before expand()
  // Appends the tokens that a short query gets.
  void expand(features::Features& features) const;
  // How many tokens of such a sequence all tokens attend to; nullopt: all. See nn::Batch::seen.
  std::optional<int64_t> seen(std::span<const int32_t> ids) const;
  bool has_vector(int32_t id) const;

 private:
  int64_t max_length_;
  std::optional<model::QueryExpansion> expansion_;  // of queries
  int32_t added_ = 0;                               // its token
  int32_t separator_ = 0;
  std::vector<int32_t> skipped_;
};

}  // namespace bert::heads
