#include "metric/worst.h"

#include "io/record.h"
#include "json/json.h"

namespace bert::metric {

void WorstRecords::add(const io::Record& record, const Scorer::Miss& miss, int precision) {
  const int64_t order = added_++;
  if (kept_.size() == most_ && miss.loss <= kept_.rbegin()->loss) return;
  io::Added own;
  own.field("gold") += miss.gold;
  json::append_double(own.field("loss"), miss.loss, precision);
  io::Output copy(io::Format::jsonl, io::Output::Rows::all);
  copy.record(record, own);
  kept_.insert({miss.loss, order, io::fields_of(copy.row_at(0))});
  if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
}

void WorstRecords::write(io::Output& out) const {
  for (const auto& kept : kept_) out.object(kept.fields);
}

}  // namespace bert::metric
