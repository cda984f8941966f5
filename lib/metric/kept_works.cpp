#include "metric/kept_works.h"

#include <map>

#include "base/error.h"

namespace bert::metric {

std::string_view RecordSums::difference(const RecordSums& other) const {
  const auto differ = [](uint64_t a, uint64_t b) { return a != 0 && b != 0 && a != b; };
  if (differ(id, other.id)) return "id";
  if (differ(text, other.text)) return "text";
  return gold != other.gold ? "gold label" : "";
}

void KeptWorks::add(std::unique_ptr<io::Work> work, const Origin& origin) {
  works_.push_back({.work = std::move(work),
                    .place = origin.place,
                    .group = origin.group ? groups_.add(*origin.group).first : kNoGroup,
                    .sums = origin.sums});
}

std::vector<io::Work*> KeptWorks::all() const {
  std::vector<io::Work*> works;
  for (const auto& kept : works_) works.push_back(kept.work.get());
  return works;
}

std::vector<KeptWorks::Group> KeptWorks::groups() const {
  std::vector<std::vector<io::Work*>> works(groups_.size());
  for (const auto& kept : works_)
    if (kept.group != kNoGroup) works[kept.group].push_back(kept.work.get());
  std::vector<std::string> names;
  for (size_t i = 0; i < groups_.size(); ++i) names.emplace_back(groups_.at(i));
  sort_labels(names);
  std::vector<Group> groups;
  for (auto& name : names) {
    auto& its_works = works[*groups_.find(name)];
    groups.push_back({std::move(name), std::move(its_works)});
  }
  return groups;
}

std::vector<io::Work*> KeptWorks::counterparts(const KeptWorks& other, const std::string& name) const {
  if (other.size() != size())
    throw Error(name, " has ", counted(other.size(), "prediction", "predictions"), ", expected ", size(),
                ", as many as the input");
  std::map<uint32_t, const Kept*> others;
  for (const auto& kept : other.works_) others[kept.place] = &kept;
  std::vector<io::Work*> works;
  for (const auto& kept : works_) {
    const auto found = others.find(kept.place);
    const auto difference = found == others.end() ? "gold label" : kept.sums.difference(found->second->sums);
    if (!difference.empty())
      throw Error(name, ": record ", kept.place + 1, " has another ", difference,
                  " than that of the input; both must have the same records in the same order");
    works.push_back(found->second->work.get());
  }
  return works;
}

std::unique_ptr<Scorer> score_again(const ScoreOptions& settled, std::span<io::Work* const> works) {
  auto scorer = make_scorer(settled);
  for (size_t i = 0; i < works.size(); ++i) scorer->add(i, *works[i]);
  return scorer;
}

}  // namespace bert::metric
