// Files written by torch.save with a state dictionary: a zip (PyTorch 1.6 and later) or the older stream of
// pickles. Pickles are read as data; no code in them is executed (pickle.h).
#pragma once

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// The tensors of `file` with the names in the file; the spans point into the mapping. A matrix saved
// transposed remains so; tensors with other strides are returned as unread. Error if the file is incomplete,
// contains anything but tensors, or its pickle refers to anything that tensors do not need.
Contents read_pytorch(const MappedFile& file);

// Whether `file` starts like one of the two formats.
bool is_pytorch(const MappedFile& file);

}  // namespace bert::ckpt
