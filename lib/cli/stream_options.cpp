#include "cli/stream_options.h"

namespace bert::cli {
namespace {

constexpr int kMostThreads = 4096;

Choices<io::InputFormat> input_formats(const std::vector<io::InputFormat>& more) {
  using enum io::InputFormat;
  Choices<io::InputFormat> choices;
  for (const auto format : {automatic, text, paragraphs, file, jsonl, tsv})
    choices.emplace_back(io::name_of(format), format);
  for (const auto format : more) choices.emplace_back(io::name_of(format), format);
  return choices;
}

}  // namespace

StreamOptions::StreamOptions(App& app, Load load, const std::vector<io::InputFormat>& more) : app_(app) {
  if (load == Load::network) {
    settings.chunk_bytes = io::kNetworkChunkBytes;
    settings.chunk_records = io::kNetworkChunkRecords;
  }
  app.files(settings.files);
  add_input(app, more);
  if (load != Load::training) add_output(app);
  add_running(app, load);
}

void StreamOptions::add_input(App& app, const std::vector<io::InputFormat>& more) {
  app.section("Input");
  app.choice<io::InputFormat>(
      {"--input-format", "", "Form of the input; auto goes by each FILE's suffix, else by its first byte."},
      input_formats(more), settings.input_format);
  app.list({"--columns", "NAME,...", "Names of the columns of TSV that has no header line."},
           settings.columns);
  app.option({"--text-field", "NAME", "Field that holds the text."}, settings.text_field);
  app.option({"--pair-field", "NAME", "Field that holds the second text of a pair."}, settings.pair_field);
  app.choice<io::InvalidUtf8>(
      {"--invalid-utf8", "",
       "Text that is not UTF-8 is an error of its record, or its bad bytes become U+FFFD."},
      {{"error", io::InvalidUtf8::error}, {"replace", io::InvalidUtf8::replace}}, settings.invalid_utf8);
  app.choice<io::OnError>(
      {"--on-error", "", "At a bad record stop, or name it on stderr and go on without it."},
      {{"stop", io::OnError::stop}, {"skip", io::OnError::skip}}, settings.on_error);
}

void StreamOptions::add_output(App& app) {
  app.section("Output");
  std::string& output = settings.output;
  app.custom(
      {"-o,--output", "FILE", "Write to FILE, which appears only when complete; - is stdout, the default."},
      [&output](const std::string& name, const std::string& value) {
        if (value.empty()) throw UsageError(name, " has an empty name");
        output = value;
      });
  app.list({"--drop", "NAME,...", "Leave these fields out of the output; may be repeated."}, settings.drop);
  app.flag({"--line-buffered", "", "Write each record at once, as on a terminal."}, settings.line_buffered);
}

void StreamOptions::add_running(App& app, Load load) {
  const std::string shown = load == Load::training ? "Show step, loss and time left" : "Count records";
  app.section("Running");
  app.number({"-j,--threads", "N", "Threads of the process together (default: all that the machine lends)."},
             {.min = 1, .max = kMostThreads}, threads_);
  app.choice<io::ShowProgress>({"--progress", "", shown + " on stderr; auto: when it is a terminal."},
                               {{"auto", io::ShowProgress::automatic},
                                {"always", io::ShowProgress::always},
                                {"never", io::ShowProgress::never}},
                               settings.progress);
}

Pool& StreamOptions::pool() {
  if (pool_) return *pool_;
  const int wanted = threads_.value_or(available_threads());
  pool_ = std::make_unique<Pool>(wanted);
  if (pool_->size() < wanted) {
    app_.log().warn("only " + std::to_string(pool_->size()) + " of " + std::to_string(wanted) +
                    " threads could be started");
  }
  return *pool_;
}

io::RunResult StreamOptions::transform(io::Filter& filter) {
  return io::run_stream(settings, pool(), app_.log(), filter);
}

}  // namespace bert::cli
