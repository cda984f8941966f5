// What the pickle of a PyTorch file says of its tensors: names, shapes, and which part of which storage each
// is.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "ckpt/checkpoint.h"
#include "ckpt/pickle.h"

namespace bert::ckpt {

// All globals that a pickle of tensors may ask for.
std::span<const std::string_view> tensor_globals();

// A run of numbers in the file, of which several tensors may be parts: the persistent id
// ("storage", type, key, place, count[, view]), where a view is (its key, offset in the storage, count).
struct StorageId {
  Dtype dtype = Dtype::f32;
  std::string key;
  uint64_t count = 0;  // of numbers
  struct View {
    uint64_t offset = 0, count = 0;
  };
  std::optional<View> view;
};
StorageId storage_id(const Pickle& pickle, const PickleValue& persistent);

// Gives the bytes of a storage, id.count numbers of them, or throws.
using FindStorage = std::function<std::span<const std::byte>(const StorageId&)>;

// The tensors of the dictionary that `pickle` is; `file` is for messages.
Contents read_state_dictionary(const Pickle& pickle, const std::string& file, const FindStorage& find);

}  // namespace bert::ckpt
