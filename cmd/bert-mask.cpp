// bert-mask: masks tokens of training instances.
#include "base/option.h"
#include "corpus/mask_filter.h"
#include "options/mask_options.h"
#include "options/number_options.h"
#include "options/tokenizer_options.h"
#include "text/version.h"

namespace opt = bert::opt;

int main(int argc, char** argv) {
  bert::cli::App app("bert-mask", "Mask tokens of each record's input_ids and add the original ids.");
  bert::corpus::MaskOptions mask;
  app.section("Masking");
  const bert::cmd::MaskOptions masking(app, mask.rule);
  bool causal = false;
  app.flag({opt::causal, "", "Mask nothing: each token predicts the next one, to train a causal model."},
           causal);
  bert::cmd::MaskOptions::exclude(app, opt::causal);
  app.number({"--epoch", "K", "Number of the epoch; each epoch masks different tokens."}, {.min = 0},
             mask.epoch);
  const bert::cmd::TokenizerOptions tokenizing(app);
  bert::cmd::StreamOptions stream(app, {.text = false, .pair = false});
  stream.settings.records_of = "bert-tokenize";
  bert::cmd::format_option(app, stream);
  bert::cmd::random_options(app, mask.seed, stream);
  app.check([&] {
    if (causal) mask.rule.target = bert::corpus::MaskRule::Target::next;
  });
  app.version_of(bert::text::version);
  app.examples(
      {{"Mask tokens of a sentence", "echo 'A good day, said the king.' | bert-tokenize | bert-mask"},
       {"Make each token predict the next one, for a causal model",
        "echo 'A good day' | bert-tokenize | bert-mask --causal"}});
  return app.run(argc, argv, [&] {
    const auto tokenizer = tokenizing.load();
    mask.drop = stream.settings.drop;
    bert::corpus::MaskFilter filter(tokenizer, mask, app.log());
    stream.transform(filter);
  });
}
