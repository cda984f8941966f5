#include "features/candidates.h"

#include "base/error.h"

namespace bert::features {

bool has_candidates(const io::Fields& fields) {
  return fields.json(kDocuments).has_value() || fields.has(kNegatives);
}

std::vector<std::string> candidates_of(const Featurizer& featurizer, const io::Fields& fields) {
  if (fields.json(kDocuments)) {
    const auto documents = fields.strings(kDocuments);
    if (documents.empty()) throw Error("field \"", kDocuments, "\" is empty");
    return {documents.begin(), documents.end()};
  }
  std::vector<std::string> candidates = {std::string(fields.required_text(featurizer.options().pair_field))};
  for (auto& negative : fields.texts(kNegatives)) candidates.push_back(std::move(negative));
  return candidates;
}

}  // namespace bert::features
