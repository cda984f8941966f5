#include "examples/labels.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "json/json.h"

namespace bert::examples {
namespace {

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  // "01" and "-0" are names, not other spellings of 1 and 0.
  return whole && std::to_string(value) == text ? std::optional(value) : std::nullopt;
}

}  // namespace

Labels::Labels(std::vector<std::string> names) : names_(std::move(names)) {
  for (const auto& name : names_) {
    if (!ids_.emplace(name, ids_.size()).second) throw Error("label \"", name, "\" appears twice");
  }
}

std::optional<int32_t> Labels::find(const std::string& name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

int32_t Labels::id(const std::string& name) const {
  constexpr size_t kShown = 10;
  if (const auto id = find(name)) return *id;
  std::string known;
  for (size_t i = 0; i < std::min(kShown, names_.size()); ++i)
    known += (i == 0 ? "\"" : ", \"") + names_[i] + '"';
  throw Error("label \"", name, "\" is not one of ", known, names_.size() > kShown ? ", …" : "",
              did_you_mean(name, names_));
}

// The name that stands for all has the id 0.
LabelCounter::LabelCounter(const std::vector<std::string>& known)
    : Labels(known.empty() ? std::vector<std::string>{""} : known), accepts_all_(known.empty()) {}

int32_t LabelCounter::id(const std::string& name) const {
  const int32_t id = accepts_all_ ? 0 : Labels::id(name);
  const std::lock_guard lock(mutex_);
  if (counts_.size() <= kMost || counts_.contains(name)) ++counts_[name];
  return id;
}

LabelCounts LabelCounter::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void LabelRange::add(double label) {
  for (double least = least_; label < least && !least_.compare_exchange_weak(least, label);) {
  }
  for (double most = most_; label > most && !most_.compare_exchange_weak(most, label);) {
  }
}

float probability(std::string_view label, double p) {
  if (!(p >= 0 && p <= 1))
    throw Error("has ", p, " for ", json::in_quotes(label), ", expected a probability");
  return p;
}

std::vector<std::string> in_order(std::vector<std::string> names) {
  const bool integers =
      std::ranges::all_of(names, [](const auto& name) { return integer_of(name).has_value(); });
  if (integers) {
    std::ranges::sort(names, {}, [](const auto& name) { return *integer_of(name); });
  } else {
    std::ranges::sort(names);
  }
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace bert::examples
