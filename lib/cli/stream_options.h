// The options of every filter: FILE..., -o, the form of the input, threads, what happens to bad records.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/pool.h"
#include "cli/app.h"
#include "io/stream.h"

namespace bert::cli {

class StreamOptions {
 public:
  // What a filter spends its time on decides how much of the input it takes at once. Training is no filter:
  // it has no options of output.
  enum class Load { text, network, training };

  // `more`: forms of input the tool reads beside those that all do.
  explicit StreamOptions(App& app, Load load = Load::text, const std::vector<io::InputFormat>& more = {});
  StreamOptions(const StreamOptions&) = delete;
  StreamOptions& operator=(const StreamOptions&) = delete;

  io::StreamOptions settings;  // complete once the body of App::run runs; the tool may change it there

  // --text-field was given: text is wanted even where a record has input_ids.
  bool text_field_given() const { return app_.given("--text-field"); }

  // The process's one pool, with --threads threads; made at the first call, on the thread that then drives
  // it.
  Pool& pool();

  // Runs `filter` over the inputs; Error as io::run_stream.
  io::RunResult transform(io::Filter& filter);

 private:
  void add_input(App& app, const std::vector<io::InputFormat>& more);
  void add_output(App& app);
  void add_running(App& app, Load load);

  App& app_;
  std::optional<int> threads_;  // without: all that the machine lends
  std::unique_ptr<Pool> pool_;
};

}  // namespace bert::cli
