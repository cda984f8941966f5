// Weights, in the form whose file's name is BERT_FUZZ_FILE.
#include "ckpt/checkpoint.h"
#include "files.h"
#include "golden/golden.h"

using namespace bert;

namespace {

// The files that an index names.
const fuzz::Files& folder() {
  static const fuzz::Files files;
  static const bool filled = [] {
    const auto small = golden::directory() / "checkpoints/small";
    for (const std::string name :
         {"bert_model.ckpt.data-00000-of-00002", "bert_model.ckpt.data-00001-of-00002"})
      files.write(name, read_file((small / name).string()));
    const auto shards = golden::directory() / "checkpoints/shards";
    for (const auto& entry : std::filesystem::directory_iterator(shards))
      if (entry.path().extension() == ".safetensors")
        files.write(entry.path().filename().string(), read_file(entry.path().string()));
    return true;
  }();
  static_cast<void>(filled);
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto path = folder().write(BERT_FUZZ_FILE, fuzz::text_of(data, size));
  fuzz::answered([&] {
    const auto checkpoint = ckpt::Checkpoint::open_file(path);
    unsigned sum = 0;
    for (const auto& tensor : checkpoint.tensors()) {
      for (const auto byte : tensor.data) sum += static_cast<unsigned>(byte);
      if (tensor.data.size() != static_cast<size_t>(tensor.count()) * size_of(tensor.dtype)) std::abort();
      if (checkpoint.find(tensor.name) != &tensor) std::abort();
    }
    checkpoint.check_sums();
    if (sum == 1) std::abort();  // so that the numbers are read
  });
  return 0;
}
