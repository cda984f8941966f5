#include "predict/sparse_filter.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "features/truncated_fields.h"
#include "heads/batches.h"
#include "heads/late_texts.h"
#include "heads/version.h"
#include "json/json.h"
#include "model/fingerprint.h"
#include "model/heads.h"
#include "nn/row_means.h"
#include "predict/vector_writer.h"

namespace bert::predict {

namespace {

constexpr int64_t kRows = 64;       // tokens whose logits are held at a time
constexpr int64_t kColumns = 1024;  // words of a task

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
      table_(is_query() ? std::optional(model::read_query_table(directory.sentence.query_table))
                        : std::nullopt),
      network_(table_ ? nullptr : open_network()),
      featurizer_(table_ ? table_->tokenizer : tokenizer, feature_options()) {
  if (!sparse_.pooling) sparse_.pooling = directory.sentence.sparse;
  options_.drop = heads::with_vector_model(std::move(options_.drop));
  weights_model_ = model_of_weights(tokenizer).text();
  if (table_) {
    log_.info("model " + directory.root + ", weights of queries from " + directory.sentence.query_table);
    return;
  }
  model::check_vocabulary(directory, tokenizer, log_);
  log_.info(heads::described({.model = directory.root,
                              .purpose = "weights of words",
                              .max_length = featurizer_.options().max_length,
                              .dtype = network_->dtype(),
                              .threads = pool.size()}));
}

heads::VectorModel SparseFilter::model_of_weights(const text::Tokenizer& tokenizer) const {
  const auto asked = table_ ? std::nullopt : options_.max_length;
  return {.name = heads::name_of_model(directory_.root),
          .fingerprint = hexadecimal(
              model::fingerprint(directory_, tokenizer, {.heads = {model::head_of(task::Task::fill)}})),
          .pooling = std::string(name_of(sparse_.pooling.value_or(model::SparsePooling::max))),
          .max_length = heads::sequence_limit(asked, directory_.max_length, directory_.config),
          .prompt = ""};
}

bool SparseFilter::is_query() const {
  return !sparse_.pooling && !directory_.sentence.query_table.empty() &&
         heads::side_of(options_.vectors.prompt) == heads::Side::query;
}

std::unique_ptr<model::Network> SparseFilter::open_network() const {
  if (!sparse_.pooling && !directory_.sentence.sparse)
    throw Error(directory_.root,
                ": is no SparseEncoder, so it does not say how to make weights, as bert-embed ", opt::sparse,
                " max does");
  return std::make_unique<model::Network>(directory_, model::Needs{.heads = {head_of(directory_)}}, pool_,
                                          model::arithmetic(directory_.config, options_.compute.dtype));
}

// Queries of a table get no special tokens, and ids have some.
features::FeatureOptions SparseFilter::feature_options() const {
  auto prompt = heads::prompt_of(options_.vectors.prompt, directory_);
  if (!table_)
    return predict::feature_options(options_, std::move(prompt), directory_, directory_.max_length);
  auto features = options_.features;
  features.take_ids = features::TakeIds::never;
  features.specials = false;
  features.max_length = options_.max_length.value_or(table_->max_length.value_or(features::kNoLimit));
  features.prompt = std::move(prompt);
  return features;
}

std::unique_ptr<io::Work> SparseFilter::read(const io::Fields& fields) const {
  auto prepared = std::make_unique<Prepared>();
  auto features = featurizer_.features(fields);
  prepared->cut = cut_fields(featurizer_, fields, features, options_.drop);
  if (!table_) heads::require_readable(features, directory_.config);
  prepared->windows.push_back({.features = std::move(features)});
  return prepared;
}

// At least 1, since records that cost nothing are not computed.
int64_t SparseFilter::cost_of(const io::Work& text) const {
  return std::max<int64_t>(1, static_cast<const Prepared&>(text).tokens());
}

bool SparseFilter::truncated(const io::Work& text) const {
  return static_cast<const Prepared&>(text).windows.front().features.truncated;
}

void SparseFilter::compute(std::span<io::Record* const> records) {
  std::vector<io::Work*> works;
  for (io::Record* record : records) works.push_back(record->work.get());
  compute(works);
}

void SparseFilter::compute(std::span<io::Work* const> texts) {
  std::vector<heads::Windows<Window>*> works;
  for (io::Work* text : texts) works.push_back(&static_cast<Prepared&>(*text));
  if (table_) {
    pool_.run_grid(works.size(), [&](int64_t i, int) { look_up(works[i]->windows.front()); });
    return;
  }
  run_windows<Window>(
      works, options_.compute.batch_tokens,
      [this](const nn::Batch& batch, std::span<Window* const> windows) { run(batch, windows); });
}

// The logits of kRows tokens are held at a time, and the weights of one sequence.
void SparseFilter::run(const nn::Batch& batch, std::span<Window* const> windows) {
  std::vector<int64_t> all(batch.tokens());
  std::iota(all.begin(), all.end(), 0);
  const nn::Tensor states = network_->head_input(batch, all);
  for (int64_t row = 0; row < states.rows(); ++row) require_finite(states.values(row));
  std::vector<float> weights(directory_.config.vocab_size);
  nn::Tensor part;
  int64_t sequence = 0;
  for (int64_t from = 0; from < states.rows(); from += kRows) {
    const int64_t rows = std::min(kRows, states.rows() - from);
    part.reshape(rows, states.cols());
    for (int64_t row = 0; row < rows; ++row) std::ranges::copy(states.values(from + row), part.row(row));
    const nn::Tensor logits = network_->logits(part);
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
  const bool adds = model::is_sum(*sparse_.pooling), twice = model::is_log(*sparse_.pooling);
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
  throw Error(directory_.root, ": a weight of a word is not finite", network_->cause_of_not_finite());
}

void SparseFilter::keep(std::span<const float> weights, Window& window) const {
  auto& kept = window.weights;
  require_finite(weights);
  for (size_t id = 0; id < weights.size(); ++id)
    if (weights[id] > 0) kept.push_back({static_cast<int32_t>(id), weights[id]});
  keep_largest(window);
  for (auto& [id, number] : kept) {
    if (model::is_sum(*sparse_.pooling)) break;
    number = std::log1p(number);
    if (model::is_log(*sparse_.pooling)) number = std::log1p(number);
  }
}

// Each token counts once.
void SparseFilter::look_up(Window& window) const {
  auto ids = window.features.ids;
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const int32_t id : ids)
    if (const float weight = table_->weights[id]; weight > 0) window.weights.push_back({id, weight});
  keep_largest(window);
}

void SparseFilter::keep_largest(Window& window) const {
  auto& kept = window.weights;
  const auto larger = [](const Weight& a, const Weight& b) {
    return a.number != b.number ? a.number > b.number : a.id < b.id;
  };
  const size_t count = std::min<size_t>(kept.size(), sparse_.most.value_or(kept.size()));
  std::ranges::partial_sort(kept, kept.begin() + static_cast<int64_t>(count), larger);
  kept.resize(count);
}

std::vector<io::TokenWeight> SparseFilter::weights(const io::Work& text) const {
  std::vector<io::TokenWeight> weights;
  for (const auto& [id, number] : static_cast<const Prepared&>(text).windows.front().weights)
    weights.push_back({.token = std::string(featurizer_.tokenizer().subword(id)), .weight = number});
  return weights;
}

void SparseFilter::append(const io::Work& text, io::Added& added) const {
  json::Object object(added.field(io::kSparse));
  for (const auto& [token, weight] : weights(text))
    json::append_number(object.key(token), weight, options_.precision);
  object.end();
  added.string(io::kSparseModel, weights_model_);
}

void SparseFilter::finish(io::Record& record, io::Output& out) const {
  const auto& prepared = record.work_as<Prepared>();
  record.truncated = truncated(prepared);
  io::Added added;
  for (const features::TruncatedField& field : prepared.cut) added.field(field.name) += field.json;
  append(prepared, added);
  if (record.truncated) added.boolean("truncated", true);
  out.record(record, added, options_.drop);
}

void SparseFilter::report_truncated(int64_t records) const {
  heads::report_truncated_texts(log_, records, featurizer_.options().max_length);
}

}  // namespace bert::predict
