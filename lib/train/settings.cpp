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

std::string difference(const std::string& name, const std::string* then, const std::string* now) {
  return name + " was " + (then ? *then : "not set") + " in the checkpoint, " + (now ? *now : "not set") +
         " now";
}

std::optional<int64_t> number_of(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool extends(const std::string& name, const std::string& then, const std::string& now) {
  if (name != "--steps" && name != "--epochs") return false;
  const auto before = number_of(then), after = number_of(now);
  return before && after && *after > *before;
}

}  // namespace

std::optional<std::string> require_same(const Settings& checkpoint, const Settings& now) {
  std::string differences, extensions;
  const auto add = [&](const std::string& name, const std::string* then, const std::string* present) {
    differences += (differences.empty() ? "" : "; ") + difference(name, then, present);
  };
  for (const auto& [name, value] : now) {
    const auto* then = find(checkpoint, name);
    if (then && extends(name, *then, value)) {
      extensions += (extensions.empty() ? "" : ", ") + name + " from " + *then + " to " + value;
    } else if (!then || *then != value) {
      add(name, then, &value);
    }
  }
  for (const auto& [name, value] : checkpoint) {
    if (!find(now, name)) add(name, &value, nullptr);
  }
  if (!differences.empty()) throw Error(differences);
  if (extensions.empty()) return std::nullopt;
  return extensions;
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
