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

// "--seed was 1 in the snapshot, 2 now"
std::string difference(const std::string& name, const std::string* then, const std::string* now) {
  return name + " was " + (then ? *then : "not set") + " in the snapshot, " + (now ? *now : "not set") +
         " now";
}

}  // namespace

void require_same(const Settings& snapshot, const Settings& now) {
  std::string differences;
  const auto add = [&](const std::string& name, const std::string* then, const std::string* present) {
    differences += (differences.empty() ? "" : "; ") + difference(name, then, present);
  };
  for (const auto& [name, value] : now) {
    const auto* then = find(snapshot, name);
    if (!then || *then != value) add(name, then, &value);
  }
  for (const auto& [name, value] : snapshot) {
    if (!find(now, name)) add(name, &value, nullptr);
  }
  if (!differences.empty()) throw Error(differences);
}

std::string setting(const model::Config& config) {
  Checksum checksum;
  checksum.add(model::config_json(config));
  return setting(config.layers) + " x " + setting(config.hidden) + " (" + std::to_string(checksum.value()) +
         ")";
}

std::string setting(const text::Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (int32_t id = 0; id < tokenizer.size(); ++id) pieces.emplace_back(tokenizer.piece(id));
  return setting(int64_t{tokenizer.size()}) + " tokens" + checksum_of(pieces);
}

std::string setting(std::span<const std::string> names) {
  constexpr size_t kShown = 10;
  if (names.size() > kShown) return setting(static_cast<int64_t>(names.size())) + checksum_of(names);
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace bert::train
