// --lexical, --hybrid and --sparse of bert-search, and the model of --sparse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/option.h"
#include "cli/app.h"
#include "options/model_directory.h"
#include "options/model_options.h"
#include "search/options.h"

namespace bert::cmd {

class WordSearchOptions {
 public:
  WordSearchOptions(cli::App& app, search::Options& options);
  WordSearchOptions(const WordSearchOptions&) = delete;

  bool sparse() const { return sparse_; }
  bool sparse_alone() const { return sparse_ && !hybrid_; }  // then -m is the model of weights
  // To be called when the model of an index is known.
  void settle_model(const ModelOptions& model, search::Options& options) const;

  std::string path;  // of the model of weights, if it is not that of -m

 private:
  enum class Fusion { score, rank };

  // Recall@1 and @10 of SQuAD's paragraphs are near their best from 0.6 to 0.7, for the default model and
  // MiniLM.
  static constexpr double kWeight = 0.7;
  static constexpr Option kOfVectors[] = {opt::graph,   opt::codes,    opt::metric,
                                          opt::pooling, opt::overflow, opt::dim};

  bool has_model(const cli::App& app, const search::Options& options) const;
  void check_model(const cli::App& app, const search::Options& options) const;
  void settle(cli::App& app, search::Options& options);

  bool lexical_ = false, hybrid_ = false, sparse_ = false;
  std::optional<Fusion> fusion_;
  std::optional<double> weight_;
};

inline WordSearchOptions::WordSearchOptions(cli::App& app, search::Options& options) {
  app.section("Search by words");
  app.flag({"--lexical", "", "Search by words instead of vectors (BM25)."}, lexical_);
  app.flag({opt::hybrid, "", "Search by vectors and by words, and join the results."}, hybrid_);
  app.flag(
      {opt::sparse, "",
       "Compare weights of tokens instead of words, as bert-embed --sparse writes them; without --hybrid, "
       "-m DIR makes those of texts."},
      sparse_);
  app.option(
      {opt::sparse_model, "DIR", "The model that makes the weights of --sparse, if it is not that of -m."},
      path);
  app.choice<Fusion>({"--fusion", "",
                      "With --hybrid, join by weighted scores or by reciprocal ranks (default score for "
                      "cosines, otherwise rank)."},
                     {{"score", Fusion::score}, {"rank", Fusion::rank}}, fusion_);
  app.real({"--weight", "W", "With --fusion score: W for the cosine, 1 - W for the words (default 0.7)."},
           {.min = 0, .max = 1}, weight_);
  app.exclusive({"--lexical", opt::hybrid});
  app.needs(opt::sparse_model, opt::sparse);
  app.needs("--fusion", opt::hybrid);
  app.needs("--weight", opt::hybrid);
  for (const auto& use : {cli::Use("--weight"), cli::Use("--fusion", {"score"})})
    app.needs(use, {opt::metric, {"cosine"}}, "; others are joined by --fusion rank");
  app.excludes({"--weight"}, {"--fusion", {"rank"}});
  app.excludes({std::begin(kOfVectors), std::end(kOfVectors)}, "--lexical", ", which needs no vectors");
  app.check([this, &app, &options] { settle(app, options); });
}

// Whether texts can get weights: by a model that is given, or by that of an index of files.
inline bool WordSearchOptions::has_model(const cli::App& app, const search::Options& options) const {
  return app.given(opt::in) || is_directory(options.index.path) || !path.empty() ||
         (!hybrid_ && app.given("--model"));
}

inline void WordSearchOptions::check_model(const cli::App& app, const search::Options& options) const {
  const bool has_model = this->has_model(app, options);
  if (sparse_ && app.given("--query") && !has_model)
    throw cli::UsageError("--query with ", opt::sparse,
                          hybrid_ ? " and --hybrid needs --sparse-model" : " needs -m",
                          " DIR, a SparseEncoder; bert-embed --sparse adds weights to records");
  if (!lexical_) return;
  for (const auto& name : std::vector<std::string>{"--model", opt::prompt, opt::max_length, opt::dtype}) {
    if (!app.given(name)) continue;
    if (!sparse_) throw cli::UsageError(name, " cannot be used with --lexical without ", opt::sparse);
    if (!has_model) throw cli::UsageError(name, " with ", opt::sparse, " needs -m DIR, which weighs queries");
  }
}

inline void WordSearchOptions::settle(cli::App& app, search::Options& options) {
  const bool scores = fusion_ ? *fusion_ == Fusion::score : options.metric == search::Metric::cosine;
  if (!path.empty()) read_files_of(app, path = find_model_directory(path), opt::sparse_model);
  lexical_ = lexical_ || sparse_alone();
  for (const auto name : kOfVectors)
    if (sparse_alone() && app.given(name))
      throw cli::UsageError(name, " cannot be used with ", opt::sparse,
                            " without --hybrid, which needs no vectors");
  check_model(app, options);
  if (lexical_ || hybrid_)
    options.words = {.sparse = sparse_,
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

inline void WordSearchOptions::settle_model(const ModelOptions& model, search::Options& options) const {
  if (!sparse_) return;
  if (!path.empty() && path != model.path) {
    options.words->open_model = [this] { return model::open_directory(path, ""); };
  } else if (sparse_alone() && !model.path.empty()) {
    options.words->open_model = [&model] { return model.open(); };
  }
}

}  // namespace bert::cmd
