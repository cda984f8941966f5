// Options of every filter: FILE..., -o, input format, threads, handling of bad records.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.h"
#include "base/pool.h"
#include "cli/app.h"
#include "io/stream.h"

namespace bert::cmd {

class StreamOptions {
 public:
  // Determines how much input is read at once. Training writes no records, so it has no output options.
  enum class Load { text, network, training };

  struct Uses {
    Load load = Load::text;
    std::vector<io::InputFormat> more = {};  // input formats beyond the common ones
    bool text = true, pair = true;           // whether the text, and the second text of a pair, are read
    bool folders = true;                     // if the text is: whether it may be in folders
    std::string folders_of = {};  // another option that names folders, which the same options are for
    bool records = true;          // whether records are written, whose fields can be chosen
    std::vector<io::Format> formats = io::formats_of({io::FormatGroup::json, io::FormatGroup::table});
  };

  StreamOptions(cli::App& app, const Uses& uses);
  StreamOptions(const StreamOptions&) = delete;
  StreamOptions& operator=(const StreamOptions&) = delete;

  io::StreamOptions settings;  // complete when the body of App::run starts; the body may change it

  // If --text-field was given, text is used even if a record has input_ids.
  bool text_field_given() const { return app_.given(opt::text_field); }

  bool pair_field_given() const { return app_.given("--pair-field"); }

  // The output and what may be written beside it, which are no inputs if they are in a folder that is read.
  std::vector<std::string> own_outputs() const;

  // To be called by a check: `option` names this field. Messages about a record without the field name the
  // option; if it was given, the input is not text.
  void name_field(std::string field, const std::string& option);

  // In the body of App::run: reads records as those that a model was trained on, where they have the same
  // form and no option says otherwise. `gold_field`: the usual one of the task; "": labels are not read.
  // Other options are set as they were in training.
  void take_kept(const cli::Kept& kept, std::string_view gold_field = "");

  // The process's only pool, with --threads threads. Created by the first call, on the thread that will drive
  // it. By default it has this process's part of the available cores, if `processes` share them.
  Pool& pool(int processes = 1);

  // Runs `filter` over the inputs. Throws Error like io::run_stream.
  io::RunResult transform(io::Filter& filter);

 private:
  friend void format_option(cli::App& app, StreamOptions& stream, const std::string& help);
  void add_input(cli::App& app, const Uses& uses);
  void add_folders(cli::App& app, const std::string& others);
  void add_conll(cli::App& app, const Uses& uses);
  // The option is only for input in these formats, whose records are of this kind.
  void for_records(Option option, io::RecordKind kind, const std::vector<io::InputFormat>& formats);
  void settle_input();
  void settle_kept(const cli::Kept& kept, std::string_view gold_field);
  void add_output(cli::App& app, const Uses& uses);
  void add_running(cli::App& app, Load load);
  void note_suffix() const;

  cli::App& app_;
  std::vector<std::string> drop_;
  std::optional<int> threads_;  // default: all available cores
  std::unique_ptr<Pool> pool_;
  bool records_;
  std::vector<io::Format> formats_;
};

// Throw UsageError if a name is given twice.
void require_different(std::string_view option, const std::vector<std::string>& names);
void require_different(const io::FieldOption& a, const io::FieldOption& b);

// --format with the formats of Uses.
void format_option(cli::App& app, StreamOptions& stream,
                   const std::string& help = "Write records as JSONL, TSV or CSV.");
// --format with these.
void format_option(cli::App& app, const std::vector<io::Format>& formats, io::Format& format,
                   const std::string& help);

// The option, such as --keep, is only for formats with the fields of records.
void needs_fields(cli::App& app, Option option);
// The option, such as --precision, is only for formats that write numbers as text.
void needs_text(cli::App& app, Option option);

}  // namespace bert::cmd
