// Which columns of a FILE of CoNLL are read: those of options, of the model, or the usual ones of its form.
#pragma once

#include "io/conll.h"
#include "io/input.h"
#include "io/stream.h"

namespace bert::io {

// `format` is conll or conllu. Throws Error if an option names a column that the FILE lacks.
ConllColumns conll_columns_of(Input& input, const StreamOptions& options, InputFormat format);

}  // namespace bert::io
