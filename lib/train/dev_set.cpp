#include "train/dev_set.h"

#include <utility>

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
