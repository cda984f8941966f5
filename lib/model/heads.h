// The heads whose weights a model directory contains, regardless of its configuration.
#pragma once

#include <string_view>
#include <vector>

namespace bert::ckpt {
class Checkpoint;
}

namespace bert::model {

struct Directory;

enum class Head { pooler, masked_lm, next_sentence, classifier, question_answering };

std::string_view name_of(Head head);  // "masked_lm", as in bert-convert --info

// Recognizes each head by a tensor that only this head has.
std::vector<Head> heads_of(const ckpt::Checkpoint& checkpoint);
// Reads tensor names only, no values.
std::vector<Head> heads_of(const Directory& directory);

}  // namespace bert::model
