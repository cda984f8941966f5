// Weights in the format of the file name in BERT_FUZZ_FILE.
#include "ckpt/checkpoint.h"
#include "ckpt/written_files.h"
#include "files.h"
#include "golden/golden.h"

using namespace bert;

namespace {

// A folder with the files that an index names and no other weights.
const fuzz::Files& folder() {
  static const fuzz::Files files;
  static const bool filled = [] {
    const auto small = golden::directory() / "checkpoints/small";
    if (std::string_view(BERT_FUZZ_FILE) == "bert_model.ckpt.index")
      for (const std::string name :
           {"bert_model.ckpt.data-00000-of-00002", "bert_model.ckpt.data-00001-of-00002"})
        files.write(name, read_file((small / name).string()));
    if (std::string_view(BERT_FUZZ_FILE) == "model.safetensors.index.json") {
      files.write("1.safetensors", safetensors({f32("bert.a", {2}, {1, 2})}));
      files.write("2.safetensors", safetensors({f32("bert.b", {2}, {3, 4})}));
    }
    return true;
  }();
  static_cast<void>(filled);
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  folder().write(BERT_FUZZ_FILE, fuzz::text_of(data, size));
  fuzz::answered([&] {
    const auto checkpoint = ckpt::Checkpoint::open(folder().path());
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
