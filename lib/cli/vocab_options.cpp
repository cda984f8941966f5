#include "cli/vocab_options.h"

#include "cli/model_options.h"

namespace bert::cli {

VocabOptions::VocabOptions(App& app) {
  app.section("Tokenizer");
  app.option({"-m,--model", "DIR",
              "Model directory with the tokenizer (default: $BERT_MODEL, else the default model)."},
             model);
  app.option(
      {"--vocab", "FILE", "Use this vocab.txt or tokenizer.json, with the settings in the files beside it."},
      vocab);
  app.flag({"--cased", "", "Keep case and accents; overrides the files."}, cased_);
  app.flag({"--uncased", "", "Lower-case and strip accents; overrides the files."}, uncased_);
  app.choice<Compat>(
      {"--compat", "", "Tokenize exactly like Hugging Face's fast tokenizer, or like Google's BERT."},
      {{"hf", Compat::hf}, {"google", Compat::google}}, compat);
  app.exclusive({"--model", "--vocab"});
  app.exclusive({"--cased", "--uncased"});
  app.check([this] {
    if (vocab.empty()) model = model_directory(model, "use -m DIR or --vocab FILE, or set BERT_MODEL");
    if (cased_) letter_case = Case::cased;
    if (uncased_) letter_case = Case::uncased;
  });
}

}  // namespace bert::cli
