// Options for the tokenizer of a tool without a network: from a model directory or a vocabulary file.
#pragma once

#include <string>

#include "cli/app.h"

namespace bert::cli {

struct VocabOptions {
  enum class Case { from_files, cased, uncased };  // the flags override the settings in the files
  enum class Compat { hf, google };

  explicit VocabOptions(App& app);
  VocabOptions(const VocabOptions&) = delete;

  // Exactly one of the two is set when the body of App::run starts.
  std::string model;  // a directory: -m, else $BERT_MODEL, else the default model
  std::string vocab;  // a file: --vocab
  Case letter_case = Case::from_files;
  Compat compat = Compat::hf;

 private:
  bool cased_ = false, uncased_ = false;
};

}  // namespace bert::cli
