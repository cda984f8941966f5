#include "search/results.h"

#include <cmath>

#include "io/input_format.h"
#include "json/json.h"

namespace bert::search {
namespace {

std::vector<std::string> with_embedding(std::vector<std::string> drop) {
  drop.emplace_back("embedding");
  return drop;
}

}  // namespace

// + 0.0 makes -0 a 0.
void append_score(std::string& out, Metric metric, double value, int precision) {
  const double score = metric == Metric::l2 ? std::sqrt(-value) : value + 0.0;
  json::append_number(out, static_cast<float>(score), precision);
}

double value_at(Metric metric, double threshold) {
  return metric == Metric::l2 ? -threshold * threshold : threshold;
}

Writers::Writers(const std::vector<std::string>& drop) : records_(drop), rows_(with_embedding(drop)) {}

void Writers::write(const io::Record& record, const io::Added& added, std::string& out) const {
  (io::is_array(record.source().format) ? rows_ : records_).write(record, added, out);
}

}  // namespace bert::search
