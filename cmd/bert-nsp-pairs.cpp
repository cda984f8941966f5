// bert-nsp-pairs: makes sentence pairs for next sentence prediction from documents.
#include <malloc.h>

#include "base/option.h"
#include "corpus/nsp_pairs_filter.h"
#include "options/number_options.h"
#include "options/tokenizer_options.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using bert::cli::App;
using bert::cli::UsageError;
using bert::corpus::PairOptions;
using Mode = bert::corpus::PairRule::Mode;

void pair_options(App& app, PairOptions& pairs) {
  auto& rule = pairs.rule;
  app.section("Instances");
  app.number({opt::max_length, "N", "Maximum length of an instance in tokens, special tokens included."},
             {.min = bert::corpus::kShortestPairs}, rule.max_length);
  app.real({"--short-seq-prob", "P", "Share of instances with a random shorter target length."},
           {.min = 0, .max = 1}, rule.short_probability);
  app.real({"--random-next-prob", "P",
            "Share of instances with label 1: random next sentence (nsp) or swapped order (sop)."},
           {.min = 0, .max = 1}, rule.random_probability);
  app.number({"--dupe-factor", "N", "Make N passes over each document, drawn differently each time."},
             {.min = 1}, pairs.dupe_factor);
  app.choice<Mode>(
      {opt::mode, "",
       "Next sentence prediction, the same with a sentence each, or sentence order prediction; full "
       "sentences without a label, of one document (none) or across documents (full)."},
      {{"nsp", Mode::next},
       {"sentence", Mode::sentence},
       {"sop", Mode::order},
       {"none", Mode::none},
       {"full", Mode::full}},
      rule.mode);
  app.number({"--pool", "N", "Take random sentences from the same aligned block of N documents."},
             {.min = 2, .max = 1 << 20}, pairs.block);
  app.needs("--random-next-prob", {opt::mode, {"nsp", "sentence", "sop"}});
  app.needs("--pool", {opt::mode, {"nsp", "sentence"}});
}

// A book and its instances need buffers of a few MB. glibc would keep freed ones between others, 80 MB over 1
// GB of novels. So large buffers are returned to the kernel, which costs 1 ms for each MB of text.
void give_back_large_buffers() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  give_back_large_buffers();
  App app("bert-nsp-pairs", "Build next-sentence-prediction instances from tokenized documents.");
  PairOptions pairs;
  pair_options(app, pairs);
  const bert::cmd::TokenizerOptions tokenizing(app);
  bert::cmd::StreamOptions stream(app, {.text = false, .pair = false});
  stream.settings.records_of = "bert-tokenize --sentences";
  bert::cmd::format_option(app, stream);
  bert::cmd::random_options(app, pairs.seed, stream);
  app.version_of(bert::text::version);
  app.examples(
      {{"Create instances from documents that blank lines separate",
        "bert-tokenize --sentences --input-format documents novels.txt |\n  bert-nsp-pairs --max-length 24"},
       {"The same for sentence order prediction",
        "bert-tokenize --sentences --input-format documents novels.txt |\n  bert-nsp-pairs --max-length 24 "
        "--mode sop"}});
  app.check([&] {
    if (pairs.rule.mode == Mode::full && pairs.dupe_factor > 1)
      throw UsageError("--dupe-factor is not for --mode full, whose instances span documents");
    if (pairs.rule.draws_second() && stream.settings.first_record % pairs.block != 0)
      throw UsageError("--first-record must be a multiple of --pool, where a block begins");
  });
  return app.run(argc, argv, [&] {
    const auto tokenizer = tokenizing.load();
    pairs.first_place = stream.settings.first_record;
    pairs.drop = stream.settings.drop;
    bert::corpus::NspPairsFilter filter(tokenizer, pairs, app.log());
    stream.transform(filter);
  });
}
