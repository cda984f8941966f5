#include "predict/sparse_filter.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "features/truncated_fields.h"
#include "heads/batches.h"
#include "heads/version.h"
#include "json/json.h"
#include "model/heads.h"
#include "nn/row_means.h"
#include "predict/vector_writer.h"

namespace bert::predict {

using model::SparsePooling;

namespace {

constexpr std::string_view kSparse = "sparse";
constexpr int64_t kRows = 64;       // tokens whose logits are held at a time
constexpr int64_t kColumns = 1024;  // words of a task

bool is_sum(SparsePooling pooling) {
  return pooling == SparsePooling::sum || pooling == SparsePooling::sum_log;
}
bool is_log(SparsePooling pooling) {
  return pooling == SparsePooling::max_log || pooling == SparsePooling::sum_log;
}

struct Weight {
  int32_t id;
  float number;
};

const model::Head* head_of(const model::Directory& directory) {
  const auto* const head = model::head_of(task::Task::fill);
  const auto heads = model::heads_in(directory.path);
  if (std::ranges::find(heads, head->name) == heads.end())
    throw Error(directory.root,
                ": has no head for masked words, whose logits the weights of words are made of");
  return head;
}

}  // namespace

struct SparseFilter::Window {
  features::Features features;
  std::vector<Weight> weights = {};  // the largest first
};

// With one window.
struct SparseFilter::Prepared : heads::Windows<Window> {
  std::vector<features::TruncatedField> cut;
};

SparseFilter::SparseFilter(const model::Directory& directory, const text::Tokenizer& tokenizer,
                           EmbedOptions options, const SparseOptions& sparse, Pool& pool, Log& log)
    : directory_(directory),
      options_(std::move(options)),
      sparse_(sparse),
      pool_(pool),
      log_(log),
      featurizer_(tokenizer, feature_options(options_, heads::prompt_of(options_.vectors.prompt, directory),
                                             directory, directory.max_length)),
      network_(directory, {.heads = {head_of(directory)}}, pool, nn::arithmetic(options_.compute.dtype)) {
  model::check_vocabulary(directory, tokenizer, log_);
  log_.info(heads::described({.model = directory.root,
                              .purpose = "weights of words",
                              .max_length = featurizer_.options().max_length,
                              .dtype = network_.dtype(),
                              .threads = pool.size()}));
}

void SparseFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto prepared = std::make_unique<Prepared>();
  auto features = featurizer_.features(fields);
  prepared->cut = cut_fields(featurizer_, fields, features, options_.drop);
  heads::require_readable(features, directory_.config);
  prepared->windows.push_back({.features = std::move(features)});
  record.work = std::move(prepared);
}

int64_t SparseFilter::cost(const io::Record& record) const { return record.work_as<Prepared>().tokens(); }

void SparseFilter::compute(std::span<io::Record* const> records) {
  std::vector<heads::Windows<Window>*> works;
  for (io::Record* record : records) works.push_back(&record->work_as<Prepared>());
  run_windows<Window>(
      works, options_.compute.batch_tokens,
      [this](const nn::Batch& batch, std::span<Window* const> windows) { run(batch, windows); });
}

// The logits of kRows tokens are held at a time, and the weights of one sequence.
void SparseFilter::run(const nn::Batch& batch, std::span<Window* const> windows) {
  std::vector<int64_t> all(batch.tokens());
  std::iota(all.begin(), all.end(), 0);
  const nn::Tensor states = network_.head_input(batch, all);
  for (int64_t row = 0; row < states.rows(); ++row) require_finite(states.values(row));
  std::vector<float> weights(directory_.config.vocab_size);
  nn::Tensor part;
  int64_t sequence = 0;
  for (int64_t from = 0; from < states.rows(); from += kRows) {
    const int64_t rows = std::min(kRows, states.rows() - from);
    part.reshape(rows, states.cols());
    for (int64_t row = 0; row < rows; ++row) std::ranges::copy(states.values(from + row), part.row(row));
    const nn::Tensor logits = network_.logits(part);
    for (int64_t begin = 0; begin < rows;) {
      const int64_t end = std::min(rows, batch.offsets[sequence + 1] - from);
      add(logits, {begin, end}, weights);
      begin = end;
      if (from + end < batch.offsets[sequence + 1]) continue;
      keep(weights, *windows[sequence++]);
      std::ranges::fill(weights, 0.0f);
    }
  }
}

// The largest logit of a word is taken first, because its weight rises with it.
void SparseFilter::add(const nn::Tensor& logits, nn::RowRange rows, std::span<float> weights) const {
  const int64_t words = std::ssize(weights);
  const bool adds = is_sum(sparse_.pooling), twice = is_log(sparse_.pooling);
  pool_.run_grid((words + kColumns - 1) / kColumns, [&](int64_t task, int) {
    const int64_t begin = task * kColumns, end = std::min(words, begin + kColumns);
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const float* const from = logits.row(row);
      for (int64_t i = begin; i < end && !adds; ++i) weights[i] = std::max(weights[i], from[i]);
      for (int64_t i = begin; i < end && adds; ++i)
        if (from[i] > 0) weights[i] += twice ? std::log1p(std::log1p(from[i])) : std::log1p(from[i]);
    }
  });
}

void SparseFilter::require_finite(std::span<const float> numbers) const {
  if (std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); })) return;
  throw Error(directory_.root, ": a weight of a word is not finite", network_.cause_of_not_finite());
}

void SparseFilter::keep(std::span<const float> weights, Window& window) const {
  auto& kept = window.weights;
  require_finite(weights);
  for (size_t id = 0; id < weights.size(); ++id)
    if (weights[id] > 0) kept.push_back({static_cast<int32_t>(id), weights[id]});
  const auto larger = [](const Weight& a, const Weight& b) {
    return a.number != b.number ? a.number > b.number : a.id < b.id;
  };
  const size_t count = std::min<size_t>(kept.size(), sparse_.most.value_or(kept.size()));
  std::ranges::partial_sort(kept, kept.begin() + static_cast<int64_t>(count), larger);
  kept.resize(count);
  for (auto& [id, number] : kept) {
    if (is_sum(sparse_.pooling)) break;
    number = std::log1p(number);
    if (is_log(sparse_.pooling)) number = std::log1p(number);
  }
}

void SparseFilter::finish(io::Record& record, io::Output& out) const {
  const auto& prepared = record.work_as<Prepared>();
  const Window& window = prepared.windows.front();
  record.truncated = window.features.truncated;
  io::Added added;
  for (const features::TruncatedField& field : prepared.cut) added.field(field.name) += field.json;
  auto& text = added.field(kSparse);
  const char* separator = "";
  text += '{';
  for (const auto& [id, number] : window.weights) {
    json::append_string(text += separator, featurizer_.tokenizer().subword(id));
    json::append_number(text += ':', number, options_.precision);
    separator = ",";
  }
  text += '}';
  if (window.features.truncated) added.boolean("truncated", true);
  out.record(record, added, options_.drop);
}

void SparseFilter::report_truncated(int64_t records) const {
  heads::report_truncated_texts(log_, records, featurizer_.options().max_length);
}

}  // namespace bert::predict
