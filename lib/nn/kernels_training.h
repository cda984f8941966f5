// The training kernels themselves, as source for one instruction set; included behind kernels_body.h by the
// same files.
#include "nn/training_kernels.h"

namespace bert::nn::BERT_KERNELS {

extern const TrainingKernels kTrainingTable;
const TrainingKernels kTrainingTable = {
    .name = BERT_KERNELS_NAME,
};

}  // namespace bert::nn::BERT_KERNELS
