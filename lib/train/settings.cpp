#include "train/settings.h"

#include <algorithm>

#include "base/checksum.h"
#include "base/error.h"
#include "model/config_json.h"

namespace bert::train {
namespace {

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

std::vector<Difference> differences(const Settings& then, const Settings& now) {
  std::vector<Difference> all;
  for (const auto& [name, value] : now) {
    const auto* before = find(then, name);
    if (!before || *before != value) all.push_back({name, before, &value});
  }
  for (const auto& [name, value] : then) {
    if (!find(now, name)) all.push_back({name, &value, nullptr});
  }
  return all;
}

std::string text(const std::string* value) { return value ? *value : "not set"; }

std::optional<int64_t> number_of(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool extends(const Difference& difference) {
  if (difference.name != "--steps" && difference.name != "--epochs") return false;
  if (!difference.then || !difference.now) return false;
  const auto before = number_of(*difference.then), after = number_of(*difference.now);
  return before && after && *after > *before;
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
  std::string part(text.substr(colon + 1, static_cast<size_t>(*size)));
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

}  // namespace

std::optional<std::string> require_same(const Settings& checkpoint, const Settings& now) {
  std::string errors, extensions;
  for (const auto& difference : differences(checkpoint, now)) {
    const auto& [name, before, present] = difference;
    if (name == kProcesses) continue;
    if (extends(difference)) {
      extensions += (extensions.empty() ? "" : ", ") + name + " from " + *before + " to " + *present;
    } else {
      errors += (errors.empty() ? "" : "; ") + name + " was " + text(before) + " in the checkpoint, " +
                text(present) + " now";
    }
  }
  if (!errors.empty()) throw Error(errors);
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
  for (const auto& [name, of_first, own] : differences(first, settings))
    errors +=
        (errors.empty() ? "" : "; ") + name + ": " + text(own) + ", but " + text(of_first) + " on rank 0";
  if (!errors.empty()) throw Error(errors);
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
  return names.size() > kShown ? setting(static_cast<int64_t>(names.size())) + checksum_of(names)
                               : joined(names);
}

}  // namespace bert::train
