// How records become sequences of tokens: the options about fields and long texts, for lib/features.
#pragma once

#include "base/option.h"
#include "features/features.h"
#include "options/length_options.h"
#include "options/stream_options.h"
#include "options/task_choices.h"

namespace bert::cmd {

// Which fields are read and how long a sequence may be, as far as options say it.
inline void set_input(features::FeatureOptions& features, const StreamOptions& stream,
                      const LengthOptions& length) {
  features.text_field = stream.settings.text_field;
  features.pair_field = stream.settings.pair_field;
  features.max_length = length.max_length.value_or(features::kNoLimit);
  features.overflow = length.overflow;
  features.overlap = length.overlap;
  if (const auto wrong = impossible_length(features)) throw cli::UsageError(*wrong);
}

// --context, for tools that tag words.
inline void context_option(cli::App& app, features::FeatureOptions& features) {
  app.choice<bool>({opt::context, "",
                    "For tag: read each sentence alone, or with as much of its document around it as fits."},
                   {{"sentence", false}, {"document", true}}, features.document)
      .only_for = tasks({task::Task::tag});
}

// input_ids take precedence over the text, unless --text-field was given.
inline features::TakeIds takes_ids(const StreamOptions& stream) {
  return stream.text_field_given() ? features::TakeIds::never : features::TakeIds::where_present;
}

}  // namespace bert::cmd
