// The option groups about text, in the words of lib/text and lib/data.
#pragma once

#include "cli/length_options.h"
#include "cli/stream_options.h"
#include "cli/vocab_options.h"
#include "features/features.h"
#include "text/tokenizer.h"

namespace bert::cmd {

inline text::Tokenizer load_tokenizer(const cli::VocabOptions& options) {
  using Case = cli::VocabOptions::Case;
  const auto compat =
      options.compat == cli::VocabOptions::Compat::google ? text::Compat::google : text::Compat::hf;
  const auto letter_case = options.letter_case == Case::cased     ? text::Case::cased
                           : options.letter_case == Case::uncased ? text::Case::uncased
                                                                  : text::Case::from_files;
  if (!options.vocab.empty()) return text::load_vocab(options.vocab, compat, letter_case);
  return text::load_tokenizer(options.model, compat, letter_case);
}

inline features::Overflow overflow_of(const cli::LengthOptions& length) {
  switch (length.overflow) {
    case cli::LengthOptions::Overflow::split:
      return features::Overflow::split;
    case cli::LengthOptions::Overflow::error:
      return features::Overflow::error;
    case cli::LengthOptions::Overflow::truncate:
      break;
  }
  return features::Overflow::truncate;
}

// Which fields are read and how long a sequence may be.
inline void set_input(features::FeatureOptions& features, const cli::StreamOptions& stream,
                      const cli::LengthOptions& length) {
  features.text_field = stream.settings.text_field;
  features.pair_field = stream.settings.pair_field;
  features.max_length = length.max_length;
  features.overflow = overflow_of(length);
  features.overlap = length.overlap;
}

}  // namespace bert::cmd
