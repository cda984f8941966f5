#include "metric/kept_works.h"

#include <numeric>

namespace bert::metric {

void KeptWorks::add(std::unique_ptr<io::Work> work, std::optional<std::string_view> group) {
  works_.push_back(std::move(work));
  group_of_.push_back(group ? groups_.add(*group).first : kNoGroup);
}

std::vector<std::string> KeptWorks::groups() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < groups_.size(); ++i) names.emplace_back(groups_.at(i));
  sort_labels(names);
  return names;
}

std::vector<uint32_t> KeptWorks::all() const {
  std::vector<uint32_t> numbers(works_.size());
  std::iota(numbers.begin(), numbers.end(), uint32_t{0});
  return numbers;
}

std::vector<uint32_t> KeptWorks::of(std::string_view group) const {
  std::vector<uint32_t> numbers;
  const auto wanted = groups_.find(group);
  for (uint32_t i = 0; i < works_.size(); ++i)
    if (group_of_[i] == wanted) numbers.push_back(i);
  return numbers;
}

std::unique_ptr<Scorer> score_again(const ScoreOptions& settled, const KeptWorks& works,
                                    std::span<const uint32_t> chosen) {
  auto scorer = make_scorer(settled);
  for (size_t i = 0; i < chosen.size(); ++i) scorer->add(i, works.at(chosen[i]));
  return scorer;
}

}  // namespace bert::metric
