// bert-mask: masks tokens of training instances.
#include "cli/random_options.h"
#include "corpus/mask_filter.h"
#include "mask_options.h"
#include "text/version.h"
#include "text_options.h"

int main(int argc, char** argv) {
  bert::cli::App app("bert-mask", "Mask tokens of each record's input_ids and add the original ids.");
  bert::corpus::MaskOptions mask;
  app.section("Masking");
  const bert::cmd::MaskOptions masking(app, mask.rule);
  app.number({"--epoch", "K", "Number of the epoch; each epoch masks different tokens."}, {.min = 0},
             mask.epoch);
  const bert::cli::VocabOptions vocab(app);
  bert::cli::StreamOptions stream(app, {.text = false, .pair = false});
  const bert::cli::RandomOptions random(app, stream);
  app.version_of(bert::text::version);
  return app.run(argc, argv, [&] {
    const auto tokenizer = bert::cmd::load_tokenizer(vocab);
    mask.seed = random.seed;
    mask.drop = stream.settings.drop;
    bert::corpus::MaskFilter filter(tokenizer, mask, app.log());
    stream.transform(filter);
  });
}
