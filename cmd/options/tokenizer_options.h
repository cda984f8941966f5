// Options for the tokenizer of a tool without a network: from a model directory or a vocabulary file.
#pragma once

#include <optional>
#include <string>

#include "cli/app.h"
#include "text/tokenizer.h"

namespace bert::cmd {

// --cased and --uncased, which override the settings in the files, under the current heading.
struct CaseOptions {
  explicit CaseOptions(cli::App& app);
  CaseOptions(const CaseOptions&) = delete;

  text::Case value() const;

 private:
  bool cased_ = false, uncased_ = false;
};

struct TokenizerOptions {
  explicit TokenizerOptions(cli::App& app);
  TokenizerOptions(const TokenizerOptions&) = delete;

  // In the body of App::run.
  text::Tokenizer load() const;

  // Exactly one of the two is set when the body of App::run starts.
  std::string model;  // a directory: -m, else $BERT_MODEL, else the default model
  std::string vocab;  // a file: --vocab
  std::optional<CaseOptions> letter_case;
  text::Compat compat = text::Compat::hf;
};

}  // namespace bert::cmd
