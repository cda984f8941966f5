// A first byte that selects the files, and then a SentencePiece model; or vocab.json, merges.txt and
// tokenizer_config.json, separated by NULs.
#include "files.h"
#include "text/tokenizer.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  constexpr const char* kModels[] = {"sentencepiece.bpe.model", "spiece.model"};
  constexpr size_t kKinds = 3;
  if (size == 0) return 0;
  const size_t kind = data[0] % kKinds;
  const auto text = fuzz::text_of(data + 1, size - 1);
  std::string vocabulary;
  if (kind < std::size(kModels)) {
    files.write("tokenizer_config.json", "{}");
    vocabulary = files.write(kModels[kind], text);
  } else {
    const auto parts = fuzz::parts_of(text, 3);
    vocabulary = files.write("vocab.json", parts[0]);
    files.write("merges.txt", parts[1]);
    files.write("tokenizer_config.json", parts[2]);
  }
  fuzz::answered([&] {
    const auto tokenizer = text::load_vocab(vocabulary);
    text::Tokens tokens;
    tokenizer.encode(" the kings\n<mask>  東京 é!", {.offsets = text::Offsets::bytes, .words = true}, tokens);
    for (const auto id : tokens.ids) tokenizer.subword(id);
    tokenizer.decode(tokens.ids, text::Tokenizer::Specials::skip);
  });
  return 0;
}
