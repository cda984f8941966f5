// Word counts, as read by bert-vocab --counts.
#include "base/log.h"
#include "corpus/vocab_filter.h"
#include "records.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static Log log("fuzz", Log::Level::quiet);
  static const corpus::VocabularyOptions vocabulary{
      .learner = {.size = 60}, .records = corpus::VocabularyOptions::Records::counts, .max_words = 8};
  io::StreamOptions options{.files = {files.write("counts", fuzz::text_of(data, size))}};
  options.input_format = io::InputFormat::tsv;
  options.columns = {"word", "count"};
  fuzz::answered([&] {
    corpus::VocabFilter filter(vocabulary, log);
    fuzz::run(options, filter);
  });
  return 0;
}
