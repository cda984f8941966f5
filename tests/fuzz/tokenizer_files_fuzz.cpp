// vocab.txt, tokenizer_config.json, special_tokens_map.json and added_tokens.json, separated by NULs.
#include "files.h"
#include "text/tokenizer.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size), 4);
  files.write("vocab.txt", parts[0]);
  files.write("tokenizer_config.json", parts[1]);
  files.write("special_tokens_map.json", parts[2]);
  files.write("added_tokens.json", parts[3]);
  for (const auto compat : {text::Compat::hf, text::Compat::google}) {
    fuzz::answered([&] {
      const auto tokenizer = text::load_tokenizer(files.path(), compat);
      text::Tokens tokens;
      tokenizer.encode("the König's [MASK] NEW 東京 İ\n", {.offsets = text::Offsets::chars, .words = true},
                       tokens);
      tokenizer.decode(tokens.ids, text::Tokenizer::Specials::keep);
    });
  }
  return 0;
}
