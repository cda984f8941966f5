#include "metric/scorer.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "base/option.h"

namespace bert::metric {
std::unique_ptr<io::Work> Scorer::compare_conll(std::string_view, std::string*) const {
  throw Error("CoNLL input is only for ", opt::task, " tag");
}

std::unique_ptr<io::Work> Scorer::compare_text(std::string_view, std::string_view) const {
  throw Error("an object of predictions by id is only for ", opt::task, " answer");
}

void Scorer::read_null_scores(const json::File& file, const GoldTable&) {
  throw Error(file.path(), ": null scores are only for ", opt::task, " answer");
}

// Each is defined in a file scorer_*.cpp.
using MakeScorer = std::unique_ptr<Scorer>(const ScoreOptions& options);
MakeScorer make_label_scorer, make_multilabel_scorer, make_number_scorer, make_rank_scorer, make_fill_scorer,
    make_tag_scorer, make_answer_scorer, make_replaced_scorer;

std::unique_ptr<Scorer> make_scorer(const ScoreOptions& options) {
  using enum task::Task;
  constexpr std::pair<task::Task, MakeScorer*> kMakers[] = {
      {fill, make_fill_scorer},      {next, make_label_scorer},     {replaced, make_replaced_scorer},
      {classify, make_label_scorer}, {regress, make_number_scorer}, {multilabel, make_multilabel_scorer},
      {tag, make_tag_scorer},        {answer, make_answer_scorer},  {choose, make_label_scorer},
      {rank, make_rank_scorer}};
  const auto maker = std::ranges::find(kMakers, options.task, &std::pair<task::Task, MakeScorer*>::first);
  assert(maker != std::end(kMakers));
  return maker->second(options);
}

}  // namespace bert::metric
