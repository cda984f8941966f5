#include "model/cut.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "base/option.h"
#include "ckpt/column_major.h"
#include "ckpt/naming.h"
#include "json/json.h"
#include "model/model_type.h"

namespace bert::model {
namespace {

constexpr std::string_view kMixWeights = "layer_weights";
constexpr std::string_view kOfWords[] = {kWordTable, "cls.predictions.bias",
                                         "cls.predictions.decoder.weight"};

// The rows of `tensor` with these numbers, in this order.
ckpt::TensorToWrite with_rows(const ckpt::TensorToWrite& tensor, std::vector<int64_t> rows) {
  auto cut = tensor;
  cut.data = {};
  cut.transposed = false;
  cut.shape.front() = std::ssize(rows);
  auto bytes = std::make_shared<std::vector<std::byte>>();
  cut.load = [tensor, rows = std::move(rows), bytes]() -> std::span<const std::byte> {
    std::vector<std::byte> matrix;
    const auto all = ckpt::row_major(tensor.shape, tensor.data, tensor.transposed, matrix);
    const size_t width = all.size() / tensor.shape.front();
    bytes->resize(rows.size() * width);
    for (size_t i = 0; i < rows.size(); ++i)
      std::memcpy(bytes->data() + i * width, all.data() + rows[i] * width, width);
    return *bytes;
  };
  return cut;
}

void require_rows(const ckpt::TensorToWrite& tensor, int64_t rows, const Directory& source) {
  if (tensor.shape.empty() || tensor.shape.front() != rows)
    throw Error(source.path, ": tensor ", tensor.name, " has shape ", ckpt::shape_text(tensor.shape),
                ", expected ", rows, " rows");
}

// The numbers of the stored layers that `kept` reads, ascending.
std::vector<int64_t> stored_layers(std::span<const int64_t> kept, const Config& config) {
  std::vector<int64_t> stored;
  for (const int64_t layer : kept) stored.push_back(config.stored_layer(layer));
  stored.erase(std::unique(stored.begin(), stored.end()), stored.end());
  return stored;
}

// Layers that share weights do so in groups of one size, so a cut must leave such groups.
void check_groups(std::span<const int64_t> kept, std::span<const int64_t> stored, const Directory& source,
                  const Config& cut) {
  for (size_t i = 0; i < kept.size(); ++i) {
    const auto group = std::ranges::find(stored, source.config.stored_layer(kept[i])) - stored.begin();
    if (group == cut.stored_layer(i)) continue;
    throw Error(source.root, ": the layers are ", source.config.layer_groups, " groups that share weights; ",
                opt::layers, " must keep equally many of each");
  }
}

void check_layers(std::span<const int64_t> kept, const Directory& source) {
  if (source.config.layers == 0) throw Error(source.root, ": the model is static and has no layers to cut");
  if (!std::ranges::is_sorted(kept))
    throw OptionError(opt::layers, ": expected the numbers in ascending order");
  if (kept.back() >= source.config.layers)
    throw OptionError(opt::layers, " has ", kept.back(), ", but the layers of ", source.root, " are 0 to ",
                      source.config.layers - 1);
}

// For tokenizers that are copied as files: those that do not depend on ids, or whose ids can be changed.
TokenizerFiles cut_copied_files(const TokenizerFiles& files, const Directory& source,
                                const text::VocabularyCut& cut) {
  TokenizerFiles kept;
  bool has_json = false;
  for (const auto& [name, text] : files.others) {
    const auto path = (std::filesystem::path(source.path) / name).string();
    if (name == "tokenizer.json") {
      kept.others.emplace_back(name, text::cut_tokenizer_json(path, text, cut));
      has_json = true;
    }
    if (name == "tokenizer_config.json")
      kept.others.emplace_back(name, text::cut_tokenizer_config(path, text, cut));
    if (name == "special_tokens_map.json") kept.others.emplace_back(name, text);
  }
  if (!has_json)
    throw Error(source.path,
                ": has no tokenizer.json, which the vocabulary of Unigram or BPE can be cut in; save the "
                "tokenizer with transformers, which writes it");
  return kept;
}

}  // namespace

void cut_layers(std::span<const int64_t> kept, const Directory& source, Parts& parts) {
  check_layers(kept, source);
  auto& config = parts.config;
  const auto stored = stored_layers(kept, config);
  if (config.type->norms_first && kept.front() != 0)
    throw Error(source.root, ": layer 0 must be kept, because other layers of this type begin with a norm, ",
                "which its first layer does not have");
  if (config.convolution > 0 && kept.size() < 2)
    throw Error(source.root, ": at least two layers must be kept of a model with a convolution");
  std::vector<bool> in_window;
  for (const int64_t layer : kept)
    if (!config.in_window.empty()) in_window.push_back(config.in_window[layer]);
  config.in_window = std::move(in_window);
  config.layers = std::ssize(kept);
  if (config.layer_groups > 0) config.layer_groups = std::ssize(stored);
  check_groups(kept, stored, source, config);
  std::vector<ckpt::TensorToWrite> tensors;
  for (auto& tensor : parts.tensors) {
    if (tensor.name == kMixWeights && source.config.weighted_layers) {
      require_rows(tensor, source.config.layers + 1, source);
      std::vector<int64_t> rows = {0};  // the embeddings
      for (const int64_t layer : kept) rows.push_back(layer + 1);
      tensor = with_rows(tensor, std::move(rows));
    }
    if (const size_t rest = ckpt::layer_end(tensor.name); rest > 0) {
      const auto place = std::ranges::find(stored, level_of(tensor.name) - 1);
      if (place == stored.end()) continue;
      tensor.name = layer_name(place - stored.begin()) + "." + tensor.name.substr(rest);
    }
    tensors.push_back(std::move(tensor));
  }
  parts.tensors = std::move(tensors);
}

void cut_vocabulary(const text::VocabularyCut& cut, const Directory& source, Parts& parts) {
  auto& config = parts.config;
  const int64_t rows = config.vocab_size;
  config.vocab_size = std::ssize(cut.kept());
  config.token_ids.clear();
  if (!config.type->words_only) {
    const int64_t unplaced = config.type->unplaced_id(config.pad_id);
    config.pad_id = cut.id_of(config.pad_id, "pad_token_id of config.json");
    if (unplaced >= 0 && cut.id_of(unplaced, "that of padding") != unplaced)
      throw Error(cut.file(), ": line ", unplaced + 1, " is not the padding token, whose id, ", unplaced,
                  ", the positions of this model are counted from");
  }
  for (auto& tensor : parts.tensors) {
    if (std::ranges::find(kOfWords, tensor.name) == std::end(kOfWords)) continue;
    require_rows(tensor, rows, source);
    tensor = with_rows(tensor, {cut.kept().begin(), cut.kept().end()});
  }
}

TokenizerFiles cut_tokenizer_files(const text::Tokenizer& tokenizer, const Directory& source,
                                   const text::VocabularyCut& cut) {
  const auto whole = tokenizer_files(tokenizer, source.path, source.max_length);
  if (!whole.others.empty()) return cut_copied_files(whole, source, cut);
  auto files = tokenizer_files(text::cut_wordpiece(tokenizer, cut), source.path, source.max_length);
  const auto path = (std::filesystem::path(source.path) / "tokenizer.json").string();
  if (whole.json) files.json = text::cut_tokenizer_json(path, *whole.json, cut);
  return files;
}

}  // namespace bert::model
