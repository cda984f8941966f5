#include "options/length_options.h"

#include <string>
#include <utility>
#include <vector>

#include "base/option.h"

namespace bert::cmd {

using features::Overflow;

LengthOptions::LengthOptions(cli::App& app, std::string_view default_text, Windows windows) {
  const bool by_task = default_text != "truncate";
  app.section("Long texts");
  app.number({opt::max_length, "N", "Maximum sequence length in tokens, special tokens included."},
             {.min = 1}, max_length);
  std::vector<std::pair<std::string_view, Choice>> choices = {
      {"truncate", {Overflow::truncate}}, {"split", {Overflow::split}}, {"error", {Overflow::error}}};
  if (windows == Windows::apart) choices.push_back({"windows", {Overflow::split, true}});
  app.choice<Choice>(
      {opt::overflow, "",
       "Truncate longer texts with a warning, split them into overlapping windows, or report an error" +
           std::string(windows == Windows::apart ? "; windows: split, and write a record for each window"
                                                 : "") +
           " (default " + std::string(default_text) + ")."},
      choices, given_);
  app.number({opt::overlap, "N",
              std::string("Number of tokens shared by consecutive windows; needs --overflow split") +
                  (windows == Windows::apart ? " or windows." : ".")},
             {.min = 0}, overlap);
  app.check([this, &app, windows, by_task] {
    if (given_) {
      overflow = given_->overflow;
      apart = given_->apart;
    }
    if (app.given(opt::overlap) && overflow != Overflow::split && (given_ || !by_task))
      throw cli::UsageError("--overlap needs --overflow split",
                            windows == Windows::apart ? " or windows" : "");
    if (overflow == Overflow::split && max_length && overlap >= *max_length)
      throw cli::UsageError(
          app.given(opt::overlap) ? opt::overlap : "the default --overlap " + std::to_string(overlap),
          " must be less than --max-length; use --overlap ", features::usual_overlap(*max_length));
  });
}

}  // namespace bert::cmd
