// Files that torch.save wrote of a state dictionary: a zip (PyTorch 1.6 and later) or the stream of pickles
// before it. Their pickles are read as data; nothing they ask for is run (pickle.h).
#pragma once

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// The tensors of `file`, names as they stand; the spans point into the mapping. A matrix that was saved
// transposed stays so; one with any other strides is left unread. Error when the file is not whole, holds
// something else than tensors, or its pickle asks for anything that tensors do not need.
Contents read_pytorch(const MappedFile& file);

// Whether `file` begins as one of the two forms does.
bool is_pytorch(const MappedFile& file);

}  // namespace bert::ckpt
