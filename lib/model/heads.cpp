#include "model/heads.h"

#include "ckpt/checkpoint.h"
#include "model/directory.h"

namespace bert::model {
namespace {

struct Mark {
  Head head;
  std::string_view name;
  std::string_view tensor;
};

constexpr Mark kMarks[] = {
    {Head::pooler, "pooler", "pooler.dense.weight"},
    {Head::masked_lm, "masked_lm", "cls.predictions.bias"},
    {Head::next_sentence, "next_sentence", "cls.seq_relationship.weight"},
    {Head::classifier, "classifier", "classifier.weight"},
    {Head::question_answering, "question_answering", "qa_outputs.weight"},
};

}  // namespace

std::string_view name_of(Head head) { return kMarks[static_cast<size_t>(head)].name; }

std::vector<Head> heads_of(const ckpt::Checkpoint& checkpoint) {
  std::vector<Head> heads;
  for (const Mark& mark : kMarks) {
    if (checkpoint.find(mark.tensor) != nullptr) heads.push_back(mark.head);
  }
  return heads;
}

std::vector<Head> heads_of(const Directory& directory) {
  return heads_of(ckpt::Checkpoint::open(directory.path, ckpt::DataSums::leave));
}

}  // namespace bert::model
