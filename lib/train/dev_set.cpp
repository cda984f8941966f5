#include "train/dev_set.h"

#include <utility>

#include "base/error.h"
#include "base/signals.h"
#include "examples/steps.h"
#include "io/input.h"

namespace bert::train {
namespace {

constexpr int64_t kExamples = 256;  // examples read at a time

}  // namespace

DevSet::DevSet(io::StreamOptions stream, const std::string& path,
               std::unique_ptr<examples::ExampleReader> reader, comm::Communicator& ranks, Log& log)
    : ranks_(ranks), reader_(std::move(reader)) {
  stream.files = {path};
  if (!io::can_read_again(stream.files)) throw Error(path, ": --dev must be a regular FILE");
  source_ = examples::open_records(stream,
                                   {.order = examples::SourceOptions::Order::given,
                                    .epochs = 1,
                                    .ranks = ranks.alone() ? nullptr : &ranks},
                                   log);
  each([](const examples::Examples&) { return StopOnSignal::requested() == 0; });
  source_->report_skipped();
}

std::optional<Figures> DevSet::evaluate(Learner& learner, Log* progress) {
  const auto records = std::to_string(source_->records());
  learner.begin_evaluation();
  const bool complete = each([&](const examples::Examples& examples) {
    learner.evaluate(examples);
    if (progress != nullptr)
      progress->progress("evaluating: " + std::to_string(source_->drawn()) + " of " + records + " records");
    return ranks_.stop_requested() == 0;
  });
  if (!complete) return std::nullopt;
  return learner.end_evaluation();
}

bool DevSet::each(const std::function<bool(const examples::Examples&)>& use) {
  source_->skip_to(0);
  examples::Steps parts(*source_, *reader_, {.sequences = kExamples});
  for (examples::Step part; parts.next(part);) {
    if (!use(part.batches.front().examples)) return false;
  }
  return true;
}

}  // namespace bert::train
