#include "cli/options_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace bert::cli {
namespace {

constexpr std::string_view kTools[] = {"bert-convert",   "bert-embed",   "bert-fetch", "bert-mask",
                                       "bert-nsp-pairs", "bert-predict", "bert-score", "bert-search",
                                       "bert-tokenize",  "bert-train",   "bert-vocab"};
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
constexpr std::string_view kNumberCharacters = "0123456789+-.eE_abcdfinxo";  // hexadecimal and inf included

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), text_(read_file(path)), rest_(text_) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    if (rest_.starts_with('{'))
      throw OptionError(path,
                        ": is JSON, expected lines such as max-length = 128; a model's config.json is for "
                        "--model-config of bert-train");
  }

  std::vector<FileOption> options(std::string_view tool) {
    std::vector<FileOption> of_all, of_tool, of_others;
    for (auto* part = &of_all; skip_lines(), !rest_.empty(); end_line()) {
      if (take('[')) {
        part = heading() == tool ? &of_tool : &of_others;
        if (part == &of_others) part->clear();
        continue;
      }
      auto option = line();
      if (const auto same = find(*part, option.name); same != part->end())
        fail(option.name.substr(2) + " is also in line " + std::to_string(same->line));
      part->push_back(std::move(option));
    }
    std::erase_if(of_all, [&](const auto& option) { return find(of_tool, option.name) != of_tool.end(); });
    of_all.insert(of_all.end(), of_tool.begin(), of_tool.end());
    return of_all;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw OptionError(path_, ":", line_, ": ", what); }

  static std::vector<FileOption>::const_iterator find(const std::vector<FileOption>& options,
                                                      const std::string& name) {
    return std::ranges::find(options, name, &FileOption::name);
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view take_all(std::string_view characters) {
    const auto taken = rest_.substr(0, rest_.find_first_not_of(characters));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  void skip_comment() {
    take_all(" \t");
    if (rest_.starts_with('#')) rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    take('\r');
  }

  void skip_lines() {
    for (skip_comment(); take('\n'); skip_comment()) ++line_;
  }

  void end_line() {
    skip_comment();
    if (!rest_.empty() && !rest_.starts_with('\n')) fail("has more after the value: " + shown());
  }

  // The rest of the line, for messages.
  std::string shown() const {
    constexpr size_t kMost = 40;
    const auto line = rest_.substr(0, rest_.find_first_of("\r\n"));
    return std::string(line.substr(0, kMost)) + (line.size() > kMost ? "..." : "");
  }

  std::string_view heading() {
    take_all(" \t");
    const auto name = take_all(kNameCharacters);
    take_all(" \t");
    if (!take(']') || std::ranges::find(kTools, name) == std::end(kTools))
      fail("a heading must be the name of a tool, such as [bert-train]");
    return name;
  }

  FileOption line() {
    const auto before = shown();
    std::string name(take_all(kNameCharacters));
    take_all(" \t");
    if (name.empty() || !take('='))
      fail("is \"" + before + "\", expected NAME = VALUE, such as max-length = 128");
    std::ranges::replace(name, '_', '-');
    take_all(" \t");
    FileOption option = {.name = "--" + name, .line = line_};
    if (take('[')) {
      for (skip_lines(); !take(']'); skip_lines()) {
        option.values.push_back(value(option));
        skip_lines();
        if (!take(',') && !rest_.starts_with(']')) fail("has no , or ] after a value of " + name);
      }
      if (option.values.empty() || option.is_switch) fail(name + " must have strings or numbers in [ ]");
    } else {
      option.values.push_back(value(option));
    }
    return option;
  }

  std::string value(FileOption& option) {
    if (rest_.starts_with('"') || rest_.starts_with('\'')) return string();
    const auto before = shown();
    const std::string word(take_all("abcdefghijklmnopqrstuvwxyz"));
    if (word == "true" || word == "false") {
      option.is_switch = true;
      return word;
    }
    auto number = word + std::string(take_all(kNumberCharacters));
    if (number.empty() || number.find_first_of("0123456789") == number.npos)
      fail("has the value " + (before.empty() ? "\"\"" : before) +
           ", expected a string in quotes, a number, true or false");
    std::erase(number, '_');
    return number;
  }

  std::string string() {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    if (rest_.starts_with(std::string(2, quote))) fail("has a string of several lines; write it in one line");
    std::string text;
    while (!take(quote)) {
      if (rest_.empty() || rest_.starts_with('\n')) fail("has a string without its closing quote");
      if (quote == '"' && take('\\')) {
        constexpr std::pair<char, char> kEscapes[] = {{'"', '"'}, {'\\', '\\'}, {'t', '\t'}, {'n', '\n'}};
        const auto* escape = std::ranges::find_if(
            kEscapes, [this](const auto& pair) { return rest_.starts_with(pair.first); });
        if (escape == std::end(kEscapes))
          fail(R"(has \ before another character than ", \, t and n; in ' ' it stands for itself)");
        text += escape->second;
      } else {
        text += rest_.front();
      }
      rest_.remove_prefix(1);
    }
    return text;
  }

  const std::string path_;
  const std::string text_;
  std::string_view rest_;
  int64_t line_ = 1;
};

}  // namespace

std::vector<FileOption> read_options_file(const std::string& path, std::string_view tool) {
  return Reader(path).options(tool);
}

}  // namespace bert::cli
