#include "search/pairs_filter.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"
#include "json/utf8.h"
#include "search/results.h"

namespace bert::search {

struct PairsFilter::Identified : WithVector {
  std::string id;
};

PairsFilter::PairsFilter(const Options& options, Pool& pool, Log& log)
    : options_(options),
      pool_(pool),
      log_(log),
      vectors_(options, pool, log),
      id_use_(options.index.id_field, opt::id_field) {}

void PairsFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto identified = std::make_unique<Identified>();
  identified->id = std::move(read_values({&options_.index.id_field, 1}, fields, record).front());
  if (identified->id.empty() && record.source().located) {
    json::append_string(identified->id, json::repair_utf8(record.where()));
  } else if (identified->id.empty()) {
    id_use_.absent([&] { return fields.names(); });
    json::append_integer(identified->id, record.place());
  } else {
    id_use_.found();
  }
  vectors_.prepare(fields, record, *identified);
  record.work = std::move(identified);
}

void PairsFilter::compute(std::span<io::Record* const> records) {
  vectors_.compute(records);
  std::vector<io::Record*> compared;
  for (io::Record* record : records) {
    auto& identified = record->work_as<Identified>();
    if (!identified.failure.empty() || identified.is_empty) continue;
    compared.push_back(record);
    ids_.push_back(std::move(identified.id));
  }
  vectors_.collect(compared);
}

void PairsFilter::finish(io::Record& record, io::Output&) const {
  const auto& identified = record.work_as<Identified>();
  if (!identified.failure.empty()) throw Error(identified.failure);
  record.work.reset();
}

void PairsFilter::report(Log& log) const {
  vectors_.report(log);
  // Records need no id, unless the user named its field.
  const bool is_optional = options_.index.id_field == IndexOptions().id_field;
  if (const auto message = is_optional ? id_use_.warning_of_case() : id_use_.warning()) log.warn(*message);
  if (const auto message = id_use_.warning_of_some()) log.warn(*message);
  std::unordered_set<std::string_view> ids;
  const auto repeated = std::ranges::find_if(ids_, [&](const auto& id) { return !ids.insert(id).second; });
  if (repeated != ids_.end()) log.warn("id " + *repeated + " appears twice");
}

bool PairsFilter::release(Ending ending, io::Output& out) {
  if (ending == Ending::stopped) return false;
  const Vectors* const all = vectors_.all();
  if (all == nullptr) return false;
  if (!failure_.empty()) throw Error(failure_);
  if (!search_) search_.emplace(*all, options_.metric, value_at(options_.metric, *options_.pairs), pool_);
  std::vector<Pair> pairs;
  if (!search_->next(pairs)) return false;
  vectors_.require_unchanged();
  for (const Pair& pair : pairs) {
    append(pair, out);
    if (!failure_.empty()) break;
  }
  return true;
}

void PairsFilter::append(const Pair& pair, io::Output& out) {
  const auto& a = ids_[pair.a];
  const auto& b = ids_[pair.b];
  if (!std::isfinite(score_of(options_.metric, pair.value))) {
    const auto message = Error("the score of records ", a, " and ", b, kTooLarge);
    if (options_.on_error == io::OnError::skip) return log_.error(message.what());
    failure_ = message.what();
    return;
  }
  io::Added fields;
  fields.field("a") += a;
  fields.field("b") += b;
  append_score(fields.field("score"), options_.metric, pair.value, options_.precision);
  out.object(fields);
}

}  // namespace bert::search
