// Extracts the tensors from the pickle of a PyTorch file: names, shapes, and their parts of storages.
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

// All globals that a pickle of tensors may refer to.
std::span<const std::string_view> tensor_globals();

// An array of numbers in the file, shared by one or more tensors. Its persistent id is ("storage", type, key,
// place, count[, view]); a view is (its key, offset in the storage, count).
struct StorageId {
  Dtype dtype = Dtype::f32;
  std::string key;
  uint64_t count = 0;  // number of elements
  struct View {
    uint64_t offset = 0, count = 0;
  };
  std::optional<View> view;
};
StorageId storage_id(const Pickle& pickle, const PickleValue& persistent);

// Returns the bytes of a storage, id.count elements, or throws.
using FindStorage = std::function<std::span<const std::byte>(const StorageId&)>;

// The tensors in the dictionary that `pickle` contains; `file` is used in messages.
Contents read_state_dictionary(const Pickle& pickle, const std::string& file, const FindStorage& find);

}  // namespace bert::ckpt
