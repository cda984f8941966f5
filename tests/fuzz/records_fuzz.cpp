// Records in each input format through the filters of the tools without a network. The high half of the first
// byte selects the filter, the low half the format.
#include "base/log.h"
#include "corpus/mask_filter.h"
#include "corpus/nsp_pairs_filter.h"
#include "corpus/tokenize_filter.h"
#include "corpus/vocab_filter.h"
#include "features/letters.h"
#include "records.h"

using namespace bert;

namespace {

std::unique_ptr<io::Filter> make_filter(int which, const text::Tokenizer& tokenizer, Log& log) {
  static const corpus::VocabularyOptions vocabulary{.learner = {.size = 60}};
  corpus::TokenizeOptions options{.features = {.max_length = 12, .overlap = 2}};
  options.features.wanted = {.offsets = text::Offsets::chars, .words = true};
  switch (which % 8) {
    case 0:
      options.tokens = true;
      options.features.overflow = features::Overflow::split;
      options.features.take_ids = features::TakeIds::where_present;
      break;
    case 1:
      options.features.take_ids = features::TakeIds::where_present;
      options.features.count_characters = true;
      options.drop = std::vector<std::string>{"text", "a"};
      break;
    case 2:
      options.result = corpus::TokenizeOptions::Result::decoded;
      break;
    case 3:
      options.result = corpus::TokenizeOptions::Result::stats;
      break;
    case 4:
      options.result = corpus::TokenizeOptions::Result::sentences;
      break;
    case 5:
      return std::make_unique<corpus::MaskFilter>(
          tokenizer, corpus::MaskOptions{.rule = {.unit = corpus::MaskRule::Unit::word}}, log);
    case 6:
      return std::make_unique<corpus::NspPairsFilter>(
          tokenizer, corpus::PairOptions{.rule = {.max_length = 16}, .dupe_factor = 2, .block = 2}, log);
    default:
      return std::make_unique<corpus::VocabFilter>(vocabulary, log);
  }
  return corpus::make_tokenize_filter(tokenizer, options, log);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static const auto tokenizer = features::letters();
  static Log log("fuzz", Log::Level::quiet);
  if (size == 0) return 0;
  io::StreamOptions options{.files = {files.write("input", fuzz::text_of(data + 1, size - 1))}};
  options.input_format = fuzz::kFormats[data[0] % 16 % fuzz::kFormats.size()];
  options.row_width = 3;
  if (data[0] % 2 == 1) options.invalid_utf8 = io::InvalidUtf8::replace;
  fuzz::answered([&] { fuzz::run(options, *make_filter(data[0] / 16, tokenizer, log)); });
  return 0;
}
