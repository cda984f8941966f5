#include "train/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "model/config_json.h"

namespace bert::train {
namespace {

constexpr std::string_view kTokenizer = "the tokenizer's ";
constexpr std::string_view kModelMaxLength = "the tokenizer's model_max_length";  // only without --max-length
constexpr std::string_view kModel = "the model";
constexpr std::string_view kNotSet = "not set";

std::string checksum_of(std::span<const std::string> lines) {
  Checksum checksum;
  for (const auto& line : lines) checksum.add(line + "\n");
  return " (" + std::to_string(checksum.value()) + ")";
}

const std::string* find(const Settings& settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &Settings::value_type::first);
  return found == settings.end() ? nullptr : &found->second;
}

struct Difference {
  std::string name;
  const std::string *then, *now;  // values; nullptr: not set
};

std::optional<double> real_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Older versions wrote 3e-04 for 0.0003.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const bool real = (a + b).find_first_of(".e") != std::string::npos;  // integers may have more digits
  return real && real_of(a) && real_of(a) == real_of(b);
}

std::vector<Difference> differences(const Settings& then, const Settings& now) {
  std::vector<Difference> all;
  for (const auto& [name, value] : now) {
    const auto* before = find(then, name);
    if (before ? !same_value(*before, value) : value != kNotSet) all.push_back({name, before, &value});
  }
  for (const auto& [name, value] : then) {
    if (!find(now, name) && value != kNotSet) all.push_back({name, &value, nullptr});
  }
  return all;
}

std::string text(const std::string* value) { return value ? *value : std::string(kNotSet); }

bool is_set(const std::string* value) { return value && *value != kNotSet; }

std::optional<int64_t> number_of(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool extends(const Difference& difference) {
  if (difference.name != opt::steps && difference.name != opt::epochs) return false;
  if (!difference.then || !difference.now) return false;
  const auto before = number_of(*difference.then), after = number_of(*difference.now);
  return before && after && *after > *before;
}

// Checkpoints of older versions have no settings of tokenizers, and have --on-error and the --steps of
// --epochs.
bool is_of_older_version(const Difference& difference, const Settings& then, const Settings& now) {
  const auto& [name, before, present] = difference;
  if (name.starts_with(kTokenizer)) return !before;
  if (name == opt::on_error) return !present;
  const auto* epochs = find(then, opt::epochs);
  return name == opt::steps && !is_set(present) && (!epochs || is_set(epochs)) &&
         is_set(find(now, opt::epochs));
}

// As text, to send them to other ranks: each name and value after its length.
std::string packed(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    for (const auto* part : {&name, &value})
      text.append(std::to_string(part->size())).append(1, ':').append(*part);
  return text;
}

std::string take_part(std::string_view& text) {
  const auto colon = text.find(':');
  const auto size = number_of(std::string(text.substr(0, colon)));
  if (colon == text.npos || !size || static_cast<size_t>(*size) > text.size() - colon - 1)
    throw Error("rank 0 is not at the comparison of settings: the ranks were started differently");
  std::string part(text.substr(colon + 1, *size));
  text.remove_prefix(colon + 1 + part.size());
  return part;
}

Settings unpacked(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    auto name = take_part(text);
    settings.emplace_back(std::move(name), take_part(text));
  }
  return settings;
}

// "--lr: 0.1, now 0.2"; of models also their paths, if these tell them apart.
std::string text(const Difference& difference, const Settings& then, const Settings& now) {
  std::string before = text(difference.then), present = text(difference.now);
  if (difference.name == kModel) {
    const auto *first = find(then, std::string(kModelPath)), *second = find(now, std::string(kModelPath));
    if (first && second && *first != *second && !first->empty() && !second->empty()) {
      before = *first + ", " + before;
      present = *second + ", " + present;
    }
  }
  return difference.name + ": " + before + ", now " + present;
}

}  // namespace

std::optional<std::string> require_same(const Settings& checkpoint, const Settings& now,
                                        const std::string& path) {
  std::string errors, extensions;
  for (const auto& difference : differences(checkpoint, now)) {
    const auto& [name, before, present] = difference;
    if (name == kProcesses || name == kModelPath) continue;
    if (is_of_older_version(difference, checkpoint, now)) continue;
    if (name == kModelMaxLength &&
        is_set(find(checkpoint, opt::max_length)) != is_set(find(now, opt::max_length)))
      continue;  // a consequence of --max-length, which differs
    if (extends(difference)) {
      extensions += (extensions.empty() ? "" : ", ") + name + " from " + *before + " to " + *present;
    } else {
      errors += (errors.empty() ? "" : "; ") + text(difference, checkpoint, now);
    }
  }
  if (!errors.empty())
    throw Error(path, " cannot be resumed with other settings: ", errors,
                "; use the settings of the run, or start over with ", opt::force, " instead of ",
                opt::resume);
  if (extensions.empty()) return std::nullopt;
  return extensions;
}

int64_t processes_of(const Settings& settings) {
  const auto* number = find(settings, std::string(kProcesses));
  return number ? number_of(*number).value_or(1) : 1;
}

void require_same_on_all_ranks(comm::Communicator& ranks, const Settings& settings) {
  if (ranks.alone()) return;
  const Settings first = unpacked(ranks.broadcast(packed(settings)));
  std::string errors;
  for (const auto& [name, of_first, own] : differences(first, settings)) {
    if (name == kModelPath) continue;
    errors +=
        (errors.empty() ? "" : "; ") + name + ": " + text(own) + ", but " + text(of_first) + " on rank 0";
  }
  if (!errors.empty()) throw Error(errors);
}

template <std::floating_point T>
std::string setting(T number) {
  char digits[32];
  const T size = std::abs(number);
  const bool plain = size == 0 || (size >= T(1e-4) && size < T(1e6));
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, number, format).ptr);
  const size_t e = text.find('e');
  if (e == text.npos) return text;
  // 5e-05 -> 5e-5, 1e+06 -> 1e6
  return text.substr(0, e) + (text[e + 1] == '-' ? "e-" : "e") +
         text.substr(text.find_first_not_of("+-0", e + 1));
}
template std::string setting(float);
template std::string setting(double);

void add_settings(const text::TokenizerConfig& tokenizer, std::optional<int64_t> max_length,
                  Settings& settings) {
  const auto add = [&](const char* name, std::string value) {
    settings.emplace_back(std::string(kTokenizer) + name, std::move(value));
  };
  add("do_lower_case", yes_or_no(tokenizer.lowercase));
  add("strip_accents", yes_or_no(tokenizer.strip_accents));
  add("tokenize_chinese_chars", yes_or_no(tokenizer.chinese_chars));
  add("do_basic_tokenize", yes_or_no(tokenizer.basic_tokenize));
  add("clean_text", yes_or_no(tokenizer.clean_text));
  add("max_input_chars_per_word", setting(tokenizer.max_word_chars));
  add("truncation_side", tokenizer.truncate_left ? "left" : "right");
  add("token types of pairs", yes_or_no(tokenizer.token_types));
  if (tokenizer.composition != 0) add("normalizer, scores or merges", hexadecimal(tokenizer.composition));
  if (max_length) settings.emplace_back(kModelMaxLength, setting(*max_length));
  add("special tokens",
      tokenizer.unk + " " + tokenizer.cls + " " + tokenizer.sep + " " + tokenizer.pad + " " + tokenizer.mask);
  std::vector<std::string> added;
  for (const auto& token : tokenizer.added) added.push_back(token.content);
  add("added tokens", setting(added));
}

void add_settings(const corpus::MaskRule& rule, Settings& settings) {
  settings.emplace_back(opt::mask_prob, setting(rule.probability));
  settings.emplace_back(opt::mask_rate, setting(rule.mask_rate));
  settings.emplace_back(opt::random_rate, setting(rule.random_rate));
  settings.emplace_back(opt::max_predictions, setting(rule.max_predictions));
  settings.emplace_back(opt::whole_word, yes_or_no(rule.unit == corpus::MaskRule::Unit::word));
  settings.emplace_back(opt::replace_any,
                        yes_or_no(rule.replacements == corpus::MaskRule::Replacements::every));
}

std::string joined(std::span<const std::string> names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string setting(const model::Config& config) {
  Checksum checksum;
  checksum.add(model::config_json(config));
  return setting(config.layers) + " x " + setting(config.hidden) + " (" + std::to_string(checksum.value()) +
         ")";
}

std::string setting(const text::Tokenizer& tokenizer) {
  std::vector<std::string> subwords;
  for (int32_t id = 0; id < tokenizer.size(); ++id) subwords.emplace_back(tokenizer.subword(id));
  return setting(int64_t{tokenizer.size()}) + " tokens" + checksum_of(subwords);
}

std::string setting(std::span<const std::string> names) {
  constexpr size_t kShown = 10;
  return names.size() > kShown ? setting(names.size()) + checksum_of(names) : joined(names);
}

}  // namespace bert::train
