#include "options/stream_options.h"

#include <algorithm>
#include <cctype>

#include "base/option.h"
#include "base/output_file.h"
#include "base/spelling.h"
#include "heads/vector_model.h"
#include "options/ranks.h"
#include "text/encoding.h"

namespace bert::cmd {
namespace {

constexpr int kMostThreads = 4096;

cli::Choices<io::InputFormat> choices(const std::vector<io::InputFormat>& formats) {
  cli::Choices<io::InputFormat> choices;
  for (const auto format : formats) choices.emplace_back(io::name_of(format), format);
  return choices;
}

char delimiter_of(const std::string& name, const std::string& value) {
  if (value == "tab" || value == "\\t") return '\t';
  if (value == "\"") throw cli::UsageError(name, " cannot be the quote, which encloses cells");
  const auto c = static_cast<unsigned char>(value.empty() ? 'a' : value[0]);
  if (value.size() != 1 || std::isalnum(c) != 0 || c >= 0x80 || c == '\n' || c == '\r')
    throw cli::UsageError(name, " must be one character such as ';', or tab, not \"", value, "\"");
  return value[0];
}

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

// A FILE says which names there are.
io::ConllColumn conll_column_of(const std::string& option, const std::string& value) {
  if (value.empty()) throw cli::UsageError(option, " must be the number or the name of a column");
  if (!is_number(value)) return {.name = value};
  return {.index = static_cast<size_t>(cli::App::whole_number(option, value, {.min = 1}) - 1)};
}

std::string column_text(const io::ConllColumn& column) {
  return column.name.empty() ? std::to_string(column.index + 1) : column.name;
}

}  // namespace

void require_different(std::string_view option, const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      throw cli::UsageError(option, " has \"", *name, "\" twice");
}

void require_different(const io::FieldOption& a, const io::FieldOption& b) {
  if (a.field != b.field) return;
  const bool is_usual = b.option == opt::pair_field && b.field == io::kPairField;
  throw cli::UsageError(a.option, " and ", b.option, " are both \"", a.field, "\"",
                        is_usual ? "; " + opt::pair_field + " '' reads no pairs" : "");
}

StreamOptions::StreamOptions(cli::App& app, const Uses& uses)
    : app_(app), records_(uses.records), formats_(uses.formats) {
  if (uses.load == Load::network) {
    settings.chunk_bytes = io::kNetworkChunkBytes;
    settings.chunk_records = io::kNetworkChunkRecords;
  }
  settings.more = uses.more;
  settings.decoder = text::decoder_for;
  settings.note = [&app](const std::string& message) { app.log().warn(message); };
  settings.detail = [&app](const std::string& message) { app.log().info(message); };
  settings.left_out = [&app](const std::string& message) { app.log().error(message); };
  app.files(settings.files);
  add_input(app, uses);
  if (uses.load != Load::training) {
    one_process(app);
    add_output(app, uses);
  }
  add_running(app, uses.load);
}

void StreamOptions::add_input(cli::App& app, const Uses& uses) {
  using enum io::InputFormat;
  app.section("Input");
  if (uses.text) {
    auto formats = io::usual_formats();
    formats.insert(formats.end(), uses.more.begin(), uses.more.end());
    app.choice<io::InputFormat>(
        {opt::input_format, "", "Format of the input; auto detects it from each FILE's suffix and contents."},
        choices(formats), settings.input_format);
    app.list({opt::columns, "NAME,...", "Column names for TSV or CSV without a header line; implies tsv."},
             settings.columns)
        .is_kept = true;
    for_records(opt::columns, io::RecordKind::table, {tsv, csv});
    if (std::ranges::find(uses.more, conll) != uses.more.end()) add_conll(app, uses);
    app.custom({opt::delimiter, "CHAR",
                "Character between the cells of CSV, such as ';' or tab (default: a comma)."},
               [this](const std::string& name, const std::string& value) {
                 settings.delimiter = delimiter_of(name, value);
               })
        .is_kept = true;
    app.needs(opt::delimiter, {opt::input_format, {"auto", "csv"}});
    if (uses.folders && uses.load != Load::training) add_folders(app, uses.folders_of);
    app.option({opt::text_field, "NAME", "Field with the text."}, settings.text_field).is_kept = true;
    app.check([this] { name_field(settings.text_field, opt::text_field); });
  } else {
    settings.recognize = [](io::Input&) { return jsonl; };
    app.choice<io::InputFormat>({opt::input_format, "", "Format of the input, which is always JSONL."},
                                choices({automatic, jsonl}), settings.input_format);
  }
  app.option({opt::encoding, "NAME",
              "Character encoding of the input, such as windows-1252 or Shift_JIS (default: UTF-8, or UTF-16 "
              "with a byte order mark)."},
             settings.encoding);
  if (uses.pair) {
    app.custom({"--pair-field", "NAME",
                "Field with the second text of a pair; '' reads each text alone (default text_pair)."},
               [this](const std::string&, const std::string& value) { settings.pair_field = value; })
        .is_kept = true;
    app.check([this] {
      name_field(settings.pair_field, "--pair-field");
      require_different({settings.text_field, "--text-field"}, {settings.pair_field, "--pair-field"});
      if (pair_field_given() && !settings.pair_field.empty())
        settings.pair_use = std::make_shared<io::FieldUse>(settings.pair_field, "--pair-field");
    });
  }
  app.check([this] { settle_input(); });
  app.choice<io::InvalidUtf8>(
      {opt::invalid_utf8, "", "Report invalid UTF-8 as an error of its record, or replace it with U+FFFD."},
      {{"error", io::InvalidUtf8::error}, {"replace", io::InvalidUtf8::replace}}, settings.invalid_utf8);
  app.choice<io::OnError>(
      {opt::on_error, "", "Stop at the first bad record, or report bad records and skip them."},
      {{"stop", io::OnError::stop}, {"skip", io::OnError::skip}}, settings.on_error);
}

void StreamOptions::add_folders(cli::App& app, const std::string& others) {
  using enum io::InputFormat;
  auto& folders = settings.folders.emplace();
  folders.use = std::make_shared<io::GlobUse>();
  app.flag({"-r," + opt::recursive, "",
            "Read the text files in each FILE that is a folder, and in folders below it."},
           folders.recursive);
  const auto add = [&app, &others](const std::string& name, const std::string& help,
                                   std::vector<std::string>& globs) {
    app.custom({name, "GLOB", help},
               [&globs](const std::string&, const std::string& glob) { globs.push_back(glob); });
    if (others.empty()) app.needs(name.c_str(), opt::recursive);
  };
  const auto options = others.empty() ? "-r" : "-r or " + others;
  add(opt::include, "With " + options + ", read only files that match GLOB, such as '*.md'.",
      folders.include);
  add(opt::exclude, "With " + options + ", leave out files and folders that match GLOB.", folders.exclude);
  app.choice<io::InputFormat>({opt::cut, "",
                               "Cut text at blank lines and headings, at line ends, or not at all, and add "
                               "where each record is: file, "
                               "start_line, end_line, start, end (default with " +
                                   options + ": paragraphs)."},
                              {{"paragraphs", passages}, {"lines", text}, {"file", file}}, settings.cut);
  app.needs(opt::cut, {opt::input_format, {"auto", "text"}}, "; other formats are cut already");
  app.check([this] {
    if (!settings.recursive()) return;
    if (settings.files.empty()) throw cli::UsageError(opt::recursive, " needs a FILE that is a folder");
    const auto format = settings.input_format;
    if (!settings.cut && (format == automatic || format == text)) settings.cut = passages;
    settings.folders->leave_out = own_outputs();
  });
}

void StreamOptions::take_kept(const cli::Kept& kept, std::string_view gold_field) {
  try {
    settle_kept(kept, gold_field);
  } catch (const cli::UsageError& error) {
    throw Error("\"bert_filters\" in the model's config.json: ", error.what());
  }
}

void StreamOptions::settle_kept(const cli::Kept& kept, std::string_view gold_field) {
  cli::Kept others;
  auto& usual = settings.usual;
  const std::pair<Option, std::string_view> fields[] = {
      {opt::text_field, io::kTextField}, {opt::pair_field, io::kPairField}, {opt::label_field, gold_field}};
  for (const auto& [name, value] : kept) {
    const auto option = "--" + name;
    const auto field = std::ranges::find(fields, option, [](const auto& entry) { return entry.first; });
    const bool is_read = option == opt::word_column || (field != std::end(fields) && !field->second.empty());
    if (app_.has(option) ? app_.given(option) : !is_read) continue;
    app_.log().info("as in training: " + option + " " + shell_word(value));
    if (option == opt::pair_field && value.empty()) {
      settings.pair_field = "";
    } else if (field != std::end(fields)) {
      usual.fields.push_back({std::string(field->second), value});
    } else if (option == opt::delimiter) {
      usual.delimiter = delimiter_of(option, value);
    } else if (option == opt::word_column) {
      usual.word = conll_column_of(option, value);
    } else if (option == opt::tag_column) {
      usual.tag = conll_column_of(option, value);
    } else if (option == opt::columns) {
      usual.columns = cli::App::split(option, value);
    } else {
      others.emplace_back(name, value);
    }
  }
  app_.take_kept(others);
}

std::vector<std::string> StreamOptions::own_outputs() const {
  const auto output = names_stdout(settings.output) ? "/dev/stdout" : settings.output;
  return {output, heads::sidecar_of(output)};
}

void StreamOptions::add_conll(cli::App& app, const Uses& uses) {
  const auto add = [&](const std::string& name, const std::string& help,
                       std::optional<io::ConllColumn>& column) {
    auto& declaration =
        app.custom({name, "COLUMN", help}, [&](const std::string& option, const std::string& value) {
          column = conll_column_of(option, value);
        });
    declaration.is_kept = true;
  };
  if (std::ranges::find(uses.more, io::InputFormat::conllu) == uses.more.end()) {
    add(opt::tag_column,
        "Column of CoNLL in --gold with the tags: a number from 1, or a name of CoNLL-U such as xpos "
        "or misc:ner (default: the last; CoNLL-U: upos).",
        settings.tag_column);
    return;
  }
  add(opt::word_column,
      "Column of CoNLL with the words: a number from 1, or a name of CoNLL-U (default: 1; CoNLL-U: form).",
      settings.word_column);
  add(opt::tag_column,
      "Column of CoNLL with the tags: a number from 1, or a name of CoNLL-U such as xpos or misc:ner "
      "(default: the last; CoNLL-U: upos).",
      settings.tag_column);
  for (const auto option : {opt::word_column, opt::tag_column})
    for_records(option, io::RecordKind::tagged, io::formats_of({io::RecordKind::tagged}));
}

void StreamOptions::for_records(Option option, io::RecordKind kind,
                                const std::vector<io::InputFormat>& formats) {
  std::vector<std::string> names = {std::string(io::name_of(io::InputFormat::automatic))};
  for (const auto format : formats) names.emplace_back(io::name_of(format));
  app_.needs(option, {opt::input_format, names});
  app_.check([this, option, kind] {
    if (app_.given(option)) settings.format_options.push_back({option, kind});
  });
}

void StreamOptions::settle_input() {
  using enum io::InputFormat;
  require_different(opt::columns, settings.columns);
  settings.columns_given = !settings.columns.empty();
  if (settings.word_column && settings.word_column == settings.tag_column)
    throw cli::UsageError("--word-column and --tag-column are both column ",
                          column_text(*settings.tag_column));
  try {
    if (!settings.encoding.empty()) text::decoder_for(settings.encoding, settings.invalid_utf8);
  } catch (const Error& error) {
    throw cli::UsageError("--encoding: ", error.what());
  }
}

void StreamOptions::name_field(std::string field, const std::string& option) {
  if (settings.table_option.empty() && app_.given(option) && !field.empty()) settings.table_option = option;
  settings.field_options.push_back({std::move(field), option});
}

void StreamOptions::add_output(cli::App& app, const Uses& uses) {
  app.section("Output");
  std::string& output = settings.output;
  app.custom({"-o,--output", "FILE",
              "Write to FILE, which appears only when it is complete (default: stdout).", "--out"},
             [&output](const std::string& name, const std::string& value) {
               output = cli::App::name_of(name, value);
             });
  app.check([&app, &output] { app.writes("--output", output); });
  if (!uses.records) return;
  app.list({opt::drop, "NAME,...", "Leave these fields out of the output."}, drop_);
  app.list({opt::keep, "NAME,...", "Write only these fields, in this order."}, settings.keep);
  app.exclusive({opt::keep, opt::drop});
  app.check([this] {
    settings.drop = drop_;
    require_different(opt::keep, settings.keep);
  });
  app.flag({"--line-buffered", "", "Write each record as soon as it is ready, as on a terminal."},
           settings.line_buffered);
}

void StreamOptions::add_running(cli::App& app, Load load) {
  const std::string shown =
      load == Load::training ? "Show step, loss and remaining time" : "Show the number of records";
  app.section("Running");
  app.number({"-j,--threads", "N", "Number of threads (default: all available cores)."},
             {.min = 1, .max = kMostThreads}, threads_)
      .may_differ = true;
  app.choice<io::ShowProgress>(
         {"--progress", "", shown + " on stderr; auto: on a terminal, and a line a minute in a file."},
         {{"auto", io::ShowProgress::automatic},
          {"always", io::ShowProgress::always},
          {"never", io::ShowProgress::never}},
         settings.progress)
      .may_differ = true;
}

Pool& StreamOptions::pool(int processes) {
  if (pool_) return *pool_;
  const int wanted = threads_.value_or(std::max(1, available_threads() / processes));
  pool_ = std::make_unique<Pool>(wanted);
  if (pool_->size() < wanted) {
    app_.log().warn("only " + std::to_string(pool_->size()) + " of " + std::to_string(wanted) +
                    " threads could be started");
  }
  return *pool_;
}

// The suffix of the output does not choose its format: the same command writes the same to a pipe.
void StreamOptions::note_suffix() const {
  for (const auto* suffix : {".gz", ".bz2", ".xz", ".zst"})
    if (settings.output.ends_with(suffix))
      app_.log().warn(settings.output + " is written uncompressed; compress it with a program, such as gzip");
  if (!records_ || app_.given(opt::format)) return;
  for (const auto format : io::formats_of({io::FormatGroup::table, io::FormatGroup::array})) {
    const auto& entry = io::entry(format);
    if (entry.file.suffix.empty() || !settings.output.ends_with(entry.file.suffix)) continue;
    const bool can = std::ranges::find(formats_, format) != formats_.end();
    app_.log().warn(
        settings.output + " is written as JSONL" +
        (can ? "; --format " + std::string(entry.name) + " writes " + std::string(entry.file.content) : ""));
  }
}

io::RunResult StreamOptions::transform(io::Filter& filter) {
  note_suffix();
  return io::run_stream(settings, pool(), app_.log(), filter);
}

void format_option(cli::App& app, StreamOptions& stream, const std::string& help) {
  app.section("Output");
  format_option(app, stream.formats_, stream.settings.format, help);
}

void format_option(cli::App& app, const std::vector<io::Format>& formats, io::Format& format,
                   const std::string& help) {
  cli::Choices<io::Format> choices;
  for (const auto offered : formats) choices.emplace_back(io::entry(offered).name, offered);
  app.choice<io::Format>({opt::format, "", help}, choices, format);
}

void needs_fields(cli::App& app, Option option) {
  std::vector<std::string> names;
  for (const auto format : io::formats_of({io::FormatGroup::json, io::FormatGroup::table}))
    names.emplace_back(io::entry(format).name);
  app.needs(option, {opt::format, names});
}

void needs_text(cli::App& app, Option option) {
  std::vector<std::string> names;
  for (const auto format : io::formats_of({io::FormatGroup::array}))
    names.emplace_back(io::entry(format).name);
  app.excludes({option}, {opt::format, names}, ", which has binary numbers");
}

}  // namespace bert::cmd
