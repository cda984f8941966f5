// The heads whose weights a model directory holds, whatever its configuration says.
#pragma once

#include <string_view>
#include <vector>

namespace bert::ckpt {
class Checkpoint;
}

namespace bert::model {

struct Directory;

enum class Head { pooler, masked_lm, next_sentence, classifier, question_answering };

std::string_view name_of(Head head);  // "masked_lm", as bert-convert --info prints it

// By the tensors that only they have.
std::vector<Head> heads_of(const ckpt::Checkpoint& checkpoint);
// The same of a directory's weights, of which no numbers are read.
std::vector<Head> heads_of(const Directory& directory);

}  // namespace bert::model
