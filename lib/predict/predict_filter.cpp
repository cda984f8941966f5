#include "predict/predict_filter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "heads/batches.h"
#include "heads/scores.h"
#include "heads/task_support.h"
#include "heads/version.h"
#include "json/json.h"
#include "nn/panels.h"

namespace bert::predict {
namespace {

constexpr int64_t kNone = -1;

features::FeatureOptions feature_options(const PredictOptions& options, const Predictor& task,
                                         const model::Directory& directory) {
  features::FeatureOptions features = options.features;
  features.max_length = heads::sequence_limit(
      options.max_length, std::min(directory.max_length, task::entry(options.task.task).max_length),
      directory.config);
  if (directory.sentence.cross_encoder) features.prompt = default_prompt_of(directory.sentence);
  features.overflow = options.overflow.value_or(task.overflow());
  if (!task.takes(features.overflow)) {
    if (features.overflow == features::Overflow::split)
      throw OptionError(opt::overflow, " split cannot be used with ", opt::task, " ",
                        name_of(options.task.task), ", which reads a text as one sequence");
    throw OptionError(opt::overflow, " ",
                      features.overflow == features::Overflow::error ? "error" : "truncate",
                      " cannot be used with ", opt::task, " ", name_of(options.task.task),
                      ", which splits long texts into windows");
  }
  if (options.overlap && !task.takes_overlap())
    throw OptionError(opt::overlap, " cannot be used with ", opt::task, " ", name_of(options.task.task),
                      "; set the step of its windows with ", opt::stride);
  if (options.overlap && features.overflow != features::Overflow::split)
    throw OptionError(opt::overlap, " needs ", opt::overflow, " split");
  // The default overlap is reduced to fit small windows, so that users who did not ask for windows get no
  // error about it.
  if (options.overlap) {
    features.overlap = *options.overlap;
  } else if (!options.overflow) {
    features.overlap = features::usual_overlap(features.max_length);
  }
  task.adapt(features);
  return features;
}

PredictOptions resolved(PredictOptions options, const model::Directory& directory) {
  options.task.task = heads::task_for(options.task.task, directory);
  return options;
}

std::vector<features::TruncatedField> cut_of(const io::Fields& fields, std::span<const Window> windows,
                                             const io::DropList& dropped) {
  std::vector<const features::Features*> sequences;
  for (const Window& window : windows) sequences.push_back(&window.features);
  return features::truncated_fields(fields, sequences, dropped);
}

// What an earlier run may have added beside its prediction, whatever its task was. Other software, too, has
// fields such as `score`: those of answer are known by null_score. Ids may have been truncated before.
std::vector<std::string_view> stale_fields(const io::Fields& fields, bool of_ids) {
  if (!fields.has("prediction")) return {};
  std::vector<std::string_view> names = {"candidates", "scores", "entities"};
  if (fields.has("null_score"))
    for (const auto* name : {"start", "end", "score", "null_score", "n_best"}) names.emplace_back(name);
  if (!of_ids) names.emplace_back("truncated");
  return names;
}

// The tasks that have a format of their own.
std::string_view tasks_of(io::Format format) {
  if (format == io::Format::squad) return "answer";
  return format == io::Format::conll ? "tag" : "tag or answer";
}

// The official form uses strings as question ids.
std::string id_of(const io::Fields& fields) {
  const auto id = fields.json("id");
  if (id && id->kind() == json::Value::Kind::number) return std::to_string(id->integer());
  return std::string(fields.required_text("id"));
}

}  // namespace

PredictFilter::PredictFilter(const model::Directory& directory, const text::Tokenizer& tokenizer,
                             PredictOptions options, Pool& pool, Log& log)
    : directory_(directory),
      tokenizer_(tokenizer),
      options_(resolved(std::move(options), directory)),
      pool_(pool),
      log_(log),
      task_(make_predictor(options_.task, directory.config, tokenizer)),
      featurizer_(tokenizer, feature_options(options_, *task_, directory)),
      network_(directory, {.heads = {model::head_of(options_.task.task)}}, pool,
               model::arithmetic(directory.config, options_.dtype)) {
  model::check_vocabulary(directory, tokenizer, log_);
  model::check_labels(directory, log_);
  if (options_.task.task == task::Task::tag)
    heads::check_context(directory.root, directory.config, options_.features, log_);
  const auto& format = io::entry(options_.format);
  const auto own = task_->own_formats();
  if (format.group == io::FormatGroup::own && std::ranges::find(own, format.format) == own.end())
    throw OptionError(opt::format, " ", format.name, " requires ", opt::task, " ", tasks_of(format.format));
  const auto width = task_->row_width();
  if (format.is_array() && !width)
    throw OptionError(opt::task, " ", name_of(options_.task.task), " has no numbers to write as rows; use ",
                      opt::format, " jsonl, tsv or csv");
  row_width_ = width.value_or(0);
  const auto& prompt = featurizer_.options().prompt;
  log_.info(heads::described({.model = directory.root,
                              .purpose = "task " + std::string(name_of(options_.task.task)) +
                                         (prompt.empty() ? "" : ", prompt \"" + prompt + "\""),
                              .max_length = featurizer_.options().max_length,
                              .dtype = network_.dtype(),
                              .threads = pool.size()}));
}

void PredictFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto reading = task_->read(fields, featurizer_);
  for (const Window& window : reading->windows) heads::require_readable(window.features, directory_.config);
  using Origin = features::ForeignTexts::Origin;
  const auto origin = reading->of_ids ? Origin::ids : Origin::text;
  if (!reading->windows.empty()) foreign_.add(reading->windows.front().features.ids, origin);
  foreign_.add(fields, record, featurizer_.options().text_field, featurizer_.options().pair_field, origin);
  if (options_.format == io::Format::squad) reading->id = id_of(fields);
  if (options_.format == io::Format::conll && fields.json("tags"))
    for (const auto tag : fields.strings("tags")) reading->tags.emplace_back(tag);
  if (reading->truncated && reading->of_ids) reading->cut = cut_of(fields, reading->windows, options_.drop);
  reading->stale = stale_fields(fields, reading->of_ids);
  record.work = std::move(reading);
}

int64_t PredictFilter::cost(const io::Record& record) const {
  int64_t tokens = 0;
  for (const Window& window : record.work_as<Reading>().windows) {
    const auto passes = task_->masks_tokens() ? window.predicted.size() : 1;
    tokens += passes * window.features.ids.size();
  }
  return tokens;
}

std::vector<PredictFilter::Pass> PredictFilter::passes_of(std::span<Reading* const> readings) const {
  std::vector<Pass> passes;
  for (Reading* const reading : readings) {
    for (Window& window : reading->windows) {
      if (!task_->masks_tokens()) passes.push_back({&window, kNone});
      for (size_t i = 0; task_->masks_tokens() && i < window.predicted.size(); ++i)
        passes.push_back({&window, window.predicted[i]});
    }
  }
  return passes;
}

void PredictFilter::compute(std::span<io::Record* const> records) {
  if (row_width_ == 0) row_width_ = records.front()->work_as<Reading>().choices;
  if (options_.format == io::Format::squad)
    for (io::Record* const record : records) {
      auto& reading = record->work_as<Reading>();
      reading.repeats_id = !ids_.insert(reading.id).second;
    }
  std::vector<Reading*> readings;
  for (const io::Record* const record : records) readings.push_back(&record->work_as<Reading>());
  compute(readings);
}

void PredictFilter::compute(std::span<Reading* const> readings) {
  const auto passes = passes_of(readings);
  features::Features masked;
  const auto sequence = [&](size_t i) -> const features::Features& {
    const features::Features& features = passes[i].window->features;
    if (passes[i].masked == kNone) return features;
    masked.ids = features.ids;
    masked.types = features.types;
    masked.ids[passes[i].masked] = tokenizer_.mask();
    return masked;
  };
  heads::run_in_batches(passes.size(), sequence, options_.batch_tokens,
                        [&](const nn::Batch& batch, size_t first) {
                          run(batch, std::span(passes).subspan(first, batch.sequences()));
                        });
}

std::vector<float> PredictFilter::rank(std::span<const Pair> pairs) {
  std::vector<Reading> readings(pairs.size());
  std::vector<Reading*> all;
  for (size_t i = 0; i < pairs.size(); ++i) {
    all.push_back(&readings[i]);
    bool truncated = false;
    for (auto& features : featurizer_.windows(pairs[i].first, pairs[i].second)) {
      heads::require_readable(features, directory_.config);
      truncated |= features.truncated;
      readings[i].windows.push_back({.features = std::move(features), .rows = {}});
    }
    if (truncated) ++truncated_pairs_;
  }
  compute(all);
  std::vector<float> scores;
  try {
    for (const auto& reading : readings) scores.push_back(task_->numbers(reading).front());
  } catch (const heads::NotFinite& error) {
    throw Error(error.what(), network_.cause_of_not_finite());
  }
  return scores;
}

void PredictFilter::run(const nn::Batch& batch, std::span<const Pass> passes) {
  std::vector<int64_t> rows;      // rows of the batch's tokens that the head reads
  std::vector<int64_t> counts;    // how many of them belong to each pass
  std::vector<int32_t> subwords;  // original ids at the task's positions
  for (size_t i = 0; i < passes.size(); ++i) {
    const auto& [window, masked] = passes[i];
    const size_t before = rows.size();
    if (masked == kNone) {
      task_->positions(*window, rows);
    } else {
      rows.push_back(masked);
    }
    for (size_t r = before; r < rows.size(); ++r) {
      subwords.push_back(window->features.ids[rows[r]]);
      rows[r] += batch.offsets[i] - (task_->reads_before() ? 1 : 0);
    }
    counts.push_back(rows.size() - before);
  }
  if (rows.empty()) return;
  const auto hidden = network_.head_input(batch, std::move(rows));
  auto answers = task_->compute(network_, pool_, hidden, subwords);
  if (options_.keeps_vectors) keep_vectors(hidden, counts, passes);
  auto next = std::make_move_iterator(answers.begin());
  for (size_t i = 0; i < passes.size(); ++i) {
    auto& window_rows = passes[i].window->rows;
    window_rows.insert(window_rows.end(), next, next + counts[i]);
    next += counts[i];
  }
}

void PredictFilter::keep_vectors(const nn::Tensor& hidden, std::span<const int64_t> counts,
                                 std::span<const Pass> passes) {
  int64_t row = 0;
  for (size_t i = 0; i < passes.size(); ++i) {
    auto& vector = passes[i].window->vector;
    vector.assign(hidden.cols(), 0);
    for (const int64_t end = row + counts[i]; row < end; ++row)
      for (int64_t h = 0; h < hidden.cols(); ++h)
        vector[h] += hidden.row(row)[h] / static_cast<float>(counts[i]);
  }
}

bool PredictFilter::is_empty(const io::Record& record) {
  const auto& windows = record.work_as<Reading>().windows;
  return windows.empty() || features::is_empty(windows.front().features);
}

double PredictFilter::uncertainty(const io::Record& record) const {
  try {
    return task_->uncertainty(record.work_as<Reading>()).value();
  } catch (const heads::NotFinite& error) {
    throw Error(error.what(), network_.cause_of_not_finite());
  }
}

std::vector<float> PredictFilter::vector(const io::Record& record) const {
  const auto& windows = record.work_as<Reading>().windows;
  std::vector<float> mean(windows.front().vector.size());
  for (const Window& window : windows)
    for (size_t h = 0; h < mean.size(); ++h) mean[h] += window.vector[h] / static_cast<float>(windows.size());
  return mean;
}

void PredictFilter::finish(io::Record& record, io::Output& out) const {
  try {
    write(record, out);
  } catch (const heads::NotFinite& error) {
    throw Error(error.what(), network_.cause_of_not_finite());
  }
}

void PredictFilter::write(io::Record& record, io::Output& out) const {
  const Reading& reading = record.work_as<Reading>();
  record.truncated = reading.truncated;
  if (options_.format == io::Format::squad) {
    if (reading.repeats_id)
      throw Error("id ", json::in_quotes(reading.id), " is also that of an earlier record, and an object of ",
                  "answers by id has room for one");
    const auto answer = task_->official(reading, record);
    std::string& text = out.text();
    json::append_string(text, reading.id);
    json::append_string(text += ": ", answer);
  } else if (options_.format == io::Format::conll) {
    out.text() += task_->official(reading, record);
  } else if (options_.format == io::Format::html) {
    io::append_html(out.text(), task_->marked(reading));
  } else if (options_.format == io::Format::text) {
    io::append_text(out.text(), task_->marked(reading),
                    options_.colored ? io::Colored::yes : io::Colored::no);
  } else if (io::entry(options_.format).is_array()) {
    write_row(reading, out);
  } else {
    io::Added added;
    for (const features::TruncatedField& field : reading.cut) added.field(field.name) += field.json;
    task_->answer(reading, added);
    if (record.truncated) added.boolean("truncated", true);
    out.record(record, added,
               reading.stale.empty() ? options_.drop : io::with_stale(options_.drop, reading.stale, added));
  }
  record.work.reset();
}

void PredictFilter::write_row(const Reading& reading, io::Output& out) const {
  const auto numbers = task_->numbers(reading);
  if (numbers.size() != row_width_)
    throw Error("has ", numbers.size(), " choices, the first record has ", row_width_,
                "; rows must have the same length");
  out.row(numbers);
}

void PredictFilter::report(Log& log) const {
  task_->report(log);
  foreign_.report(log);
}

void PredictFilter::report_truncated(int64_t records) const {
  task_->report_truncated(log_, records, featurizer_.options().max_length);
}

}  // namespace bert::predict
