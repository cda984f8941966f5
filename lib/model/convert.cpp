#include "model/convert.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "model/calibration.h"
#include "model/cut.h"
#include "model/heads.h"
#include "model/late_json.h"
#include "model/parts.h"
#include "model/quantized.h"
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
                                            bool keeps_integers, Log& log) {
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
    if (is_of_module(tensor.name)) continue;  // of a checkpoint; the folder of the module has it, too
    if (config.has_architecture(kStanford) && tensor.name == kStanfordProjection) continue;
    if (!is_weight_name(tensor.name) || !tensor.is_real()) {
      dropped.push_back(tensor.name);
      continue;
    }
    auto& written = tensors.emplace_back(ckpt::TensorToWrite{.name = tensor.name,
                                                             .shape = tensor.shape,
                                                             .data = tensor.data,
                                                             .dtype = tensor.dtype,
                                                             .transposed = tensor.transposed});
    if (tensor.scales.empty()) continue;
    if (keeps_integers) {
      written.scales = tensor.scales;
    } else {
      written.data = {};
      written.dtype = Dtype::f32;
      written.load = [&tensor, numbers = std::make_shared<std::vector<float>>()] {
        numbers->resize(tensor.count());
        ckpt::to_f32(tensor, *numbers);
        return std::as_bytes(std::span(std::as_const(*numbers)));
      };
    }
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
  return as_stored(config, weights_in(config, checkpoint, true, log));
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
  const bool to_integers = store == Dtype::i8,
             has_integers = to_integers || (!store && !directory.config.quantized.empty());
  if (to_integers && directory.config.layers == 0)
    throw Error(source, ": the model is static and has no layers whose weights could be integers");
  Parts parts{directory.config, weights_in(directory.config, checkpoint, has_integers, log)};
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
  const auto of_others = to_integers ? std::nullopt : store;
  const auto& sentence = directory.sentence;
  const bool is_stanford = sentence.late && sentence.late->dense_in_encoder;
  const auto modules = is_stanford
                           ? modules_of_stanford(directory, std::get<Dense>(sentence.modules.front()), parts)
                           : ModuleFiles(source, of_others);
  if (to_integers) store_as_integers(parts.config, parts.tensors);
  auto tensors = as_stored(parts.config, std::move(parts.tensors));
  for (auto& tensor : tensors)
    if (of_others) tensor.store = of_others;
  parts.config.quantized = add_scales(tensors);
  save(out, parts.config, files, tensors, main_dtype(checkpoint, of_others), modules);
}

void verify(const std::string& source) { ckpt::Checkpoint::open(transformer_of(source)).check_sums(); }

}  // namespace bert::model
