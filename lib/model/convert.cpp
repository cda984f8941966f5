#include "model/convert.h"

#include <algorithm>
#include <span>
#include <variant>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "model/calibration.h"
#include "model/cut.h"
#include "model/heads.h"
#include "model/late_json.h"
#include "model/parts.h"
#include "model/stored_tensors.h"
#include "text/tokenizer.h"

namespace bert::model {
namespace {

constexpr std::string_view kDecoder = "cls.predictions.decoder.weight";

bool is_weight_name(std::string_view name) {
  const auto first = name.substr(0, name.find('.'));
  return is_of_encoder(name) || is_of_pooler(name) || name == "layer_weights" || name == "layer_gamma" ||
         std::ranges::any_of(heads(), [&](const Head& head) {
           return head.mark.substr(0, head.mark.find('.')) == first && first.size() < name.size();
         });
}

// Checks that the tensors of the encoder exist and have the shapes of the configuration.
void check_encoder(const Config& config, const ckpt::Checkpoint& checkpoint) {
  nn::Layout layout;
  layout.add_plain(kWordTable, {config.vocab_size, config.embedding_width()});
  const NetworkLayers layers(config, {}, layout);
  for (const auto& entry : layout.entries()) checkpoint.get(entry.name, entry.shape);
}

// Format that represents most weights; transformers records it as torch_dtype.
Dtype main_dtype(const ckpt::Checkpoint& checkpoint, std::optional<Dtype> store) {
  return store.value_or(checkpoint.find(kWordTable)->dtype);
}

}  // namespace

namespace {

// Those of converted_tensors, with canonical names.
std::vector<ckpt::TensorToWrite> weights_in(const Config& config, const ckpt::Checkpoint& checkpoint,
                                            Log& log) {
  check_encoder(config, checkpoint);
  for (const auto& unread : checkpoint.unread()) {
    if (is_weight_name(unread.name))
      throw Error(unread.file, ": tensor ", json::in_quotes(unread.name), " is ", unread.dtype,
                  ", expected F32, F16, BF16 or F64");
  }
  std::vector<ckpt::TensorToWrite> tensors;
  std::vector<std::string> dropped;
  for (const auto& unread : checkpoint.unread()) dropped.push_back(unread.name);
  for (const auto& tensor : checkpoint.tensors()) {
    if (tensor.name == kDecoder && config.tied_embeddings) continue;
    if (tensor.name.starts_with(kProjection)) continue;  // of a checkpoint; a Dense module has it, too
    if (config.has_architecture(kStanford) && tensor.name == kStanfordProjection) continue;
    if (!is_weight_name(tensor.name) || !is_floating(tensor.dtype)) {
      dropped.push_back(tensor.name);
      continue;
    }
    tensors.push_back({.name = tensor.name,
                       .shape = tensor.shape,
                       .data = tensor.data,
                       .dtype = tensor.dtype,
                       .transposed = tensor.transposed});
  }
  if (!dropped.empty()) {
    log.warn("skipped " + counted(dropped.size(), "tensor that is", "tensors that are") +
             " not part of BERT: " + json::in_quotes(dropped.front()) + (dropped.size() > 1 ? ", ..." : ""));
  }
  return tensors;
}

}  // namespace

std::vector<ckpt::TensorToWrite> converted_tensors(const Config& config, const ckpt::Checkpoint& checkpoint,
                                                   Log& log) {
  return as_stored(config, weights_in(config, checkpoint, log));
}

namespace {

// The modules of late interaction that sentence-transformers writes, for Stanford's ColBERT. `dense` must
// outlive the parts.
ModuleFiles modules_of_stanford(const Directory& directory, const Dense& dense, Parts& parts) {
  parts.config.architectures = {architecture_of({}, parts.config)};
  const Config::Projection projection = {
      .in = dense.in, .out = dense.out, .activation = dense.activation, .bias = false};
  parts.tensors.push_back({.name = std::string(kProjection) + ".weight",
                           .shape = {dense.out, dense.in},
                           .data = std::as_bytes(std::span(dense.weight))});
  return ModuleFiles::of_late(
      {.late = *directory.sentence.late, .projection = projection, .max_length = directory.max_length},
      directory.sentence);
}

}  // namespace

void convert(const Conversion& conversion, Log& log) {
  const auto& [source, out, store, activation, existing, layers, vocab, calibration] = conversion;
  const auto directory = open_directory(source, activation);
  if (same_file(directory.root, out))
    throw Error(out, ": is the model to convert; write to another directory");
  if (!vocab.empty() && !directory.sentence.query_table.empty())
    throw Error(source, ": its vocabulary cannot be cut: ", directory.sentence.query_table,
                " has a weight for each token");
  require_output(out, existing);
  const auto checkpoint = ckpt::Checkpoint::open(directory.path);
  checkpoint.check_sums();
  Parts parts{directory.config, weights_in(directory.config, checkpoint, log)};
  const auto tokenizer = text::load_tokenizer(directory.path, text::Compat::hf, text::Case::from_files,
                                              {.specials = !directory.config.type->words_only});
  TokenizerFiles files;
  if (vocab.empty()) {
    files = tokenizer_files(tokenizer, directory.path, directory.max_length);
  } else {
    const text::VocabularyCut cut(vocab, tokenizer, directory.config.vocab_size);
    cut_vocabulary(cut, directory, parts);
    files = cut_tokenizer_files(tokenizer, directory, cut);
  }
  if (!layers.empty()) cut_layers(layers, directory, parts);
  if (!calibration.empty()) calibrate(calibration, directory, parts);
  const auto& sentence = directory.sentence;
  const bool is_stanford = sentence.late && sentence.late->dense_in_encoder;
  const auto modules = is_stanford
                           ? modules_of_stanford(directory, std::get<Dense>(sentence.modules.front()), parts)
                           : ModuleFiles(source, store);
  auto tensors = as_stored(parts.config, std::move(parts.tensors));
  for (auto& tensor : tensors)
    if (store) tensor.store = store;
  save(out, parts.config, files, tensors, main_dtype(checkpoint, store), modules);
}

void verify(const std::string& source) { ckpt::Checkpoint::open(transformer_of(source)).check_sums(); }

}  // namespace bert::model
