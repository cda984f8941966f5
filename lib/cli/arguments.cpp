// The arguments of a command line, with those of its --config file.
#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/app.h"
#include "cli/options_file.h"
#include "cli/suggestion.h"

namespace bert::cli {

// In reverse, as CLI11 expects. CLI11 takes the next argument as the value of `--prompt=`, so an empty value
// is passed as an argument of its own. -model DIR would be -m with the value odel.
std::vector<std::string> App::arguments_of(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  std::vector<const Declaration*> given;
  std::string config;
  const auto known = known_options();
  const Declaration* waiting = nullptr;  // for its value, the next argument
  const auto take_config = [&config](const Declaration* declaration, std::string_view value) {
    if (declaration->name == kConfigOption) config = value;
  };
  for (int i = 1; i < argc; ++i) {
    arguments.emplace_back(argv[i]);
    const std::string_view argument = argv[i];
    if (const auto* declaration = std::exchange(waiting, nullptr)) {
      take_config(declaration, argument);
      continue;
    }
    if (argument == "--") {
      arguments.insert(arguments.end(), argv + i + 1, argv + argc);
      break;
    }
    if (is_long_name(argument, known)) throw unknown_option(argument);
    const size_t equals = argument.find('=');
    const auto* declaration = declaration_of(argument.substr(0, equals));
    if (!declaration) continue;
    given.push_back(declaration);
    if (equals != argument.npos) take_config(declaration, argument.substr(equals + 1));
    if (equals == argument.npos) {
      waiting = declaration->takes_value ? declaration : nullptr;
    } else if (!declaration->takes_value) {
      throw UsageError(argument.substr(0, equals), " takes no value");
    } else if (equals + 1 == argument.size()) {
      arguments.back().pop_back();
      arguments.emplace_back();
    }
  }
  if (waiting) throw UsageError(arguments.back(), " needs a value");
  if (!config.empty()) {
    config_ = config;
    const auto before = arguments_of_file(config, given);
    arguments.insert(arguments.begin(), before.begin(), before.end());
  }
  std::ranges::reverse(arguments);
  return arguments;
}

// Those of --config, without the options that are also given.
std::vector<std::string> App::arguments_of_file(const std::string& path,
                                                const std::vector<const Declaration*>& given) {
  if (path == "-") throw UsageError(kConfigOption, " must be a file, not -");
  std::vector<std::string> arguments;
  for (const auto& option : read_options_file(path, name_)) {
    const auto fail = [&](const std::string& what) { throw UsageError(path, ":", option.line, ": ", what); };
    const auto* declaration = declaration_of(option.name);
    if (!declaration || declaration->text.help.empty()) {
      const std::string unknown = unknown_option(option.name).what();
      fail(unknown + (unknown.ends_with('?')
                          ? ""
                          : "; options of another tool stand below its name, such as [bert-train]"));
    } else if (declaration->name == kConfigOption) {
      fail("config can only be on the command line");
    } else if (std::ranges::find(given, declaration) != given.end()) {
      continue;
    }
    in_config_.push_back(declaration->name);
    if (!declaration->takes_value) {
      if (!option.is_switch) fail(option.name.substr(2) + " must be true or false");
      if (option.values.front() == "true") arguments.push_back(option.name);
    } else if (option.is_switch) {
      fail(option.name.substr(2) + " needs a value, not " + option.values.front());
    } else {
      for (const auto& value : option.values) {
        arguments.push_back(option.name + (value.empty() ? "" : "=" + value));
        if (value.empty()) arguments.emplace_back();
      }
    }
  }
  return arguments;
}

// "; --keep is in FILE" for those that an error names, since they are not on the command line.
std::string App::options_of_file(std::string_view message) const {
  std::vector<std::string> named;
  for (const auto& name : in_config_) {
    const size_t at = message.find(name);
    const auto rest = message.substr(std::min(at == message.npos ? at : at + name.size(), message.size()));
    const bool is_whole = at != message.npos && (rest.empty() || (rest[0] != '-' && !std::isalnum(rest[0])));
    if (is_whole) named.push_back(name);
  }
  if (named.empty()) return "";
  return "; " + listed(named, "and") + (named.size() == 1 ? " is in " : " are in ") + config_;
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

}  // namespace bert::cli
