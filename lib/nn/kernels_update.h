// The optimiser's kernels themselves, as source for one instruction set; included behind kernels_body.h by
// the same files.
#include "nn/update_kernels.h"

namespace bert::nn::BERT_KERNELS {

extern const UpdateKernels kUpdateTable;
const UpdateKernels kUpdateTable = {
    .name = BERT_KERNELS_NAME,
};

}  // namespace bert::nn::BERT_KERNELS
