#include "examples/steps.h"

#include <string>

#include "base/error.h"

namespace bert::examples {
namespace {

std::string name_of(int64_t records, int64_t bytes) {
  if (records == 0) return "a pipe";
  return "FILEs of " + std::to_string(records) + " records in " + std::to_string(bytes) + " bytes";
}

}  // namespace

Steps::Steps(RecordSource& source, ExampleReader& reader, const StepOptions& options)
    : source_(source), reader_(reader), options_(options) {
  position_.records = source.records();
  position_.bytes = source.bytes();
}

void Steps::skip_to(const DataPosition& position) {
  if (position.records != source_.records() || position.bytes != source_.bytes())
    throw Error("the training data are ", name_of(source_.records(), source_.bytes()),
                ", but the run so far used ", name_of(position.records, position.bytes));
  pending_.clear();
  source_.skip_to(position.drawn);
  leave_out_ = position.within;
  position_ = position;
}

bool Steps::next(Step& step) {
  step = {};
  while (static_cast<int64_t>(step.batches.size()) < options_.accumulate) {
    Examples batch;
    const bool more = fill(batch, step);
    if (!batch.empty()) step.batches.push_back(std::move(batch));
    if (!more) break;
  }
  if (step.batches.empty() || source_.interrupted()) return false;
  position_.drawn = pending_.empty() ? source_.drawn() : pending_.front().drawn;
  position_.within = pending_.empty() ? 0 : pending_.front().within;
  return true;
}

// Returns false if there are no more examples.
bool Steps::fill(Examples& batch, Step& step) {
  int64_t tokens = 0;
  for (;;) {
    if (!options_.tokens && static_cast<int64_t>(batch.size()) == options_.sequences) return true;
    if (pending_.empty() && !read_more()) return false;
    const int64_t more = pending_.front().example->tokens();
    if (options_.tokens && !batch.empty() && tokens + more > *options_.tokens) return true;
    tokens += more;
    step.tokens += more;
    ++step.sequences;
    reader_.check(*pending_.front().example);
    batch.push_back(std::move(pending_.front().example));
    pending_.pop_front();
  }
}

// Fills pending_ with the examples of the next record that has any.
bool Steps::read_more() {
  while (pending_.empty()) {
    const bool found = source_.next([&](const io::Fields& fields, const io::Record& record, int64_t epoch) {
      read_.clear();
      reader_.read(fields, record, epoch, read_);
      for (auto& example : read_) example->where = record.where();
    });
    if (!found) return false;
    for (size_t i = 0; i < read_.size(); ++i) {
      if (static_cast<int64_t>(i) < leave_out_) continue;
      pending_.push_back({std::move(read_[i]), source_.drawn() - 1, static_cast<int64_t>(i)});
    }
    leave_out_ = 0;
  }
  return true;
}

}  // namespace bert::examples
