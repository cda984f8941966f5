// Options of bert-mask, and of bert-train for records without masked tokens.
#pragma once

#include <string>

#include "base/option.h"
#include "cli/app.h"
#include "corpus/masking.h"
#include "options/task_choices.h"

namespace bert::cmd {

class MaskOptions {
 public:
  // They go to `rule` under the heading that is open.
  MaskOptions(cli::App& app, corpus::MaskRule& rule);
  MaskOptions(const MaskOptions&) = delete;

  // The options of this group cannot be used together with `option`, with which nothing is masked.
  static void exclude(cli::App& app, const std::string& option);

 private:
  void settle(corpus::MaskRule& rule) const;

  bool whole_word_ = false, replace_any_ = false;
};

inline MaskOptions::MaskOptions(cli::App& app, corpus::MaskRule& rule) {
  const auto only = tasks({task::Task::pretrain, task::Task::replaced});  // of bert-train
  app.real({opt::mask_prob, "P", "Share of an instance's tokens to mask, rounded; at least one token."},
           {.min = 0, .max = 1}, rule.probability)
      .only_for = only;
  app.number({opt::max_predictions, "N", "Mask at most N tokens of an instance."}, {.min = 1},
             rule.max_predictions)
      .only_for = only;
  app.real({opt::mask_rate, "P", "Share of the masked tokens that are replaced with [MASK]."},
           {.min = 0, .max = 1}, rule.mask_rate)
      .only_for = only;
  app.real({opt::random_rate, "P",
            "Share of the masked tokens that are replaced with a random token; the rest are kept."},
           {.min = 0, .max = 1}, rule.random_rate)
      .only_for = only;
  app.flag({opt::whole_word, "", "Mask whole words."}, whole_word_).only_for = only;
  app.flag({opt::replace_any, "", "Allow special and unused tokens as random tokens, as in Google's BERT."},
           replace_any_)
      .only_for = only;
  app.check([this, &rule] { settle(rule); });
}

inline void MaskOptions::exclude(cli::App& app, const std::string& option) {
  for (const auto name : {opt::mask_prob, opt::max_predictions, opt::mask_rate, opt::random_rate,
                          opt::whole_word, opt::replace_any})
    app.exclusive({option, name});
}

inline void MaskOptions::settle(corpus::MaskRule& rule) const {
  constexpr double kRounding = 1e-9;  // 0.7 and 0.3 may add up to a little more than 1
  if (rule.mask_rate + rule.random_rate > 1 + kRounding)
    throw cli::UsageError("--mask-rate and --random-rate together must be at most 1");
  if (whole_word_) rule.unit = corpus::MaskRule::Unit::word;
  if (replace_any_) rule.replacements = corpus::MaskRule::Replacements::every;
}

}  // namespace bert::cmd
