#include "cli/app.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/signals.h"
#include "cli/suggestion.h"

namespace bert::cli {
namespace {

enum Exit { kDone = 0, kFailure = 1, kUsage = 2 };

constexpr std::string_view kGeneral = "General";

// Keeps opened files from getting the descriptor of a standard stream that the caller has closed, which would
// redirect results into them. The placeholder has the wrong access mode, so using the stream fails with
// EBADF.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

// Writes to stdout and checks for errors such as a full disk.
void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("stdout: write error: ", std::generic_category().message(errno));
    text.remove_prefix(count);
  }
}

// Thrown by --help and --version, which end parsing.
struct Shown {
  std::string text;
};

}  // namespace

struct App::Parser {
  CLI::App app;
};

App::App(std::string name, std::string summary)
    : name_(std::move(name)), summary_(std::move(summary)), parser_(std::make_unique<Parser>()), log_(name_) {
  parser_->app.set_help_flag();
  parser_->app.allow_extras();
}

App::~App() = default;

const std::string& App::name() const { return name_; }
Log& App::log() { return log_; }
void App::section(std::string heading) { section_ = std::move(heading); }
void App::files(std::vector<std::string>& to, std::string shown) {
  files_ = &to;
  files_shown_ = std::move(shown);
}
void App::check(std::function<void()> check) { checks_.push_back(std::move(check)); }
void App::version_of(std::string (*lines)()) { versions_.push_back(lines); }

// Values are interpreted by `take`, so that messages do not depend on CLI11's version.
Declaration& App::add(const OptionText& text, bool takes_value, Take take) {
  const auto name = text.names.substr(text.names.find("--"));
  Declaration& declaration = declarations_.emplace_back(Declaration{text, section_, takes_value, name});
  const auto names = text.names + (text.also.empty() ? "" : "," + text.also);
  if (!takes_value) {
    parser_->app.add_flag_callback(names, [name, take] { take(name, ""); })->disable_flag_override();
    return declaration;
  }
  const auto take_all = [name, take](const CLI::results_t& values) {
    for (const auto& value : values) take(name, value);
    return true;
  };
  parser_->app.add_option(names, take_all)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return declaration;
}

void App::exclusive(const std::vector<std::string>& names) {
  for (size_t i = 1; i < names.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      parser_->app.get_option(names[i])->excludes(parser_->app.get_option(names[k]));
  exclusive_.push_back(names);
}

void App::needs(const std::string& name, const std::string& other) {
  parser_->app.get_option(name)->needs(parser_->app.get_option(other));
  needs_.emplace_back(name, other);
}

Declaration& App::custom(const OptionText& text, Take take) { return add(text, true, std::move(take)); }

Declaration& App::flag(const OptionText& text, bool& to) {
  return add(text, false, [&to](const std::string&, const std::string&) { to = true; });
}

// An empty name is probably that of an unset variable: -m "$MODEL".
std::string App::name_of(const std::string& option, const std::string& value) {
  if (value.empty()) throw UsageError(option, " has an empty name");
  return value;
}

Declaration& App::option(const OptionText& text, std::string& to) {
  return custom(default_text(text, to),
                [&to](const std::string& name, const std::string& value) { to = name_of(name, value); });
}

Declaration& App::option(const OptionText& text, std::optional<std::string>& to) {
  return custom(text,
                [&to](const std::string& name, const std::string& value) { to = name_of(name, value); });
}

Declaration& App::list(const OptionText& text, std::vector<std::string>& to) {
  return custom(text, [&to](const std::string& name, const std::string& value) {
    for (auto& item : split(name, value)) to.push_back(std::move(item));
  });
}

void App::select(std::string_view by, std::string_view word) const {
  for (const auto& [text, section, takes_value, name, words, may_differ] : declarations_) {
    if (words.empty() || !given(name) || std::ranges::find(words, word) != words.end()) continue;
    throw UsageError(name, " requires ", by, " ",
                     listed(std::vector<std::string>(words.begin(), words.end()), "or"));
  }
}

std::vector<std::string> App::common_arguments() const {
  std::vector<std::string> lines;
  for (const auto& declaration : declarations_) {
    if (declaration.may_differ || !given(declaration.name)) continue;
    if (!declaration.takes_value) lines.push_back(declaration.name);
    if (!declaration.takes_value) continue;
    for (const auto& value : parser_->app.get_option(declaration.name)->results())
      lines.push_back(declaration.name + " " + value);
  }
  if (files_) lines.insert(lines.end(), files_->begin(), files_->end());
  return lines;
}

bool App::given(std::string_view name) const { return parser_->app.count(std::string(name)) > 0; }

// Whether the next argument is the value of this one: "-o", "--output".
bool App::wants_value(std::string_view argument) const {
  return std::ranges::any_of(declarations_, [&](const Declaration& entry) {
    const auto names = "," + entry.text.names + "," + entry.text.also + ",";
    return entry.takes_value && names.find("," + std::string(argument) + ",") != std::string::npos;
  });
}

// In reverse, as CLI11 expects. CLI11 takes the next argument as the value of `--prompt=`, so an empty value
// is passed as an argument of its own. -model DIR would be -m with the value odel.
std::vector<std::string> App::arguments_of(int argc, const char* const* argv) const {
  std::vector<std::string> arguments;
  const auto known = known_options();
  bool options = true, is_value = false;
  for (int i = 1; i < argc; ++i) {
    arguments.emplace_back(argv[i]);
    options = options && arguments.back() != "--";
    if (!options || std::exchange(is_value, !is_value && wants_value(arguments.back()))) continue;
    if (is_long_name(arguments.back(), known)) throw unknown_option(arguments.back());
    if (!arguments.back().ends_with('=')) continue;
    const std::string_view name(argv[i], arguments.back().size() - 1);
    if (!wants_value(name)) continue;
    arguments.back().pop_back();
    arguments.emplace_back();
  }
  std::ranges::reverse(arguments);
  return arguments;
}

// Returns the text that --help or --version prints, else "".
std::string App::read(int argc, const char* const* argv) {
  try {
    parser_->app.parse(arguments_of(argc, argv));
  } catch (const Shown& shown) {
    return shown.text;
  } catch (const CLI::ExcludesError& error) {
    for (const auto& names : exclusive_)
      if (std::ranges::count_if(names, [&](const auto& name) { return given(name); }) > 1)
        throw UsageError(listed(names, "and"), " cannot be used together");
    throw UsageError(error.what());
  } catch (const CLI::RequiresError& error) {
    for (const auto& [name, other] : needs_)
      if (given(name) && !given(other))
        throw UsageError(name, " needs ", other, " ",
                         std::ranges::find(declarations_, other, &Declaration::name)->text.value);
    throw UsageError(error.what());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();  // "--output: 1 required missing"
    if (what.find("override") == std::string::npos)
      throw UsageError(what.substr(0, what.find(':')), " needs a value");
    throw UsageError(what.starts_with('-') ? "" : "--", what.substr(0, what.find(' ')), " takes no value");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  take_operands(parser_->app.remaining());
  return "";
}

std::vector<KnownOption> App::known_options() const {
  std::vector<KnownOption> options;
  for (const Declaration& entry : declarations_)
    if (!entry.text.help.empty()) options.push_back({entry.name, entry.text.value, entry.text.words});
  return options;
}

UsageError App::unknown_option(std::string_view argument) const {
  const auto name = argument.substr(0, argument.find('='));
  return UsageError("unknown option ", name, option_hint(name, known_options(), synopsis()));
}

// All non-options. "-x" and "--xyz" before the first "--" are unknown options, the rest are FILEs.
void App::take_operands(const std::vector<std::string>& arguments) {
  bool options = true;
  for (const std::string& argument : arguments) {
    if (options && argument == "--") {
      options = false;
      continue;
    }
    if (options && argument.size() > 1 && argument[0] == '-') throw unknown_option(argument);
    if (!files_) throw UsageError("unexpected argument ", argument);
    files_->push_back(name_of(files_shown_ == "DIR" ? "DIR" : "a FILE", argument));
  }
}

void App::add_general() {
  section(std::string(kGeneral));
  flag({"-q,--quiet", "", "Print errors only: no notes, no progress."}, quiet_).may_differ = true;
  flag({"-v,--verbose", "", "Print details on stderr."}, verbose_).may_differ = true;
  const auto show = [this](const OptionText& text, std::string (App::*shown)() const) {
    add(text, false,
        [this, shown](const std::string&, const std::string&) { throw Shown{(this->*shown)()}; });
    parser_->app.get_option(declarations_.back().name)->trigger_on_parse();
  };
  show({"-h,--help", "", "Show this help and exit."}, &App::help);
  show({"-V,--version", "", "Show the version of the tool and its libraries, and exit."},
       &App::version_and_abilities);
  exclusive({"--quiet", "--verbose"});
  add({"--generate", "", ""}, true, [this](const std::string& name, const std::string& value) {
    const auto& forms = generated_forms();
    const auto form = std::ranges::find(forms, value, &GeneratedForm::name);
    if (form == forms.end()) throw UsageError(name, " must be man, bash, zsh or fish, not \"", value, "\"");
    throw Shown{form->text(command_line())};
  });
}

int App::run(int argc, const char* const* argv, const std::function<void()>& body) {
  const SignalStack stack;
  hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond ulimit -f then fails with a message
  add_general();
  try {
    if (before_) before_();
    if (const auto shown = read(argc, argv); !shown.empty()) {
      if (!log_.muted()) print(shown);
      return kDone;
    }
    for (const auto& check : checks_) check();
    if (quiet_) log_.set_level(Log::Level::quiet);
    if (verbose_) log_.set_level(Log::Level::verbose);
    check_files();
    body();
    return kDone;
  } catch (const OptionError& error) {
    return fail(kUsage, error.what());
  } catch (const std::exception& error) {
    return fail(kFailure, message_of(error));
  }
}

void App::check_files() {
  if (files_ && files_->empty() && isatty(STDIN_FILENO)) {
    shows_usage_ = true;
    throw UsageError("no FILE, and stdin is a terminal");
  }
  if (files_ && files_->empty()) reads("", "-");
  if (files_) {
    for (const auto& file : *files_) reads("", file);
  }
  check_outputs(inputs_, outputs_);
}

// An empty message means that the reader of the output has exited: ends as by SIGPIPE, if that was delayed.
int App::fail(int code, const std::string& message) {
  if (message.empty() && StopOnSignal::requested() == SIGPIPE && !report_) StopOnSignal::raise_again();
  if (report_) {
    report_(code, message.empty() ? "stdout was closed" : message);
  } else if (code == kUsage) {
    log_.usage(message, (shows_usage_ ? usage() + "\n" : "") + "Try '" + name_ + " --help'.");
  } else if (!message.empty()) {
    log_.error(message);
  }
  return code;
}

std::string App::synopsis() const { return name_ + " [OPTION]..." + (files_ ? " " + files_shown_ : ""); }
std::string App::usage() const { return "Usage: " + synopsis(); }

CommandLine App::command_line() const {
  CommandLine line = {.tool = name_, .usage = usage(), .summary = summary_};
  for (const Declaration& entry : declarations_) {
    if (entry.text.help.empty()) continue;  // hidden
    auto section = std::ranges::find(line.sections, entry.section, &CommandLine::Section::heading);
    if (section == line.sections.end()) section = line.sections.insert(section, {entry.section, {}});
    section->options.push_back({.names = entry.text.names,
                                .value = entry.takes_value ? entry.text.value : "",
                                .help = entry.text.help,
                                .words = entry.text.words});
  }
  line.most_used = most_used_;
  line.examples = examples_;
  return line;
}

std::string App::help() const { return help_text(command_line()); }

std::string App::version() const {
  std::string text = name_ + " " BERT_VERSION "\n";
  for (const auto lines : versions_) text += lines() + "\n";
  return text;
}

std::string App::version_and_abilities() const {
  std::string text = version();
  for (const auto line : abilities_) text += line() + "\n";
  return text;
}

}  // namespace bert::cli
