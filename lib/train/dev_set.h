// A dev set: records for repeated evaluation that are not trained on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "examples/example.h"
#include "examples/record_source.h"
#include "io/stream.h"
#include "train/learner.h"

namespace bert::train {

class DevSet {
 public:
  // Reads `path` once, with the stream's options, so that errors in it are reported before training begins.
  DevSet(io::StreamOptions stream, const std::string& path, std::unique_ptr<examples::ExampleReader> reader,
         Log& log);

  // Evaluates the learner on all records; nullopt if a signal interrupted it. Shows progress in `progress`
  // unless it is nullptr.
  std::optional<Figures> evaluate(Learner& learner, Log* progress);

 private:
  bool each(const std::function<void(const examples::Examples&)>& use);

  std::unique_ptr<examples::ExampleReader> reader_;
  std::unique_ptr<examples::RecordSource> source_;
};

}  // namespace bert::train
