// bert-search's index: an npy file; if the first byte is odd, raw f32 in rows of three numbers. All rows are
// read.
#include "base/pool.h"
#include "files.h"
#include "search/vectors.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static Pool pool(1);
  if (size == 0) return 0;
  const bool raw = data[0] % 2 == 1;
  const auto path = files.write(raw ? "index.f32" : "index.npy", fuzz::text_of(data + 1, size - 1));
  fuzz::answered([&] {
    const search::MappedVectors vectors(path, raw ? std::optional<int64_t>(3) : std::nullopt, pool);
    nn::Memory scratch;
    for (int64_t i = 0; i < vectors.rows(); ++i) {
      const float* const row = vectors.row(i, scratch);
      const float norm = search::norm({row, static_cast<size_t>(vectors.width())});
      if (norm != vectors.norms()[static_cast<size_t>(i)]) std::abort();
    }
  });
  return 0;
}
