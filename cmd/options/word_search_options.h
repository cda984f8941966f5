// --lexical, --hybrid and --sparse of bert-search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "cli/app.h"
#include "search/options.h"

namespace bert::cmd {

class WordSearchOptions {
 public:
  WordSearchOptions(cli::App& app, search::Options& options);
  WordSearchOptions(const WordSearchOptions&) = delete;

 private:
  enum class Fusion { score, rank };

  // Recall@1 and @10 of SQuAD's paragraphs are near their best from 0.6 to 0.7, for the default model and
  // MiniLM.
  static constexpr double kWeight = 0.7;

  void check_model(const cli::App& app) const;
  void settle(const cli::App& app, search::Options& options) const;

  bool lexical_ = false, hybrid_ = false, sparse_ = false;
  std::optional<Fusion> fusion_;
  std::optional<double> weight_;
};

inline WordSearchOptions::WordSearchOptions(cli::App& app, search::Options& options) {
  app.section("Search by words");
  app.flag({"--lexical", "", "Search by words instead of vectors (BM25)."}, lexical_);
  app.flag({opt::hybrid, "", "Search by vectors and by words, and join the results."}, hybrid_);
  app.flag({opt::sparse, "",
            "With --lexical or --hybrid, compare the weights of tokens in the field sparse, as bert-embed "
            "--sparse writes them, instead of words. With --lexical, -m DIR makes those of queries."},
           sparse_);
  app.choice<Fusion>({"--fusion", "",
                      "With --hybrid, join by weighted scores or by reciprocal ranks (default score for "
                      "cosines, otherwise rank)."},
                     {{"score", Fusion::score}, {"rank", Fusion::rank}}, fusion_);
  app.real({"--weight", "W", "With --fusion score: W for the cosine, 1 - W for the words (default 0.7)."},
           {.min = 0, .max = 1}, weight_);
  app.exclusive({"--lexical", opt::hybrid});
  app.exclusive({opt::in, opt::sparse});
  app.needs("--fusion", opt::hybrid);
  app.needs("--weight", opt::hybrid);
  for (const auto& use : {cli::Use("--weight"), cli::Use("--fusion", {"score"})})
    app.needs(use, {opt::metric, {"cosine"}}, "; others are joined by --fusion rank");
  app.excludes({"--weight"}, {"--fusion", {"rank"}});
  app.excludes({opt::graph, opt::codes, opt::metric, opt::pooling, opt::overflow, opt::dim}, "--lexical",
               ", which needs no vectors");
  app.check([this, &app, &options] { settle(app, options); });
}

// A model makes weights of queries, or none is needed.
inline void WordSearchOptions::check_model(const cli::App& app) const {
  const bool has_model = app.given("--model");
  if (sparse_ && app.given("--query") && (hybrid_ || !has_model))
    throw cli::UsageError("--query with ", opt::sparse,
                          hybrid_ ? " cannot be used with --hybrid" : " needs -m DIR, a SparseEncoder",
                          "; bert-embed --sparse adds weights to records");
  if (!lexical_) return;
  for (const auto& name : std::vector<std::string>{"--model", opt::prompt, opt::max_length, opt::dtype}) {
    if (!app.given(name)) continue;
    if (!sparse_) throw cli::UsageError(name, " cannot be used with --lexical without ", opt::sparse);
    if (!has_model) throw cli::UsageError(name, " with --lexical needs -m DIR, which weighs queries");
  }
}

inline void WordSearchOptions::settle(const cli::App& app, search::Options& options) const {
  const bool scores = fusion_ ? *fusion_ == Fusion::score : options.metric == search::Metric::cosine;
  if (sparse_ && !lexical_ && !hybrid_) throw cli::UsageError(opt::sparse, " needs --lexical or --hybrid");
  check_model(app);
  if (lexical_ || hybrid_)
    options.words = {.sparse = sparse_,
                     .weighs_texts = sparse_ && lexical_ && app.given("--model"),
                     .with_vectors = hybrid_,
                     .weight = scores ? std::optional(weight_.value_or(kWeight)) : std::nullopt,
                     .candidates = options.graph.candidates};
  options.index.vectors = !lexical_;
  if (app.given("--candidates")) options.codes.candidates = options.graph.candidates;
  const bool is_approximate = !options.graph.path.empty() || !options.codes.path.empty();
  if (app.given("--candidates") && !is_approximate && !hybrid_ && !app.given(opt::rerank))
    throw cli::UsageError("--candidates requires --graph, --codes, --hybrid or --rerank");
  if (app.given("--candidates") && !is_approximate && app.given("--negatives"))
    throw cli::UsageError("--candidates is not for --negatives; their --ranks say how many texts are scored");
  if (options.recall > 0 && !is_approximate) throw cli::UsageError("--recall requires --graph or --codes");
}

}  // namespace bert::cmd
