#include "predict/uncertain_filter.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::predict {
namespace {

// In place of a record's work if it has no prediction.
struct Failed : io::Work {
  explicit Failed(std::string what) : message(std::move(what)) {}
  std::string message;
};

double product(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0,  // in double
                            std::plus<>(), [](float x, float y) { return static_cast<double>(x) * y; });
}

std::vector<float> normalized(std::vector<float> vector) {
  const double length = std::sqrt(product(vector, vector));
  if (length > 0)
    for (float& number : vector) number = static_cast<float>(number / length);
  return vector;
}

}  // namespace

// An Error thrown here would end the stream, so finish() throws it.
void UncertainFilter::compute(std::span<io::Record* const> records) {
  predictor_.compute(records);
  for (io::Record* const record : records) {
    try {
      add(*record);
    } catch (const Error& error) {
      record->work = std::make_unique<Failed>(error.what());
    }
  }
}

void UncertainFilter::add(io::Record& record) {
  const double uncertainty = predictor_.uncertainty(record);
  if (PredictFilter::is_empty(record)) return;
  const int64_t order = seen_++;
  const size_t most = kPool * count_;
  if (kept_.size() == most && uncertainty <= kept_.rbegin()->uncertainty) return;
  auto vector = normalized(predictor_.vector(record));
  io::Output copy(io::Format::jsonl, io::Output::Rows::all);
  predictor_.finish(record, copy);
  auto fields = io::fields_of(copy.row_at(0));
  json::append_double(fields.field("uncertainty"), uncertainty, precision_);
  kept_.insert({uncertainty, order, std::move(vector), std::move(fields)});
  if (kept_.size() > most) kept_.erase(std::prev(kept_.end()));
}

void UncertainFilter::finish(io::Record& record, io::Output&) const {
  if (const auto* failed = dynamic_cast<const Failed*>(record.work.get())) throw Error(failed->message);
  record.work.reset();
  record.truncated = false;  // none of them is written here
}

// The mean of all similarities is the squared length of the mean vector.
double UncertainFilter::mean_distance() const {
  std::vector<float> mean(kept_.empty() ? 0 : kept_.begin()->vector.size());
  for (const auto& kept : kept_)
    for (size_t h = 0; h < mean.size(); ++h) mean[h] += kept.vector[h] / static_cast<float>(kept_.size());
  return 1 - product(mean, mean);
}

void UncertainFilter::end(io::Output& out) {
  const double least = kApart * mean_distance();
  std::vector<const Kept*> chosen;
  for (auto kept = kept_.begin(); kept != kept_.end() && chosen.size() < count_; ++kept) {
    const auto is_near = [&](const Kept* other) { return 1 - product(kept->vector, other->vector) <= least; };
    if (std::ranges::any_of(chosen, is_near)) continue;
    out.object(kept->fields);
    chosen.push_back(&*kept);
  }
  written_ = chosen.size();
}

void UncertainFilter::report(Log& log) const {
  predictor_.report(log);
  if (written_ < std::min<size_t>(count_, seen_))
    log.warn(counted(written_, "record was", "records were") + " written, not " + std::to_string(count_) +
             ": the others are near them");
}

}  // namespace bert::predict
