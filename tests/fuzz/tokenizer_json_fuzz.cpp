// tokenizer.json, and the tokenizer it describes applied to texts that contain its added tokens.
#include "files.h"
#include "text/tokenizer.h"

using namespace bert;

namespace {

void check(const text::Tokenizer& tokenizer, std::string_view text) {
  for (const auto offsets : {text::Offsets::none, text::Offsets::bytes, text::Offsets::chars}) {
    text::Tokens tokens;
    tokenizer.encode(text, {.offsets = offsets, .words = true}, tokens);
    if (tokens.words.size() != tokens.ids.size()) std::abort();
    for (const auto id : tokens.ids) tokenizer.subword(id);
    for (const auto [begin, end] : tokens.offsets)
      if (begin > end || end > text.size()) std::abort();
    tokenizer.decode(tokens.ids, text::Tokenizer::Specials::skip);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  const auto path = files.write("tokenizer.json", fuzz::text_of(data, size));
  fuzz::answered([&] {
    const auto tokenizer = text::load_vocab(path);
    std::string all;
    for (const auto& token : tokenizer.config().added) {
      check(tokenizer, " \n" + token.content + " \t\n" + token.content + "\n\n" + token.content + "é");
      all += token.content + (all.size() % 2 == 0 ? " \n" : "");
    }
    check(tokenizer, all);
    check(tokenizer, "the König's [MASK] 東京\u0301\u1100\u1161\u11a8 İ\n");
  });
  return 0;
}
