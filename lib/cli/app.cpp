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
#include "base/spelling.h"
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
  const auto long_name = text.names.substr(text.names.find("--"));
  Declaration& declaration =
      declarations_.emplace_back(Declaration{text, section_, takes_value, std::move(take), long_name});
  const auto names = text.names + (text.also.empty() ? "" : "," + text.also);
  if (!takes_value) {
    parser_->app.add_flag_callback(names, [&declaration] { declaration.take(declaration.name, ""); })
        ->disable_flag_override();
    return declaration;
  }
  const auto take_all = [&declaration](const CLI::results_t& values) {
    for (const auto& value : values) declaration.take(declaration.name, value);
    return true;
  };
  parser_->app.add_option(names, take_all)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return declaration;
}

// The word that the option has: the one given, else the default; "" if there is none.
std::string App::word_of(std::string_view name) const {
  if (given(name)) return parser_->app.get_option(std::string(name))->results().back();
  return declaration_of(name)->present;
}

bool App::is_used(const Use& use) const {
  if (!use.words.empty()) return std::ranges::find(use.words, word_of(use.name)) != use.words.end();
  const auto* declaration = declaration_of(use.name);
  return given(use.name) && (declaration->present.empty() || word_of(use.name) != declaration->present);
}

void App::exclusive(std::vector<std::string> names) {
  rules_.emplace_back([this, names = std::move(names)] {
    if (std::ranges::count_if(names, [&](const auto& name) { return given(name); }) > 1)
      throw UsageError(listed(names, "and"), " cannot be used together");
  });
}

void App::excludes(std::vector<Use> options, Use other, std::string why) {
  rules_.emplace_back([this, options = std::move(options), other = std::move(other), why = std::move(why)] {
    if (!is_used(other) || std::ranges::none_of(options, [&](const Use& use) { return is_used(use); }))
      return;
    std::vector<std::string> names;
    for (const auto& [name, words] : options)
      names.push_back(words.empty() ? name : name + " " + word_of(name));
    throw UsageError(listed(names, "and"), " cannot be used with ", other.name,
                     other.words.empty() ? "" : " " + word_of(other.name), why);
  });
}

void App::needs(Use option, Use other, std::string why) {
  rules_.emplace_back([this, option = std::move(option), other = std::move(other), why = std::move(why)] {
    if (!is_used(option)) return;
    const auto& [name, words] = other;
    const auto& value = declaration_of(name)->text.value;
    const auto used = option.name + (option.words.empty() ? "" : " " + word_of(option.name));
    if (words.empty() && !given(name))
      throw UsageError(used, " needs ", name, value.empty() ? "" : " ", value, why);
    if (!words.empty() && !word_of(name).empty() && !is_used(other))
      throw UsageError(used, " requires ", name, " ", listed(words, "or"), why);
  });
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

// The last name counts. If it is another FILE than one before it, a note says which one is not read.
template <class To>
Take App::take_name(const OptionText& text, To& to) {
  return [this, &to, is_file = text.value == "FILE", given = std::string()](
             const std::string& name, const std::string& value) mutable {
    to = name_of(name, value);
    if (is_file && !given.empty() && given != value)
      repeated_.push_back(name + " takes one FILE: " + value + " is used, not " + given);
    given = value;
  };
}

Declaration& App::option(const OptionText& text, std::string& to) {
  return custom(default_text(text, to), take_name(text, to));
}

Declaration& App::option(const OptionText& text, std::optional<std::string>& to) {
  return custom(text, take_name(text, to));
}

Declaration& App::list(const OptionText& text, std::vector<std::string>& to) {
  return custom(text, [&to](const std::string& name, const std::string& value) {
    for (auto& item : split(name, value)) to.push_back(std::move(item));
  });
}

void App::select(std::string_view by, std::string_view word) const {
  for (const auto& entry : declarations_) {
    const auto& words = entry.only_for;
    if (words.empty() || !given(entry.name) || std::ranges::find(words, word) != words.end()) continue;
    throw UsageError(entry.name, " requires ", by, " ",
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

std::string App::command(std::initializer_list<std::string_view> without) const {
  std::string command = name_;
  for (const auto& declaration : declarations_) {
    const auto& name = declaration.name;
    if (declaration.may_differ || !given(name) || std::ranges::find(without, name) != without.end()) continue;
    if (!declaration.takes_value) command += " " + name;
    if (!declaration.takes_value) continue;
    for (const auto& value : parser_->app.get_option(name)->results())
      command += " " + name + " " + shell_word(value);
  }
  if (files_)
    for (const auto& file : *files_) command += " " + shell_word(file);
  return command;
}

Kept App::kept() const {
  Kept kept;
  for (const auto& declaration : declarations_) {
    if (!declaration.is_kept || !given(declaration.name)) continue;
    std::string joined;
    for (const auto& value : parser_->app.get_option(declaration.name)->results())
      joined += (joined.empty() ? "" : ",") + value;
    kept.emplace_back(declaration.name.substr(2), joined);
  }
  return kept;
}

void App::take_kept(const Kept& kept) const {
  for (const auto& [name, value] : kept) {
    const auto* declaration = declaration_of("--" + name);
    if (declaration && declaration->is_kept && !given(declaration->name))
      declaration->take(declaration->name, value);
  }
}

bool App::given(std::string_view name) const { return parser_->app.count(std::string(name)) > 0; }

// The option with this name, "-o" or "--output"; nullptr if there is none.
const Declaration* App::declaration_of(std::string_view argument) const {
  if (!argument.starts_with('-')) return nullptr;
  const auto found = std::ranges::find_if(declarations_, [&](const Declaration& entry) {
    const auto names = "," + entry.text.names + "," + entry.text.also + ",";
    return names.find("," + std::string(argument) + ",") != std::string::npos;
  });
  return found == declarations_.end() ? nullptr : &*found;
}

// Returns the text that --help or --version prints, else "".
std::string App::read(int argc, const char* const* argv) {
  try {
    parser_->app.parse(arguments_of(argc, argv));
  } catch (const Shown& shown) {
    return shown.text;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  take_operands(parser_->app.remaining());
  for (const auto& rule : rules_) rule();
  return "";
}

void App::add_general() {
  section(std::string(kGeneral));
  option({std::string(kConfigOption), "FILE",
          "Read options from FILE, TOML with lines such as max-length = 128; those of the command line "
          "precede."},
         config_)
      .may_differ = true;
  check([this] { reads(std::string(kConfigOption), config_); });
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
    for (const auto& message : repeated_) log_.warn(message);
    check_files();
    body();
    return kDone;
  } catch (const OptionError& error) {
    return fail(kUsage, error.what() + options_of_file(error.what()));
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
