#include "cli/app.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "cli/help.h"

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
    text.remove_prefix(static_cast<size_t>(count));
  }
}

// CLI11 2.1 takes the next argument as the value of `--prompt=`, so an empty value is passed as a separate
// argument.
std::vector<std::string> arguments_of(int argc, const char* const* argv,
                                      const std::vector<std::string>& valued) {
  std::vector<std::string> arguments;
  bool options = true;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    options = options && argument != "--";
    const bool empty_value =
        options && argument.size() > 3 && argument.back() == '=' &&
        std::find(valued.begin(), valued.end(), argument.substr(0, argument.size() - 1)) != valued.end();
    if (empty_value) argument.pop_back();
    arguments.push_back(argument);
    if (empty_value) arguments.emplace_back();
  }
  return arguments;
}

// The number of characters to insert, delete or replace, or of neighbors to swap (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

App::App(std::string name, std::string summary)
    : name_(std::move(name)), summary_(std::move(summary)), log_(name_) {}

App::~App() = default;

const std::string& App::name() const { return name_; }
Log& App::log() { return log_; }
void App::section(std::string heading) { section_ = std::move(heading); }
void App::files(std::vector<std::string>& to) { files_ = &to; }
void App::check(std::function<void()> check) { checks_.push_back(std::move(check)); }
void App::version_of(std::string (*lines)()) { versions_.push_back(lines); }

void App::add(const OptionText& text, bool takes_value, Take take) {
  entries_.push_back(
      {text, section_, takes_value, std::move(take), text.names.substr(text.names.find("--")), {}});
}

void App::custom(const OptionText& text, Take take) { add(text, true, std::move(take)); }

void App::flag(const OptionText& text, bool& to) {
  add(text, false, [&to](const std::string&, const std::string&) { to = true; });
}

void App::option(const OptionText& text, std::string& to) {
  custom(default_text(text, to), [&to](const std::string&, const std::string& value) { to = value; });
}

void App::option(const OptionText& text, std::optional<std::string>& to) {
  custom(text, [&to](const std::string&, const std::string& value) { to = value; });
}

void App::list(const OptionText& text, std::vector<std::string>& to) {
  custom(text, [&to](const std::string& name, const std::string& value) {
    for (auto& item : split(name, value)) to.push_back(std::move(item));
  });
}

bool App::given(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.name == name && !entry.values.empty(); });
}

// CLI11 only splits the command line into options and values. The values are interpreted here, so that --help
// works next to a bad value and messages do not depend on CLI11's version.
void App::read(const std::vector<std::string>& arguments) {
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  std::vector<CLI::Option*> options;
  for (const Entry& entry : entries_) {
    const std::string names = entry.text.names + (entry.text.also.empty() ? "" : "," + entry.text.also);
    options.push_back(entry.takes_value ? parser.add_option(names) : parser.add_flag(names));
    options.back()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  try {
    parser.parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 expects reverse order
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();  // "--output: 1 required missing"
    throw UsageError(what.substr(0, what.find(':')), " needs a value");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].values = options[i]->results();
    for (const std::string& value : entries_[i].values)
      if (!entries_[i].takes_value && value != "true") throw UsageError(entries_[i].name, " takes no value");
  }
  take_operands(parser.remaining());
}

// "; did you mean --batch-size?", or "" if no option is spelled like it.
std::string App::suggestion(std::string_view unknown) const {
  const Entry* best = nullptr;
  size_t least = 1 + unknown.size() / 4;  // changed characters, a quarter at most
  for (const Entry& entry : entries_) {
    const size_t distance = edit_distance(unknown, entry.name);
    if (distance > least || (best != nullptr && distance == least)) continue;
    best = &entry;
    least = distance;
  }
  return best == nullptr ? "" : "; did you mean " + best->name + "?";
}

// All non-options. "-x" and "--xyz" before the first "--" are unknown options, the rest are FILEs.
void App::take_operands(const std::vector<std::string>& arguments) {
  bool options = true;
  for (const std::string& argument : arguments) {
    if (options && argument == "--") {
      options = false;
      continue;
    }
    if (options && argument.size() > 1 && argument[0] == '-')
      throw UsageError("unknown option ", argument.substr(0, argument.find('=')),
                       suggestion(argument.substr(0, argument.find('='))));
    if (!files_) throw UsageError("unexpected argument ", argument);
    files_->push_back(argument);
  }
}

int App::obey(const std::function<void()>& body) {
  if (given("--help")) return print(help()), kDone;
  if (given("--version")) return print(version()), kDone;
  for (const Entry& entry : entries_)
    for (const std::string& value : entry.values) entry.take(entry.name, value);
  for (const auto& check : checks_) check();
  if (quiet_ && verbose_) throw UsageError("--quiet and --verbose cannot be used together");
  if (quiet_) log_.set_level(Log::Level::quiet);
  if (verbose_) log_.set_level(Log::Level::verbose);
  if (files_ && files_->empty() && isatty(STDIN_FILENO))
    throw UsageError("no FILE, and stdin is a terminal\n", usage());
  body();
  return kDone;
}

int App::run(int argc, const char* const* argv, const std::function<void()>& body) {
  hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond ulimit -f then fails with a message
  section(std::string(kGeneral));
  flag({"-q,--quiet", "", "Print errors only: no notes, no progress."}, quiet_);
  flag({"-v,--verbose", "", "Print details on stderr."}, verbose_);
  flag({"-h,--help", "", "Show this help and exit."}, help_wanted_);
  flag({"-V,--version", "", "Show the version of the tool and its libraries, and exit."}, version_wanted_);
  std::vector<std::string> valued;
  for (const Entry& entry : entries_)
    if (entry.takes_value) valued.push_back(entry.name);
  try {
    read(arguments_of(argc, argv, valued));
    return obey(body);
  } catch (const UsageError& error) {
    log_.usage(error.what() + ("\nTry '" + name_ + " --help'."));
    return kUsage;
  } catch (const std::exception& error) {
    if (*error.what()) log_.error(message_of(error));  // empty: the reader of the output has exited
  }
  return kFailure;
}

std::string App::usage() const { return "Usage: " + name_ + " [OPTION]..." + (files_ ? " [FILE]..." : ""); }

std::string App::help() const {
  HelpPage page;
  page.usage = usage();
  page.summary = summary_;
  const auto add = [](HelpPage::Section& section, const Entry& entry) {
    section.options.push_back({entry.text.names, entry.takes_value ? entry.text.value : "", entry.text.help});
  };
  if (!most_used_.empty()) page.sections.push_back({"Most used options", {}});
  for (const auto& name : most_used_) {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    assert(entry != entries_.end());
    add(page.sections.front(), *entry);
  }
  for (const Entry& entry : entries_) {
    if (std::ranges::find(most_used_, entry.name) != most_used_.end()) continue;
    auto section =
        std::find_if(page.sections.begin(), page.sections.end(),
                     [&](const HelpPage::Section& other) { return other.heading == entry.section; });
    if (section == page.sections.end()) section = page.sections.insert(section, {entry.section, {}});
    add(*section, entry);
  }
  return set_page(page);
}

std::string App::version() const {
  std::string text = name_ + " " BERT_VERSION "\n";
  for (const auto lines : versions_) text += lines() + "\n";
  return text;
}

}  // namespace bert::cli
