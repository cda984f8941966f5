#define BERT_KERNELS kernels_avx2
#define BERT_KERNELS_NAME "AVX2"
#define BERT_LANES 8
#include "nn/kernels/inference.h"
