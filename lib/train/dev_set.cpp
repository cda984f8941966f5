#include "train/dev_set.h"

#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "examples/steps.h"
#include "train/split_set.h"

namespace bert::train {
namespace {

constexpr int64_t kExamples = 256;  // examples read at a time

}  // namespace

DevSet::DevSet(const io::StreamOptions& stream, examples::SourceOptions::Part part,
               std::unique_ptr<examples::ExampleReader> reader, const examples::CheckTools& tools)
    : ranks_(tools.ranks), reader_(std::move(reader)) {
  const bool has_own_file = part.chosen == nullptr;
  source_ = examples::open_records(stream,
                                   {.order = examples::SourceOptions::Order::given,
                                    .epochs = 1,
                                    .part = std::move(part),
                                    .ranks = ranks_.alone() ? nullptr : &ranks_},
                                   tools.log);
  checked_ = examples::check_records(*source_, *reader_, tools).value_or(examples::CheckedRecords());
  if (has_own_file) source_->report_skipped();
}

std::string DevSet::overlap_text(std::span<const uint64_t> listed) const {
  using examples::RecordSource;
  std::unordered_set<uint64_t> trained;
  for (const uint64_t entry : listed) trained.insert(RecordSource::identity_of(entry));
  const int64_t records = source_->records();
  int64_t count = 0;
  for (int64_t i = 0; i < records; ++i)
    count += trained.contains(RecordSource::identity_of(source_->list_entry(i)));
  if (count == 0) return "";
  return ", and " + std::to_string(count) + " of its " + counted(records, "record was", "records were") +
         " in the training data until then, so its metrics are too good";
}

void DevSet::write_records(const std::string& file) const { train::write_records(*source_, file); }

std::optional<metric::Values> DevSet::evaluate(Learner& learner, Log* progress) {
  const auto records = std::to_string(source_->records());
  learner.begin_evaluation();
  auto all = parts();
  for (examples::Step part; ranks_.together([&] { return all.next(part); });) {
    learner.evaluate(part.batches.front().examples);
    if (progress != nullptr)
      progress->progress("evaluating: " + std::to_string(source_->drawn()) + " of " + records + " records");
    if (ranks_.stop_requested() != 0) return std::nullopt;
  }
  return learner.end_evaluation();
}

examples::Steps DevSet::parts() {
  source_->skip_to(0);
  return {*source_, *reader_, {.sequences = kExamples}};
}

}  // namespace bert::train
