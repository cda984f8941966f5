// bert-mask: hides tokens of training instances, for a model to find out.
#include "cli/random_options.h"
#include "data/mask_filter.h"
#include "text/version.h"
#include "text_options.h"

namespace {

using bert::cli::App;
using bert::cli::UsageError;
using bert::data::MaskOptions;
using bert::data::MaskRule;

// What the flags say, until the whole command line has been read.
struct Flags {
  bool whole_word = false, replace_any = false;
};

void masking_options(App& app, MaskOptions& mask, Flags& flags) {
  auto& rule = mask.rule;
  app.section("Masking");
  app.real({"--mask-prob", "P", "Share of an instance's tokens to hide, rounded, at least one."},
           {.min = 0, .max = 1}, rule.probability);
  app.number({"--max-predictions", "N", "Hide at most so many tokens of an instance."}, {.min = 1},
             rule.max_predictions);
  app.real({"--mask-rate", "P", "Share of the hidden tokens that become [MASK]."}, {.min = 0, .max = 1},
           rule.mask_rate);
  app.real({"--random-rate", "P", "Share of them that become a random token; the others stay."},
           {.min = 0, .max = 1}, rule.random_rate);
  app.flag({"--whole-word", "", "Hide the pieces of a word together or not at all."}, flags.whole_word);
  app.flag({"--replace-any", "", "Random tokens may be special or unused ones too, as in Google's BERT."},
           flags.replace_any);
  app.number({"--epoch", "K", "Another epoch hides other tokens."}, {.min = 0}, mask.epoch);
}

void settle(MaskRule& rule, const Flags& flags) {
  constexpr double kRounding = 1e-9;  // 0.7 and 0.3 may add up to a little more than 1
  if (rule.mask_rate + rule.random_rate > 1 + kRounding)
    throw UsageError("--mask-rate and --random-rate together must be at most 1");
  if (flags.whole_word) rule.unit = MaskRule::Unit::word;
  if (flags.replace_any) rule.replacements = MaskRule::Replacements::every;
}

}  // namespace

int main(int argc, char** argv) {
  App app("bert-mask", "Hide tokens of each record's input_ids and write down what they were.");
  MaskOptions mask;
  Flags flags;
  masking_options(app, mask, flags);
  app.check([&] { settle(mask.rule, flags); });
  const bert::cli::VocabOptions vocab(app);
  bert::cli::StreamOptions stream(app);
  const bert::cli::RandomOptions random(app, stream);
  app.version_of(bert::text::version);
  return app.run(argc, argv, [&] {
    const auto tokenizer = bert::cmd::load_tokenizer(vocab);
    mask.seed = random.seed;
    mask.drop = stream.settings.drop;
    bert::data::MaskFilter filter(tokenizer, mask, app.log());
    stream.transform(filter);
  });
}
