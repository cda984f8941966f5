#include "features/candidates.h"

#include "base/error.h"

namespace bert::features {

bool has_candidates(const io::Fields& fields) {
  return fields.json(kDocuments).has_value() || fields.json(kNegatives).has_value();
}

std::vector<std::string_view> candidates_of(const Featurizer& featurizer, const io::Fields& fields) {
  std::vector<std::string_view> candidates;
  if (fields.json(kDocuments)) {
    candidates = fields.strings(kDocuments);
    if (candidates.empty()) throw Error("field \"", kDocuments, "\" is empty");
    return candidates;
  }
  candidates.push_back(fields.required_text(featurizer.options().pair_field));
  for (const auto negative : fields.strings(kNegatives)) candidates.push_back(negative);
  return candidates;
}

}  // namespace bert::features
