#include "train/split_set.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "base/output_file.h"
#include "examples/labels.h"
#include "io/output.h"
#include "io/record_reader.h"
#include "train/data_report.h"

namespace bert::train {
namespace {

using examples::SplitKey;

constexpr int64_t kBlock = 64;  // records that a thread reads at a time

uint64_t hash_of(std::string_view text) {
  Checksum checksum;
  checksum.add(text);
  return checksum.value();
}

bool has_label_set(task::Task kind) {
  return kind == task::Task::classify || kind == task::Task::multilabel || kind == task::Task::tag;
}

// A thread's reader.
struct Reader {
  io::RawRecordReader records;
  std::set<std::string> labels = {};

  void add(const std::vector<std::string>& names) {
    for (const auto& name : names)
      if (!name.empty() && labels.size() < examples::LabelCounter::kMost) labels.insert(name);
  }
};

// Other bad records are left to the check that follows.
void read_key(io::RawRecord& raw, const TrainingTaskOptions& task, const std::string& group_field,
              Reader& reader, SplitKey& key) {
  bool has_group = true;
  const auto bad = reader.records.read(raw, [&](const io::Fields& fields, const io::Record&) {
    if (has_group = group_field.empty(); !has_group) key.content = hash_of(fields.label(group_field));
    has_group = true;
    if (!has_label_set(task.kind)) return;
    const auto labels = gold_labels(task, fields);
    if (!labels) return;
    reader.add(*labels);
    if (task.kind == task::Task::classify) key.label = static_cast<uint32_t>(hash_of(labels->front()));
  });
  if (bad && !has_group) throw Error(*bad);
}

struct Keys {
  std::vector<SplitKey> of_records;
  std::set<std::string> labels;
};

Keys keys_of(const examples::RecordSource& source, const TrainingTaskOptions& task,
             const std::string& group_field, Pool& pool) {
  std::deque<Reader> readers;
  for (int i = 0; i < pool.size(); ++i)
    readers.push_back({io::RawRecordReader(source.invalid_utf8(), io::OnError::skip)});
  std::vector<SplitKey> keys(source.records());
  pool.run_grid((std::ssize(keys) + kBlock - 1) / kBlock, [&](int64_t block, int thread) {
    const int64_t end = std::min<int64_t>(std::ssize(keys), (block + 1) * kBlock);
    for (int64_t i = block * kBlock; i < end;) {
      for (auto& raw : source.copy({i, end})) {
        keys[i].content = source.list_entry(i);
        read_key(raw, task, group_field, readers[thread], keys[i]);
        ++i;
      }
    }
  });
  std::set<std::string> labels;
  for (auto& reader : readers) labels.merge(reader.labels);
  return {std::move(keys), std::move(labels)};
}

}  // namespace

std::unique_ptr<examples::RecordSource> whole_of(const TrainingPlan& plan, Log& log) {
  auto stream = plan.stream;
  stream.note = nullptr;  // those of the training records
  return examples::open_records(stream, {}, log);
}

Split split_of(const TrainingOptions& options, const TrainingPlan& plan, Pool& pool, Log& log) {
  const auto& wanted = options.split;
  if (!wanted.any()) return {};
  const auto option = wanted.share ? opt::split : opt::fold;
  if (options.reads_stdin() || !io::can_read_again(options.stream.files))
    throw Error(option, " needs FILEs: a pipe can be read only once");
  const auto source = whole_of(plan, log);
  auto [keys, labels] = keys_of(*source, plan.task, wanted.group_field, pool);
  auto dev = std::make_shared<const std::vector<bool>>(examples::split(keys, wanted, options.run.seed));
  const auto held_out = std::ranges::count(*dev, true);
  if (held_out == 0 || held_out == std::ssize(*dev))
    throw Error(option, " leaves no ", held_out == 0 ? "dev set" : "training records", " of ",
                counted(std::ssize(*dev), "record", "records"));
  return {std::move(dev), std::move(labels)};
}

void write_records(const examples::RecordSource& dev, const std::string& file) {
  OutputFile out(file);
  io::RawRecordReader records(dev.invalid_utf8(), io::OnError::stop);
  for (int64_t i = 0; i < dev.records();) {
    for (auto& raw : dev.copy({i, std::min(dev.records(), i + kBlock)})) {
      if (dev.is_left_out(i++)) continue;
      io::Output lines;
      records.read(raw, [&](const io::Fields&, const io::Record& record) { lines.record(record, {}); });
      out.write(lines.written());
    }
  }
  out.commit();
}

}  // namespace bert::train
