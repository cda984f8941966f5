// Checks that two models read the same ids.
#pragma once

#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace bert::train {

// Throws Error unless the model in `path`, in this role ("teacher"), has the vocabulary of the trained model.
void require_same_vocabulary(std::string_view role, const std::string& path, const text::Tokenizer& its,
                             const text::Tokenizer& ours);
// And turns texts into the same tokens.
void require_same_tokenizer(std::string_view role, const std::string& path, const text::Tokenizer& its,
                            const text::Tokenizer& ours);

}  // namespace bert::train
