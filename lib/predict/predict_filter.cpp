#include "predict/predict_filter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "json/json.h"
#include "nn/panels.h"
#include "predict/batches.h"
#include "predict/fit.h"
#include "predict/scores.h"
#include "predict/version.h"

namespace bert::predict {
namespace {

constexpr int64_t kNone = -1;

features::FeatureOptions feature_options(const PredictOptions& options, const Predictor& task,
                                         const model::Directory& directory) {
  features::FeatureOptions features = options.features;
  features.max_length = sequence_limit(
      features.max_length, std::min(directory.max_length, task::entry(options.task.task).max_length),
      directory.config);
  if (directory.sentence.cross_encoder) features.prompt = default_prompt_of(directory.sentence);
  features.overflow = options.overflow.value_or(task.overflow());
  if (!task.takes(features.overflow)) {
    if (features.overflow == features::Overflow::split)
      throw OptionError("--overflow split cannot be used with --task ", name_of(options.task.task),
                        ", which reads a text as one sequence");
    throw OptionError("--overflow ", features.overflow == features::Overflow::error ? "error" : "truncate",
                      " cannot be used with --task ", name_of(options.task.task),
                      ", which splits long texts into windows");
  }
  if (options.overlap && !task.takes_overlap())
    throw OptionError("--overlap cannot be used with --task ", name_of(options.task.task),
                      "; set the step of its windows with --stride");
  if (options.overlap && features.overflow != features::Overflow::split)
    throw OptionError("--overlap needs --overflow split");
  // The default overlap is reduced to fit small windows, so that users who did not ask for windows get no
  // error about it.
  if (options.overlap) {
    features.overlap = *options.overlap;
  } else if (!options.overflow) {
    features.overlap = features::usual_overlap(*features.max_length);
  }
  task.adapt(features);
  return features;
}

PredictOptions resolved(PredictOptions options, const model::Directory& directory) {
  options.task.task = task_for(options.task.task, directory);
  return options;
}

std::vector<features::TruncatedField> cut_of(const io::Fields& fields, std::span<const Window> windows,
                                             const io::DropList& dropped) {
  std::vector<const features::Features*> sequences;
  for (const Window& window : windows) sequences.push_back(&window.features);
  return features::truncated_fields(fields, sequences, dropped);
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
      network_(directory, task_->needs(), pool, nn::arithmetic(options_.dtype)),
      writer_(options_.drop) {
  model::check_vocabulary(directory, tokenizer, log_);
  model::check_labels(directory, log_);
  if (options_.official != Official::none && options_.official != task_->official_form())
    throw OptionError(options_.official == Official::squad ? "--format squad requires --task answer"
                                                           : "--format conll requires --task tag");
  const auto width = task_->row_width();
  if (options_.rows && !width)
    throw OptionError("--task ", name_of(options_.task.task),
                      " has no numbers to write as rows; use --format jsonl, tsv or csv");
  row_width_ = width.value_or(0);
  const auto& prompt = featurizer_.options().prompt;
  log_.info(described({.model = directory.root,
                       .purpose = "task " + std::string(name_of(options_.task.task)) +
                                  (prompt.empty() ? "" : ", prompt \"" + prompt + "\""),
                       .max_length = *featurizer_.options().max_length,
                       .dtype = options_.dtype,
                       .threads = pool.size()}));
}

void PredictFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto reading = task_->read(fields, featurizer_);
  for (const Window& window : reading->windows) require_readable(window.features, directory_.config);
  if (options_.official == Official::squad) reading->id = id_of(fields);
  if (options_.official == Official::conll && fields.json("tags"))
    for (const auto tag : fields.strings("tags")) reading->tags.emplace_back(tag);
  if (reading->truncated && reading->of_ids) reading->cut = cut_of(fields, reading->windows, options_.drop);
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

std::vector<PredictFilter::Pass> PredictFilter::passes_of(std::span<io::Record* const> records) const {
  std::vector<Pass> passes;
  for (const io::Record* record : records) {
    for (Window& window : record->work_as<Reading>().windows) {
      if (!task_->masks_tokens()) passes.push_back({&window, kNone});
      for (size_t i = 0; task_->masks_tokens() && i < window.predicted.size(); ++i)
        passes.push_back({&window, window.predicted[i]});
    }
  }
  return passes;
}

void PredictFilter::compute(std::span<io::Record* const> records) {
  if (row_width_ == 0) row_width_ = records.front()->work_as<Reading>().choices;
  const auto passes = passes_of(records);
  features::Features masked;
  const auto sequence = [&](size_t i) -> const features::Features& {
    const features::Features& features = passes[i].window->features;
    if (passes[i].masked == kNone) return features;
    masked.ids = features.ids;
    masked.types = features.types;
    masked.ids[passes[i].masked] = tokenizer_.mask();
    return masked;
  };
  run_in_batches(passes.size(), sequence, options_.batch_tokens, [&](const nn::Batch& batch, size_t first) {
    run(batch, std::span(passes).subspan(first, batch.sequences()));
  });
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
  auto next = std::make_move_iterator(answers.begin());
  for (size_t i = 0; i < passes.size(); ++i) {
    auto& window_rows = passes[i].window->rows;
    window_rows.insert(window_rows.end(), next, next + counts[i]);
    next += counts[i];
  }
}

void PredictFilter::finish(io::Record& record, std::string& out) const {
  try {
    write(record, out);
  } catch (const NotFinite& error) {
    throw Error(error.what(), network_.cause_of_not_finite());
  }
}

void PredictFilter::write(io::Record& record, std::string& out) const {
  const Reading& reading = record.work_as<Reading>();
  record.truncated = reading.truncated;
  if (options_.official != Official::none) {
    write_official(reading, out);
    record.work.reset();
    return;
  }
  if (options_.rows) {
    write_row(reading, out);
    record.work.reset();
    return;
  }
  io::Added added;
  for (const features::TruncatedField& field : reading.cut) added.field(field.name) += field.json;
  task_->answer(reading, added);
  if (record.truncated) added.field("truncated") += "true";
  writer_.write(record, added, out);
  record.work.reset();
}

io::ArrayWriter PredictFilter::rows() const { return io::ArrayWriter(*options_.rows, row_width_); }

void PredictFilter::write_row(const Reading& reading, std::string& out) const {
  const auto numbers = task_->numbers(reading);
  if (numbers.size() != row_width_)
    throw Error("has ", numbers.size(), " choices, the first record has ", row_width_,
                "; rows must have the same length");
  rows().row(numbers, out);
}

void PredictFilter::write_official(const Reading& reading, std::string& out) const {
  const auto prediction = task_->official(reading);
  if (options_.official == Official::conll) {
    out += prediction;
    return;
  }
  json::append_string(out, reading.id);
  json::append_string(out += ": ", prediction);
}

void PredictFilter::begin(std::string& out) {
  if (options_.official == Official::squad) out += '{';
  if (options_.rows) rows().begin(out);
}

void PredictFilter::patch(OutputFile& output) {
  if (options_.rows) rows().patch(output);
}

std::string_view PredictFilter::separator() const {
  return options_.official == Official::squad ? ",\n " : "";
}

bool PredictFilter::release(Ending, std::string& out) {
  if (options_.official != Official::squad || closed_) return false;
  out += "}\n";
  return closed_ = true;
}

void PredictFilter::report_truncated(int64_t records) const {
  task_->report_truncated(log_, records, *featurizer_.options().max_length);
}

}  // namespace bert::predict
