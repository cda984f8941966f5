// A command-line tool: options, help and exit codes. Options are registered one by one, by the tool or by the
// option groups in this directory. run() parses the command line, runs the tool's body and turns exceptions
// into one line on stderr and an exit code.
//
//   0  success       1  failure (any exception)          2  usage (OptionError)
//
// Each option stores its value in a variable, which must outlive run(). The variable's value at registration
// is the default and is shown in the help. If an option is repeated, the last value counts, unless the option
// collects values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/option.h"
#include "cli/command_line.h"
#include "cli/file_uses.h"
#include "cli/suggestion.h"

namespace bert::cli {

// Names a file of options for any tool, see options_file.h.
inline constexpr std::string_view kConfigOption = "--config";

// An error in the command line: one line, a hint at --help, exit code 2. The body may throw it, too.
class UsageError : public OptionError {
 public:
  using OptionError::OptionError;
};

// Declares an option, for the parser, --help, the completions and the man page.
struct OptionText {
  std::string names;                 // "-o,--output" or "--drop"
  std::string value;                 // placeholder of the value, "FILE"; unused by flags
  std::string help;                  // one or two sentences without the default, which is appended
  std::string also{};                // a synonym that the help does not show, "--out"
  std::vector<std::string> words{};  // values that completions offer
};

// Bounds of a number, inclusive.
template <class T>
struct Range {
  T min = 0;
  T max = std::numeric_limits<int32_t>::max();
};

// The accepted words of an option, in --help order.
template <class T>
using Choices = std::vector<std::pair<std::string_view, T>>;

// Stores a value of the option with this long name. Throws UsageError for a bad one.
using Take = std::function<void(const std::string& name, const std::string& value)>;

// Names of options ("text-field") with values as on the command line.
using Kept = std::vector<std::pair<std::string, std::string>>;

// An option as it was declared. The last three may be set after that.
struct Declaration {
  OptionText text;
  std::string section;
  bool takes_value;
  Take take;
  std::string name;          // the long name
  std::string present = {};  // the default word of a choice
  // The words of another option, such as the tasks of --task, for which alone it has an effect; none: all.
  // See App::select.
  std::vector<std::string_view> only_for = {};
  bool may_differ = false;  // between processes that work together
  bool is_kept = false;     // by a model that is trained with it, see App::kept()
};

// An option that is used: given, with a value that is not its default; or with one of these words.
struct Use {
  Use(const char* name, std::vector<std::string> words = {}) : name(name), words(std::move(words)) {}
  Use(Option name, std::vector<std::string> words = {}) : name(name), words(std::move(words)) {}

  std::string name;
  std::vector<std::string> words;
};

class App {
 public:
  // `summary` is printed below the usage line.
  App(std::string name, std::string summary);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  const std::string& name() const;
  Log& log();  // to stderr; level set by -q and -v

  // Lists the options registered next under this heading of --help. A heading may be used more than once.
  void section(std::string heading);
  // Names of options that the help shows first, in this order, instead of in their sections.
  void most_used(std::vector<std::string> names) { most_used_ = std::move(names); }
  // Commands at the end of the help. The man page has them as well, where they are tested.
  void examples(std::vector<CommandLine::Example> examples) { examples_ = std::move(examples); }

  Declaration& flag(const OptionText& text, bool& to);
  // A name, of a file or a field or other. An empty one is rejected.
  Declaration& option(const OptionText& text, std::string& to);
  Declaration& option(const OptionText& text, std::optional<std::string>& to);

  // A comma-separated list; repeated options append to it. Empty names are rejected.
  Declaration& list(const OptionText& text, std::vector<std::string>& to);

  // An integer, stored in any integer type or std::optional of one.
  template <class T>
  Declaration& number(const OptionText& text, Range<int64_t> range, T& to) {
    return custom(with_default(text, to), [&to, range](const std::string& name, const std::string& value) {
      to = whole_number(name, value, range);
    });
  }
  // A comma-separated list of different integers; a repeated option replaces the list.
  template <class T>
  Declaration& numbers(const OptionText& text, Range<int64_t> range, std::vector<T>& to) {
    return custom(text, [&to, range](const std::string& name, const std::string& value) {
      to.clear();
      for (const auto& item : split(name, value)) {
        const auto number = static_cast<T>(whole_number(name, item, range));
        if (std::ranges::find(to, number) != to.end()) throw UsageError(name, " has ", number, " twice");
        to.push_back(number);
      }
    });
  }
  // A real number, stored in float, double or std::optional of one.
  template <class T>
  Declaration& real(const OptionText& text, Range<double> range, T& to) {
    return custom(with_default(text, to), [&to, range](const std::string& name, const std::string& value) {
      to = real_number(name, value, range);
    });
  }
  template <class T>
  Declaration& reals(const OptionText& text, Range<double> range, std::vector<T>& to) {
    return custom(text, [&to, range](const std::string& name, const std::string& value) {
      to.clear();
      for (const auto& item : split(name, value)) to.push_back(real_number(name, item, range));
    });
  }
  // One of a few words, shown as `a|b|c` in place of text.value.
  template <class T, class U>
  Declaration& choice(const OptionText& text, const Choices<T>& choices, U& to) {
    std::vector<std::string> words;
    std::string present;
    for (const auto& [word, meaning] : choices) {
      words.emplace_back(word);
      if (to == meaning) present = word;
    }
    auto& declaration = custom(choice_text(text, words, present),
                               [&to, choices, words](const std::string& name, const std::string& value) {
                                 to = choices[index_of(name, value, words)].second;
                               });
    declaration.present = present;
    return declaration;
  }

  // A value of any other form. After the whole command line is parsed, `take` is called once for each
  // occurrence.
  Declaration& custom(const OptionText& text, Take take);

  // FILE... operands. None means stdin and leaves `to` empty; if stdin is a terminal, prints the usage to
  // stderr and exits with 2. `shown` is their form in the usage line.
  void files(std::vector<std::string>& to, std::string shown = "[FILE]...");

  // The FILEs. Valid after the command line is parsed.
  std::span<const std::string> operands() const {
    return files_ ? std::span<const std::string>(*files_) : std::span<const std::string>();
  }

  // Whether the tool has the option ("--text-field"); whether it was given. Valid after the command line is
  // parsed.
  bool has(std::string_view name) const { return declaration_of(name) != nullptr; }
  bool given(std::string_view name) const;

  // Rules for several options, which are checked in this order after all values are stored and before the
  // checks. `why` ends the message.
  // The options cannot be used together.
  void exclusive(std::vector<std::string> names);
  // None of the options can be used with the other one.
  void excludes(std::vector<Use> options, Use other, std::string why = "");
  // The option cannot be used without the other one.
  void needs(Use option, Use other, std::string why = "");

  // To be called when the word of the option `by` ("--task") is known. Throws UsageError if an option was
  // given that is for other words only.
  void select(std::string_view by, std::string_view word) const;
  // The given options with their values, a line each in the order of declaration, except those that may
  // differ between processes; then the operands. Valid after the command line is parsed.
  std::vector<std::string> common_arguments() const;

  // The given options that a trained model keeps for the tools that use it. Valid after the command line is
  // parsed.
  Kept kept() const;
  // Sets those of them that this tool has and that were not given. Throws UsageError for a bad value.
  void take_kept(const Kept& kept) const;

  // A command line for a shell with the given options, those of --config too, and the operands; without
  // options that may differ between processes, and these. Valid after the command line is parsed.
  std::string command(std::initializer_list<std::string_view> without) const;

  // Registers a check that involves several options. It runs after all values are stored and throws
  // UsageError.
  void check(std::function<void()> check);

  // To be called by a check: the option makes the tool read or write this file; "-" is stdin or stdout, ""
  // none. After the checks, run() refuses to write to an input, FILE... included, or two outputs to one file.
  void reads(std::string option, std::string path) { note(inputs_, std::move(option), std::move(path)); }
  void writes(std::string option, std::string path) { note(outputs_, std::move(option), std::move(path)); }

  // Registers a function that returns additional lines for --version. It is called only for --version.
  void version_of(std::string (*lines)());
  // The same for a line about what this installation can do, which is no part of version().
  void ability_of(std::string (*line)()) { abilities_.push_back(line); }

  // Runs before the command line is parsed; an exception ends run() as one of the body does.
  void before(std::function<void()> before) { before_ = std::move(before); }
  // Passes the exit code and message of an error on, instead of printing the message.
  using Report = std::function<void(int code, const std::string& message)>;
  void report_errors_to(Report report) { report_ = std::move(report); }

  std::string version() const;  // of the tool and its libraries, as --version prints it

  // Parses the command line, runs `body` and returns the exit code.
  int run(int argc, const char* const* argv, const std::function<void()>& body);

  // Used by the templates above. Errors name the option: "--threads must be at least 1".
  static int64_t whole_number(const std::string& name, const std::string& value, Range<int64_t> range);
  static double real_number(const std::string& name, const std::string& value, Range<double> range);
  static size_t index_of(const std::string& name, const std::string& value,
                         const std::vector<std::string>& words);
  static std::vector<std::string> split(const std::string& name, const std::string& value);
  static std::string name_of(const std::string& option, const std::string& value);

 private:
  struct Parser;  // hides CLI11

  template <class T>
  static OptionText with_default(OptionText text, const T& value) {
    return default_text(std::move(text), static_cast<double>(value));
  }
  template <class T>
  static OptionText with_default(OptionText text, const std::optional<T>& value) {
    return value ? default_text(std::move(text), static_cast<double>(*value)) : text;
  }
  static OptionText default_text(OptionText text, double value);
  static OptionText default_text(OptionText text, const std::string& value);
  static OptionText choice_text(OptionText text, const std::vector<std::string>& words,
                                const std::string& present);

  static void note(std::vector<FileUse>& files, std::string option, std::string path) {
    if (!path.empty()) files.push_back({std::move(option), std::move(path)});
  }

  template <class To>
  Take take_name(const OptionText& text, To& to);
  int fail(int code, const std::string& message);
  void check_files();
  Declaration& add(const OptionText& text, bool takes_value, Take take);
  void add_general();
  std::vector<std::string> arguments_of(int argc, const char* const* argv);
  std::vector<std::string> arguments_of_file(const std::string& path,
                                             const std::vector<const Declaration*>& given);
  std::string options_of_file(std::string_view message) const;
  std::string read(int argc, const char* const* argv);
  void take_operands(const std::vector<std::string>& arguments);
  const Declaration* declaration_of(std::string_view argument) const;
  std::string word_of(std::string_view name) const;
  bool is_used(const Use& use) const;
  std::vector<KnownOption> known_options() const;
  UsageError unknown_option(std::string_view argument) const;
  std::string synopsis() const;
  std::string usage() const;
  CommandLine command_line() const;
  std::string help() const;
  std::string version_and_abilities() const;

  std::string name_;
  std::string summary_;
  std::string section_;
  std::vector<std::string> most_used_;
  std::vector<CommandLine::Example> examples_;
  std::deque<Declaration> declarations_;  // in registration order
  std::unique_ptr<Parser> parser_;
  std::vector<std::function<void()>> rules_;
  std::vector<std::string>* files_ = nullptr;
  std::string files_shown_;
  std::vector<FileUse> inputs_, outputs_;
  std::vector<std::function<void()>> checks_;
  std::vector<std::string (*)()> versions_, abilities_;
  std::function<void()> before_;
  Report report_;
  std::vector<std::string> repeated_;  // notes of options with a FILE
  bool shows_usage_ = false;           // after the message of a usage error
  Log log_;
  std::string config_;
  std::vector<std::string> in_config_;  // names of the options that it has given
  bool quiet_ = false, verbose_ = false;
};

}  // namespace bert::cli
