#define BERT_KERNELS kernels_baseline
#define BERT_KERNELS_NAME "baseline"
#define BERT_LANES 4
#include "nn/kernels/inference.h"
