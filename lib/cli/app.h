// A command-line tool: its options, its help and how it ends. Options are registered one after another, by
// the tool or by the groups beside this file; run() reads the command line, runs the tool's work and turns
// what is thrown into one line on stderr and an exit code.
//
//   0  done          1  failure (any exception)          2  usage (UsageError)
//
// Each option says where its value goes. The variable must outlive run(); what it holds when it is registered
// is the default and is shown as such. When an option is repeated the last one counts, unless it says that it
// collects.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"

namespace bert::cli {

// Something wrong with the command line itself: one line, a hint at --help, exit 2. run() catches it from the
// body, too, so that a tool may find out late.
class UsageError : public Error {
 public:
  using Error::Error;
};

// How an option is written and what --help says of it.
struct OptionText {
  std::string names;  // "-o,--output" or "--drop"
  std::string value;  // the word that stands for its value, "FILE"; unused by flags
  std::string help;   // a sentence or two without the default, which is added
};

// Bounds of a number, both included.
template <class T>
struct Range {
  T min = 0;
  T max = std::numeric_limits<int32_t>::max();
};

// The words an option takes, in the order in which --help names them.
template <class T>
using Choices = std::vector<std::pair<std::string_view, T>>;

class App {
 public:
  // `summary` is the sentence under the usage line.
  App(std::string name, std::string summary);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  const std::string& name() const;
  Log& log();  // on stderr; its level follows -q and -v

  // The options registered next stand under this heading of --help; a heading may be opened again.
  void section(std::string heading);

  void flag(const OptionText& text, bool& to);
  void option(const OptionText& text, std::string& to);
  void option(const OptionText& text, std::optional<std::string>& to);

  // A list with commas between, collected when the option is repeated. Empty names are refused.
  void list(const OptionText& text, std::vector<std::string>& to);

  // Whole numbers into any integer or std::optional of one.
  template <class T>
  void number(const OptionText& text, Range<int64_t> range, T& to) {
    custom(with_default(text, to), [&to, range](const std::string& name, const std::string& value) {
      to = whole_number(name, value, range);
    });
  }
  // The same with commas between; a repeated option replaces the list.
  template <class T>
  void numbers(const OptionText& text, Range<int64_t> range, std::vector<T>& to) {
    custom(text, [&to, range](const std::string& name, const std::string& value) {
      to.clear();
      for (const auto& item : split(name, value)) to.push_back(whole_number(name, item, range));
    });
  }
  // Real numbers into float, double or std::optional of one.
  template <class T>
  void real(const OptionText& text, Range<double> range, T& to) {
    custom(with_default(text, to), [&to, range](const std::string& name, const std::string& value) {
      to = real_number(name, value, range);
    });
  }
  template <class T>
  void reals(const OptionText& text, Range<double> range, std::vector<T>& to) {
    custom(text, [&to, range](const std::string& name, const std::string& value) {
      to.clear();
      for (const auto& item : split(name, value)) to.push_back(real_number(name, item, range));
    });
  }
  // One of a few words; they replace text.value and are shown as `a|b|c`.
  template <class T, class U>
  void choice(const OptionText& text, const Choices<T>& choices, U& to) {
    std::vector<std::string> words;
    std::string present;
    for (const auto& [word, meaning] : choices) {
      words.emplace_back(word);
      if (to == meaning) present = word;
    }
    custom(choice_text(text, words, present),
           [&to, choices, words](const std::string& name, const std::string& value) {
             to = choices[index_of(name, value, words)].second;
           });
  }

  // Any other form of value: `take` is called with the option's long name and its value, for each time it is
  // given, after the whole command line has been read; it throws UsageError.
  using Take = std::function<void(const std::string& name, const std::string& value)>;
  void custom(const OptionText& text, Take take);

  // FILE... operands. Without any, `to` stays empty, which means stdin; when that is a terminal, the usage
  // goes to stderr and the exit code is 2.
  void files(std::vector<std::string>& to);

  // True, after the command line was read, when the option ("--text-field") stood on it.
  bool given(std::string_view name) const;

  // Checks that look at several options, run after all values are taken; they throw UsageError.
  void check(std::function<void()> check);

  // Lines that --version adds below the tool's own; called only then.
  void version_of(std::string (*lines)());

  // Reads the command line, runs `body` and returns the exit code.
  int run(int argc, const char* const* argv, const std::function<void()>& body);

  // Building blocks of the templates above. Errors name the option: "--threads must be at least 1".
  static int64_t whole_number(const std::string& name, const std::string& value, Range<int64_t> range);
  static double real_number(const std::string& name, const std::string& value, Range<double> range);
  static size_t index_of(const std::string& name, const std::string& value,
                         const std::vector<std::string>& words);
  static std::vector<std::string> split(const std::string& name, const std::string& value);

 private:
  struct Entry {
    OptionText text;
    std::string section;
    bool takes_value;
    Take take;
    std::string name;                 // the long one
    std::vector<std::string> values;  // as given; one empty string for each time a flag is
  };

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

  void add(const OptionText& text, bool takes_value, Take take);
  void read(const std::vector<std::string>& arguments);
  void take_operands(const std::vector<std::string>& arguments);
  int obey(const std::function<void()>& body);
  std::string usage() const;
  std::string help() const;
  std::string version() const;

  std::string name_;
  std::string summary_;
  std::string section_;
  std::vector<Entry> entries_;  // in the order of registration
  std::vector<std::string>* files_ = nullptr;
  std::vector<std::function<void()>> checks_;
  std::vector<std::string (*)()> versions_;
  Log log_;
  bool help_wanted_ = false, version_wanted_ = false, quiet_ = false, verbose_ = false;
};

}  // namespace bert::cli
