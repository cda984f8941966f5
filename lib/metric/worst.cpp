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
  const auto row = copy.row_at(0);
  io::Added fields;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row.is_plain(i)) {
      fields.string(row.name(i), row.value(i));
    } else {
      fields.field(row.name(i)) += row.value(i);
    }
  }
  kept_.insert({miss.loss, order, std::move(fields)});
  if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
}

void WorstRecords::write(io::Output& out) const {
  for (const auto& kept : kept_) out.object(kept.fields);
}

}  // namespace bert::metric
