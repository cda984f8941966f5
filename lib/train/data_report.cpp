#include "train/data_report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "io/conll.h"
#include "io/record_reader.h"
#include "train/settings.h"

namespace bert::train {

using examples::Overlap, examples::RecordDigest, examples::Repeats, examples::SameInput, examples::Trait;

namespace {

io::RawRecord raw_at(const examples::RecordSource& source, int64_t record) {
  return std::move(source.copy({record, record + 1}).front());
}

std::string place_of(const examples::RecordSource& source, int64_t record) {
  const auto raw = raw_at(source, record);
  return raw.source->name + ":" + std::to_string(raw.line);
}

// "a", or "a, b" of several.
std::optional<std::string> label_at(const TrainingTaskOptions& task, const examples::RecordSource& source,
                                    int64_t record) {
  std::optional<std::string> label;
  auto raw = raw_at(source, record);
  io::RawRecordReader reader(source.invalid_utf8(), io::OnError::stop);
  reader.read(raw, [&](const io::Fields& fields, const io::Record&) {
    if (const auto gold = gold_labels(task, fields)) label = joined(*gold);
  });
  return label;
}

// The smallest of the sorted numbers that is at least as large as this share of them.
uint32_t quantile(std::span<const uint32_t> sorted, double share) {
  const auto at = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(at, 1) - 1];
}

void add_lengths(std::span<const RecordDigest> records, metric::Report& report) {
  std::vector<uint32_t> tokens;
  for (const auto& record : records)
    if (record.input != 0) tokens.push_back(record.tokens);
  if (tokens.empty()) tokens.push_back(0);
  std::ranges::sort(tokens);
  report.count("min_tokens", tokens.front());
  report.count("median_tokens", quantile(tokens, 0.5));
  report.count("p95_tokens", quantile(tokens, 0.95));
  report.count("max_tokens", tokens.back());
}

// `overlap`: of a dev set.
void add_set(const std::string& name, const CheckedSet& set, const Repeats& repeats, const Overlap* overlap,
             metric::Report& report) {
  report.open(name);
  report.count("records", set.checked.records);
  add_lengths(set.checked.digests, report);
  report.count("truncated", set.checked.with(Trait::truncated));
  report.count("split", set.checked.with(Trait::split));
  report.count("empty", set.checked.with(Trait::empty));
  report.count("duplicates", repeats.duplicates);
  report.count("conflicting", repeats.conflicting);
  if (overlap != nullptr) {
    report.count("in_train", overlap->records);
  } else {
    report.text("in_train", std::nullopt);
  }
  report.close();
}

void add_labels(const CheckedSet& train, const CheckedSet* dev, metric::Report& report) {
  std::vector<std::string> names;
  for (const auto* set : {&train, dev})
    if (set != nullptr)
      for (const auto& [name, count] : set->labels) names.push_back(name);
  if (names.empty()) return;
  const auto count = [](const CheckedSet& set, const std::string& name) {
    const auto found = set.labels.find(name);
    return found == set.labels.end() ? 0 : found->second;
  };
  report.open("labels");
  for (const auto& name : examples::in_order(names)) {
    report.open(name);
    report.count("train", count(train, name));
    if (dev != nullptr) report.count("dev", count(*dev, name));
    report.close();
  }
  report.close();
}

// Rows of the table of records with the same input, each record once.
class SameInputs {
 public:
  SameInputs(const TrainingTaskOptions& task, metric::Report& report) : task_(task), report_(report) {}
  ~SameInputs() {
    if (!shown_.empty()) report_.close();
  }
  SameInputs(const SameInputs&) = delete;

  void add(const std::vector<SameInput>& pairs, const CheckedSet& set, const CheckedSet& earlier) {
    for (const auto& pair : pairs) {
      const auto place = place_of(set.source, pair.record);
      if (shown_.empty()) report_.open("same_input");
      if (!shown_.insert(place).second) continue;
      report_.open(place);
      report_.text("label", label_at(task_, set.source, pair.record));
      report_.text("as", place_of(earlier.source, pair.earlier));
      report_.text("its_label", label_at(task_, earlier.source, pair.earlier));
      report_.close();
    }
  }

 private:
  const TrainingTaskOptions& task_;
  metric::Report& report_;
  std::set<std::string> shown_;
};

bool has_labels(const CheckedSet& set) {
  return std::ranges::any_of(set.checked.digests,
                             [](const RecordDigest& record) { return record.label != 0; });
}

}  // namespace

std::optional<std::vector<std::string>> gold_labels(const TrainingTaskOptions& task,
                                                    const io::Fields& fields) {
  using Labels = std::vector<std::string>;
  const auto field = task.gold_field();
  if (task.soft_labels == 1) return std::nullopt;
  switch (task.kind) {
    case task::Task::classify:
    case task::Task::choose:
      return Labels{fields.label(field)};
    case task::Task::regress:
      return Labels{setting(fields.number(field))};
    case task::Task::multilabel: {
      auto labels = fields.labels(field);
      std::ranges::sort(labels);
      return labels;
    }
    case task::Task::tag:
      return io::bio_of(fields.strings(field));
    default:
      return std::nullopt;
  }
}

void LabelTally::add(const std::vector<std::string>& labels) {
  const std::lock_guard lock(mutex_);
  for (const auto& label : labels)
    if (counts_.size() < examples::LabelCounter::kMost || counts_.contains(label)) ++counts_[label];
}

void note_conflicts(const CheckedSet& set, const std::string& name, Log& log) {
  if (!has_labels(set)) return;
  const auto repeats = examples::find_repeats(set.checked.digests);
  if (repeats.conflicting == 0) return;
  const auto& first = repeats.first_conflicts.front();
  log.warn((name.empty() ? "" : name + ": ") + std::to_string(repeats.conflicting) +
           " records have the same input as others with another label, such as " +
           place_of(set.source, first.earlier) + " and " + place_of(set.source, first.record));
}

void note_dev_set(const CheckedSet& train, const CheckedSet& dev, const std::string& name, Log& log) {
  const auto empty = dev.checked.with(examples::Trait::empty);
  if (empty > 0 && has_labels(dev))
    log.warn(name + ": " + counted(empty, "record has", "records have") + " an empty text");
  note_conflicts(dev, name, log);
  const auto overlap = examples::find_overlap(dev.checked.digests, train.checked.digests);
  if (overlap.records == 0) return;
  const auto& first = overlap.first.front();
  log.warn(name + ": the input of " + std::to_string(overlap.records) + " of " +
           counted(dev.checked.records, "record is", "records is") +
           " also in the training records, such as " + place_of(dev.source, first.record) + " and " +
           place_of(train.source, first.earlier));
}

void add_tables(const TrainingTaskOptions& task, const CheckedSet& train, const CheckedSet* dev,
                metric::Report& report) {
  const auto repeats = examples::find_repeats(train.checked.digests);
  const auto dev_repeats = dev ? examples::find_repeats(dev->checked.digests) : Repeats();
  const auto overlap = dev ? examples::find_overlap(dev->checked.digests, train.checked.digests) : Overlap();
  report.open("sets");
  add_set("train", train, repeats, nullptr, report);
  if (dev != nullptr) add_set("dev", *dev, dev_repeats, &overlap, report);
  report.close();
  add_labels(train, dev, report);
  SameInputs same(task, report);
  same.add(repeats.first_conflicts, train, train);
  same.add(repeats.first, train, train);
  if (dev == nullptr) return;
  same.add(overlap.first, *dev, train);
  same.add(dev_repeats.first_conflicts, *dev, *dev);
  same.add(dev_repeats.first, *dev, *dev);
}

}  // namespace bert::train
