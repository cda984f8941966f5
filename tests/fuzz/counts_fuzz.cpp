// Word counts, as read by bert-vocab --counts.
#include <utility>

#include "base/log.h"
#include "corpus/vocab_filter.h"
#include "records.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static Log log("fuzz", Log::Level::quiet);
  corpus::VocabularyOptions vocabulary{.records = corpus::VocabularyOptions::Records::counts, .max_words = 8};
  io::StreamOptions options{.files = {files.write("counts", fuzz::text_of(data, size))}};
  options.input_format = io::InputFormat::tsv;
  options.columns = {"word", "count"};
  using text::ModelKind;
  for (const auto& [kind, tokens] :
       {std::pair{ModelKind::wordpiece, 60}, {ModelKind::unigram, 40}, {ModelKind::bpe, 280}}) {
    vocabulary.tokenizer.model = kind;
    vocabulary.learner.size = tokens;
    fuzz::answered([&] {
      corpus::VocabFilter filter(vocabulary, log);
      fuzz::run(options, filter);
    });
  }
  return 0;
}
