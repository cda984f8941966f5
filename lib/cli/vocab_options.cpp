#include "cli/vocab_options.h"

#include "cli/model_options.h"

namespace bert::cli {

VocabOptions::VocabOptions(App& app) {
  app.section("Tokenizer");
  app.option({"-m,--model", "DIR",
              "Model directory whose tokenizer to use; without it $BERT_MODEL, else the default model."},
             model);
  app.option(
      {"--vocab", "FILE", "A vocab.txt or tokenizer.json instead; settings come from the files beside it."},
      vocab);
  app.flag({"--cased", "", "Keep case and accents, whatever the files say."}, cased_);
  app.flag({"--uncased", "", "Lower-case and strip accents, whatever the files say."}, uncased_);
  app.choice<Compat>({"--compat", "", "Whose results to equal: Hugging Face's fast tokenizer or Google's."},
                     {{"hf", Compat::hf}, {"google", Compat::google}}, compat);
  app.check([this] {
    if (!model.empty() && !vocab.empty()) throw UsageError("--model and --vocab exclude each other");
    if (cased_ && uncased_) throw UsageError("--cased and --uncased exclude each other");
    if (vocab.empty()) model = model_directory(model, "give -m DIR or --vocab FILE, or set BERT_MODEL");
    if (cased_) letter_case = Case::cased;
    if (uncased_) letter_case = Case::uncased;
  });
}

}  // namespace bert::cli
