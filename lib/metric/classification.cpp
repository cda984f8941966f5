#include "metric/classification.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "json/json.h"

namespace bert::metric {
namespace {

std::vector<std::string_view> as_set(std::span<const std::string_view> labels) {
  std::vector<std::string_view> set(labels.begin(), labels.end());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

// In lower case, without spaces.
std::string folded(std::string_view name) {
  std::string text = lower_case(name);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

std::optional<int64_t> integer_of(const std::string& text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// A list as Python prints it, in one text.
bool is_python_list(const std::string& label) {
  constexpr std::string_view kMarks[] = {"['", "']", "[\"", "\"]"};
  return label == "[]" ||
         std::ranges::any_of(kMarks, [&](auto mark) { return label.find(mark) != label.npos; });
}

}  // namespace

Counts& LabelCounts::of(std::string_view label) {
  const auto [i, is_new] = labels_.add(label);
  if (is_new) counts_.emplace_back();
  return counts_[i];
}

Counts LabelCounts::at(std::string_view label) const {
  const auto i = labels_.find(label);
  return i ? counts_[*i] : Counts();
}

std::vector<std::string> LabelCounts::names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < labels_.size(); ++i) names.emplace_back(labels_.at(i));
  return names;
}

CountTable LabelCounts::table() const {
  auto names = this->names();
  sort_labels(names);
  CountTable table;
  for (const auto& name : names) table.emplace_back(name, at(name));
  return table;
}

Counts LabelCounts::all() const {
  Counts all;
  for (const Counts& counts : counts_) all += counts;
  return all;
}

double LabelCounts::macro_f1() const {
  double sum = 0;
  for (const Counts& counts : counts_) sum += counts.f1();
  return counts_.empty() ? 0 : sum / counts_.size();
}

bool LabelCounts::disjoint() const {
  const auto is_gold = [](const Counts& counts) { return counts.gold > 0; };
  const auto is_predicted = [](const Counts& counts) { return counts.predicted > 0; };
  return std::ranges::any_of(counts_, is_gold) && std::ranges::any_of(counts_, is_predicted) &&
         std::ranges::none_of(counts_,
                              [](const auto& counts) { return counts.gold > 0 && counts.predicted > 0; });
}

void Classification::add(std::string_view gold, std::string_view predicted, int64_t times) {
  count_ += times;
  counts_.of(gold).gold += times;
  counts_.of(predicted).predicted += times;
  pairs_[{*counts_.labels().find(gold), *counts_.labels().find(predicted)}] += times;
  if (gold != predicted) return;
  hits_ += times;
  counts_.of(gold).both += times;
}

// For c correct predictions among s examples, where label k is t_k times the gold label and p_k times
// predicted:
//
//   (c s - Σ t_k p_k) / √((s² - Σ p_k²) (s² - Σ t_k²))
double Classification::matthews() const {
  const auto s = static_cast<double>(count_), c = static_cast<double>(hits_);
  double tp = 0, pp = 0, tt = 0;
  for (const auto& counts : counts_.counts()) {
    const auto t = static_cast<double>(counts.gold), p = static_cast<double>(counts.predicted);
    tp += t * p;
    pp += p * p;
    tt += t * t;
  }
  const double variances = (s * s - pp) * (s * s - tt);
  return variances == 0 ? 0 : (c * s - tp) / std::sqrt(variances);
}

int64_t Classification::gold_labels() const {
  return std::ranges::count_if(counts_.counts(), [](const auto& counts) { return counts.gold > 0; });
}

void sort_labels(std::vector<std::string>& labels) {
  const bool integers =
      std::ranges::all_of(labels, [](const auto& label) { return integer_of(label).has_value(); });
  std::ranges::sort(labels, [&](const std::string& a, const std::string& b) {
    return integers ? *integer_of(a) < *integer_of(b) : a < b;
  });
}

std::vector<std::string> sorted_labels(const Classification& score) {
  auto labels = score.labels();
  sort_labels(labels);
  return labels;
}

std::vector<std::string> spelling_notes(std::span<const std::string> labels) {
  constexpr std::string_view kSpaces = " \t";
  std::map<std::string, std::string> seen;
  std::vector<std::string> notes;
  for (const auto& name : labels) {
    const auto [other, is_new] = seen.emplace(folded(name), name);
    const auto shown = json::in_quotes(name);
    if (!is_new) {
      notes.push_back("labels " + json::in_quotes(other->second) + " and " + shown +
                      " differ only in case or spaces; they are different classes");
    } else if (!name.empty() &&
               (kSpaces.find(name.front()) != kSpaces.npos || kSpaces.find(name.back()) != kSpaces.npos)) {
      notes.push_back("label " + shown + " has a space at its " +
                      (kSpaces.find(name.front()) != kSpaces.npos ? "beginning" : "end"));
    }
  }
  constexpr size_t kShown = 20;
  if (notes.size() > kShown) {
    notes[kShown] = std::to_string(notes.size() - kShown) + " more labels like these";
    notes.resize(kShown + 1);
  }
  return notes;
}

std::string brackets_note(std::span<const std::string> labels) {
  const auto found = std::ranges::find_if(labels, is_python_list);
  if (found == labels.end()) return "";
  return "label " + json::in_quotes(*found) +
         " is a class, but looks like a list in Python: a label alone has no "
         "brackets, several labels are for " +
         opt::task + " multilabel";
}

std::string list_note(std::span<const std::string> labels) {
  const auto is_list = [](const std::string& label) {
    return is_python_list(label) || label.find_first_of("|;") != label.npos || label.find("><") != label.npos;
  };
  const auto found = std::ranges::find_if(labels, is_list);
  if (found == labels.end()) return "";
  return "label " + json::in_quotes(*found) +
         " is probably several; labels are separated by commas, or a JSON array";
}

std::string missing_note(std::span<const std::string> labels) {
  std::vector<std::string> missing;
  for (const auto& label : labels)
    if (is_missing_value(label)) missing.push_back(json::in_quotes(label));
  if (missing.empty()) return "";
  const bool one = missing.size() == 1;
  return (one ? "label " : "labels ") + listed(missing, "and") + (one ? " is a class" : " are classes") +
         ": if records with " + (one ? "it" : "them") + " have no label, leave them out";
}

std::string kinds_note(std::span<const std::string> labels) {
  constexpr size_t kSeveral = 2;
  std::map<double, std::string> numbers;
  std::vector<std::string> names;
  for (const auto& label : labels) {
    const auto number = number_of(label);
    if (!number && !is_missing_value(label)) names.push_back(label);
    if (!number) continue;
    const auto [other, is_new] = numbers.emplace(*number, label);
    if (!is_new)
      return "labels " + json::in_quotes(other->second) + " and " + json::in_quotes(label) +
             " are the same number; they are different classes";
  }
  if (numbers.size() < kSeveral || names.size() < kSeveral) return "";
  return "some labels are numbers, such as " + json::in_quotes(numbers.begin()->second) +
         ", and some are names, such as " + json::in_quotes(names.front()) +
         ": do different records name the same classes differently?";
}

std::string highest_label(std::vector<std::string> labels) {
  sort_labels(labels);
  return labels.empty() ? std::string() : labels.back();
}

void Multilabel::add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted) {
  const auto gold_set = as_set(gold), predicted_set = as_set(predicted);
  Counts own = {.gold = std::ssize(gold_set), .predicted = std::ssize(predicted_set)};
  for (const auto label : gold_set) ++counts_.of(label).gold;
  for (const auto label : predicted_set) {
    auto& counts = counts_.of(label);
    ++counts.predicted;
    if (!std::binary_search(gold_set.begin(), gold_set.end(), label)) continue;
    ++counts.both;
    ++own.both;
  }
  sums_.precision += own.precision();
  sums_.recall += own.recall();
  sums_.f1 += own.f1();
  sums_.without_gold += own.gold == 0;
  sums_.without_predicted += own.predicted == 0;
  ++count_;
  if (gold_set == predicted_set) ++hits_;
}

void Calibration::add(double confidence, bool correct) {
  const int b = std::clamp(static_cast<int>(std::ceil(confidence * kBins)) - 1, 0, kBins - 1);
  Bin& bin = bins_[b];
  ++bin.count;
  bin.correct += correct;
  bin.confidence += confidence;
  ++count_;
}

double Calibration::error() const {
  double sum = 0;
  for (const Bin& bin : bins_) sum += std::abs(bin.correct - bin.confidence);
  return sum / count_;
}

}  // namespace bert::metric
