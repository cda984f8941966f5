#include "train/dev_set.h"

#include <utility>

#include "base/error.h"
#include "base/signals.h"
#include "data/steps.h"
#include "io/input.h"

namespace bert::train {
namespace {

constexpr int64_t kExamples = 256;  // examples read at a time

}  // namespace

DevSet::DevSet(io::StreamOptions stream, const std::string& path, std::unique_ptr<data::ExampleReader> reader,
               Log& log)
    : reader_(std::move(reader)) {
  stream.files = {path};
  if (!io::can_read_again(stream.files)) throw Error(path, ": --dev must be a regular FILE");
  source_ = data::open_records(stream, {.order = data::SourceOptions::Order::given, .epochs = 1}, log);
  each([](const data::Examples&) {});
  source_->report_skipped();
}

bool DevSet::evaluate(Learner& learner, Log* progress) {
  const auto records = std::to_string(source_->records());
  return each([&](const data::Examples& examples) {
    learner.evaluate(examples);
    if (progress != nullptr)
      progress->progress("evaluating: " + std::to_string(source_->drawn()) + " of " + records + " records");
  });
}

bool DevSet::each(const std::function<void(const data::Examples&)>& use) {
  source_->skip_to(0);
  data::Steps parts(*source_, *reader_, {.sequences = kExamples});
  for (data::Step part; parts.next(part);) {
    for (const auto& batch : part.batches) use(batch);
    if (StopOnSignal::requested()) return false;
  }
  return true;
}

}  // namespace bert::train
