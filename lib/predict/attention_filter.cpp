#include "predict/attention_filter.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "features/truncated_fields.h"
#include "heads/batches.h"
#include "heads/layer_mix.h"
#include "heads/version.h"
#include "io/marked_text.h"
#include "json/json.h"
#include "nn/panels.h"
#include "predict/vector_writer.h"

namespace bert::predict {

struct AttentionFilter::Window {
  features::Features features;
  std::vector<std::vector<float>> weights = {};  // [A,T,T] for each of wanted_
};

// With one window.
struct AttentionFilter::Prepared : heads::Windows<Window> {
  std::vector<features::TruncatedField> cut;
  std::vector<std::string_view> stale;  // fields of an earlier run
};

namespace {

std::vector<int> numbers_of(std::vector<int> layers, int count) {
  if (layers.empty()) layers = {-1};
  for (int& layer : layers) {
    layer = heads::layer_number(layer, heads::LayerNumbering::hugging_face, count);
    if (layer == 0) throw Error("layer 0, the embeddings, has no attention");
  }
  return layers;
}

std::vector<int> ascending(std::vector<int> layers) {
  std::ranges::sort(layers);
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

// Arrays of `size` numbers each.
template <class AppendOne>
void append_parts(std::string& out, std::span<const float> values, size_t size, AppendOne append_one) {
  std::vector<std::span<const float>> parts;
  for (size_t i = 0; i < values.size(); i += size) parts.push_back(values.subspan(i, size));
  json::append_array(out, parts, append_one);
}

}  // namespace

AttentionFilter::AttentionFilter(const model::Directory& directory, const text::Tokenizer& tokenizer,
                                 EmbedOptions options, Pool& pool, Log& log)
    : directory_(directory),
      options_(std::move(options)),
      log_(log),
      layers_(numbers_of(options_.vectors.layers, directory.config.layers)),
      wanted_(ascending(layers_)),
      featurizer_(tokenizer, feature_options(options_, heads::prompt_of(options_.vectors.prompt, directory),
                                             directory, directory.max_length)),
      network_(directory, {.layers = wanted_.back()}, pool,
               model::arithmetic(directory.config, options_.compute.dtype)) {
  model::check_vocabulary(directory, tokenizer, log_);
  log_.info(heads::described({.model = directory.root,
                              .purpose = "attention",
                              .max_length = featurizer_.options().max_length,
                              .dtype = network_.dtype(),
                              .threads = pool.size()}));
}

void AttentionFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto prepared = std::make_unique<Prepared>();
  auto features = featurizer_.features(fields);
  prepared->cut = cut_fields(featurizer_, fields, features, options_.drop);
  prepared->stale = stale_vector_fields(fields, featurizer_.takes_ids(fields));
  heads::require_readable(features, directory_.config);
  prepared->windows.push_back({.features = std::move(features)});
  record.work = std::move(prepared);
}

int64_t AttentionFilter::cost(const io::Record& record) const { return record.work_as<Prepared>().tokens(); }

void AttentionFilter::compute(std::span<io::Record* const> records) {
  std::vector<heads::Windows<Window>*> works;
  for (io::Record* record : records) works.push_back(&record->work_as<Prepared>());
  run_windows<Window>(works, options_.compute.batch_tokens,
                      [this](const nn::Batch& batch, std::span<Window* const> windows) {
                        for (auto& layer : network_.attention(batch, wanted_)) {
                          for (size_t s = 0; s < windows.size(); ++s)
                            windows[s]->weights.push_back(std::move(layer[s]));
                        }
                      });
}

void AttentionFilter::finish(io::Record& record, io::Output& out) const {
  const auto& prepared = record.work_as<Prepared>();
  const Window& window = prepared.windows.front();
  record.truncated = window.features.truncated;
  if (options_.vectors.format == io::Format::html) return append_tables(out.text(), window);
  io::Added added;
  for (const features::TruncatedField& field : prepared.cut) {
    if (field.name != kTokens) added.field(field.name) += field.json;
  }
  append_tokens(added.field(kTokens), featurizer_.tokenizer(), window.features.ids);
  json::append_array(added.field(kAttention), layers_, [&](std::string& text, int layer) {
    append_layer(text, window.features.ids.size(), weights_of(window, layer));
  });
  if (window.features.truncated) added.boolean("truncated", true);
  out.record(record, added,
             prepared.stale.empty() ? options_.drop : io::with_stale(options_.drop, prepared.stale, added));
}

std::span<const float> AttentionFilter::weights_of(const Window& window, int layer) const {
  return window.weights[std::ranges::lower_bound(wanted_, layer) - wanted_.begin()];
}

// A table for each head: a row for each token, with the weights of the tokens that it attends to.
void AttentionFilter::append_tables(std::string& out, const Window& window) const {
  io::HtmlTable table;
  for (const int32_t id : window.features.ids) table.names.emplace_back(featurizer_.tokenizer().subword(id));
  const size_t size = table.names.size() * table.names.size();
  out += "<section>\n";
  for (const int layer : layers_) {
    const auto weights = weights_of(window, layer);
    for (size_t head = 0; head * size < weights.size(); ++head) {
      table.title = "Layer " + std::to_string(layer) + ", head " + std::to_string(head + 1);
      table.cells = weights.subspan(head * size, size);
      io::append_html(out, table, std::max(0, options_.precision));
    }
  }
  out += "</section>\n";
}

// weights [A,T,T]
void AttentionFilter::append_layer(std::string& out, size_t tokens, std::span<const float> weights) const {
  const auto append_number = [&](std::string& text, float weight) {
    json::append_number(text, weight, options_.precision);
  };
  append_parts(out, weights, tokens * tokens, [&](std::string& head, std::span<const float> rows) {
    append_parts(head, rows, tokens, [&](std::string& row, std::span<const float> numbers) {
      json::append_array(row, numbers, append_number);
    });
  });
}

void AttentionFilter::report_truncated(int64_t records) const {
  heads::report_truncated_texts(log_, records, featurizer_.options().max_length);
}

}  // namespace bert::predict
