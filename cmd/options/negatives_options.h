// --negatives of bert-search.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/option.h"
#include "cli/app.h"
#include "io/record.h"
#include "io/stream.h"
#include "search/options.h"

namespace bert::cmd {

inline constexpr cli::Range<double> kAnyNumber = {.min = -1e30, .max = 1e30};

// "A:B", places counted from 1.
inline void add_ranks(const std::string& name, const std::string& value, search::Negatives& negatives) {
  const size_t colon = value.find(':');
  const auto from = value.substr(0, colon), to = colon == value.npos ? "" : value.substr(colon + 1);
  if (colon == value.npos)
    throw cli::UsageError(name, " is \"", value, "\", expected FIRST:LAST, such as 10:50");
  negatives.first = cli::App::whole_number(name, from, {.min = 1, .max = 1'000'000});
  negatives.last = cli::App::whole_number(name, to, {.min = 1, .max = 1'000'000});
  if (negatives.last < negatives.first)
    throw cli::UsageError(name, " is \"", value, "\", but the last rank must not be before the first");
}

inline void negatives_options(cli::App& app, search::Negatives& negatives) {
  app.section("Hard negatives");
  app.number({"--negatives", "N",
              "Add to each pair of texts N texts of the index, negatives: those nearest to the text that are "
              "not its text_pair. bert-train reads them."},
             {.min = 1, .max = 10'000}, negatives.count);
  app.custom(
      {"--ranks", "A:B", "Choose from ranks A to B, text_pair not counted (default 1:100)."},
      [&negatives](const std::string& name, const std::string& value) { add_ranks(name, value, negatives); });
  app.real({opt::margin, "M", "Leave out texts unless their scores are at least M below that of text_pair."},
           kAnyNumber, negatives.margin);
  app.real(
      {opt::relative_margin, "R",
       "Leave out texts unless their scores are below that of text_pair by at least this share of it, such "
       "as 0.05."},
      {.min = 0, .max = 1}, negatives.relative_margin);
  app.real({"--max-score", "S", "Leave out texts with a higher score."}, kAnyNumber, negatives.max_score);
  app.choice<bool>({"--sampling", "", "Take the nearest texts that are left, or random ones."},
                   {{"top", false}, {"random", true}}, negatives.random);
  for (const auto& option : std::vector<std::string>{"--neighbors", "--min-score", opt::where, "--lexical",
                                                     opt::hybrid, opt::sparse})
    app.exclusive({"--negatives", option});
  app.excludes({{opt::format, {"grep"}}}, "--negatives");
  for (const auto* option : {"--ranks", "--margin", "--relative-margin", "--max-score", "--sampling"})
    app.needs(option, "--negatives");
  app.needs("--negatives", {opt::metric, {"cosine", "dot"}});
}

inline void settle_negatives(cli::App& app, search::Options& options, search::Negatives& negatives,
                             io::StreamOptions& stream) {
  if (app.given(opt::seed) && !options.clusters && !negatives.random)
    throw cli::UsageError("--seed is for --cluster and for --sampling random");
  if (!app.given("--negatives")) return;
  if (options.metric == search::Metric::cosine && !app.given(opt::rerank) &&
      std::abs(negatives.max_score.value_or(0)) > 1)
    throw cli::UsageError("--max-score must be from -1 to 1, as cosines are");
  auto& index = options.index;
  if (index.with.empty()) index.with = {std::string(io::kTextField)};
  if (index.with.size() > 1)
    throw cli::UsageError("--negatives needs one field in --with, that of the texts");
  if (index.records_path.empty() && !index.path.empty() && search::is_array_file(index.path))
    throw cli::UsageError("--negatives needs --records FILE, with the texts of ", index.path);
  negatives.positive_field = stream.pair_field.empty() ? std::string(io::kPairField) : stream.pair_field;
  options.texts.embed.features.pair_field.clear();
  options.negatives = negatives;
}

}  // namespace bert::cmd
