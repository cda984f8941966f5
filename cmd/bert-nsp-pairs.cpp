// bert-nsp-pairs: documents of sentences to pairs that a model tells apart: neighbours, and strangers.
#include <malloc.h>

#include "cli/random_options.h"
#include "data/pair_filter.h"
#include "text/version.h"
#include "text_options.h"

namespace {

using bert::cli::App;
using bert::cli::UsageError;
using bert::data::PairOptions;
using Mode = bert::data::PairRule::Mode;

void pair_options(App& app, PairOptions& pairs) {
  auto& rule = pairs.rule;
  app.section("Instances");
  app.number({"--max-length", "N", "Most tokens of an instance, specials included."},
             {.min = bert::data::kShortestPairs}, rule.max_length);
  app.real({"--short-seq-prob", "P", "Share of instances that aim at a random shorter length."},
           {.min = 0, .max = 1}, rule.short_probability);
  app.real({"--random-next-prob", "P", "Share of label 1: random with nsp, swapped with sop."},
           {.min = 0, .max = 1}, rule.random_probability);
  app.number({"--dupe-factor", "N", "Go over each document so many times, with other choices."}, {.min = 1},
             pairs.dupe_factor);
  app.choice<Mode>({"--mode", "", "Next sentence, order of two, or full sentences without a label."},
                   {{"nsp", Mode::next}, {"sop", Mode::order}, {"none", Mode::none}}, rule.mode);
  app.number({"--pool", "N", "Random sentences come from the same aligned block of N documents."},
             {.min = 2, .max = 1 << 20}, pairs.block);
}

// A book and its instances are buffers of a few MB. The C library would keep freed ones between others, 80 MB
// of them over 1 GB of novels; so large ones go back to the kernel, which costs 1 ms a MB of text.
void give_back_large_buffers() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  give_back_large_buffers();
  App app("bert-nsp-pairs", "Make training instances of documents, whose field sentences holds ids.");
  PairOptions pairs;
  pair_options(app, pairs);
  const bert::cli::VocabOptions vocab(app);
  bert::cli::StreamOptions stream(app);
  const bert::cli::RandomOptions random(app, stream);
  app.version_of(bert::text::version);
  app.check([&] {
    if (pairs.rule.mode == Mode::next && stream.settings.first_record % pairs.block != 0)
      throw UsageError("--first-record must be a multiple of --pool, where a block begins");
  });
  return app.run(argc, argv, [&] {
    const auto tokenizer = bert::cmd::load_tokenizer(vocab);
    pairs.seed = random.seed;
    pairs.first_place = stream.settings.first_record;
    pairs.drop = stream.settings.drop;
    bert::data::PairFilter filter(tokenizer, pairs, app.log());
    stream.transform(filter);
  });
}
