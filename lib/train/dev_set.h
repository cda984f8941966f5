// A set of records that a model is measured on, again and again, and does not learn from.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "data/example.h"
#include "data/record_source.h"
#include "io/stream.h"
#include "train/learner.h"

namespace bert::train {

class DevSet {
 public:
  // Reads `path` once, by the stream's rules, so that what is wrong with it is said before the work begins.
  DevSet(io::StreamOptions stream, const std::string& path, std::unique_ptr<data::ExampleReader> reader,
         Log& log);

  // Shows it all to the learner; false when a signal ended it before its time.
  bool evaluate(Learner& learner);

 private:
  bool each(const std::function<void(const data::Examples&)>& use);

  std::unique_ptr<data::ExampleReader> reader_;
  std::unique_ptr<data::RecordSource> source_;
};

}  // namespace bert::train
