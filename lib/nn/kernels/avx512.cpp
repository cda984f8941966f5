#define BERT_KERNELS kernels_avx512
#define BERT_KERNELS_NAME "AVX-512"
#define BERT_LANES 16
#include "nn/kernels/inference.h"
