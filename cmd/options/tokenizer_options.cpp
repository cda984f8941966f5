#include "options/tokenizer_options.h"

#include "model/directory.h"
#include "options/model_directory.h"

namespace bert::cmd {

using text::Case;
using text::Compat;

CaseOptions::CaseOptions(cli::App& app) {
  app.flag({"--cased", "", "Keep case and accents; overrides the files."}, cased_);
  app.flag({"--uncased", "", "Lower-case and strip accents; overrides the files."}, uncased_);
  app.exclusive({"--cased", "--uncased"});
}

Case CaseOptions::value() const { return cased_ ? Case::cased : uncased_ ? Case::uncased : Case::from_files; }

TokenizerOptions::TokenizerOptions(cli::App& app) {
  app.section("Tokenizer");
  app.option({"-m,--model", "DIR",
              "Model directory with the tokenizer (default: $BERT_MODEL, else the default model)."},
             model);
  app.option({"--vocab", "FILE",
              "Use this vocab.txt, tokenizer.json, vocab.json or SentencePiece model, with the settings in "
              "the files "
              "beside it."},
             vocab);
  app.exclusive({"--model", "--vocab"});
  letter_case.emplace(app);
  app.choice<Compat>(
      {"--compat", "", "Tokenize exactly like Hugging Face's fast tokenizer, or like Google's BERT."},
      {{"hf", Compat::hf}, {"google", Compat::google}}, compat);
  app.check([this, &app] {
    if (vocab.empty()) model = model_directory(model, "use -m DIR or --vocab FILE, or set BERT_MODEL");
    if (!vocab.empty()) read_files_beside(app, vocab, "--vocab");
    read_files_of(app, model);
  });
}

text::Tokenizer TokenizerOptions::load() const {
  if (!vocab.empty()) return text::load_vocab(vocab, compat, letter_case->value());
  return model::load_tokenizer(model, compat, letter_case->value());
}

}  // namespace bert::cmd
