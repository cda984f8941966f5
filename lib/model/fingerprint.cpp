#include "model/fingerprint.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/checksum.h"
#include "ckpt/checkpoint.h"
#include "ckpt/quantized.h"

namespace bert::model {
namespace {

constexpr int64_t kSamples = 16;        // numbers that are read of a tensor
constexpr size_t kReadWhole = 1 << 14;  // bytes of a tensor that are read in less time than its samples

template <class Number>
requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
void add(Checksum& checksum, Number number) { checksum.add(std::as_bytes(std::span(&number, 1))); }

// With the length, so that adjacent texts cannot be divided in another way.
void add(Checksum& checksum, std::string_view text) {
  add(checksum, text.size());
  checksum.add(text);
}

void add(Checksum& checksum, const text::Tokenizer& tokenizer) {
  for (int32_t id = 0; id < tokenizer.size(); ++id) add(checksum, tokenizer.subword(id));
  const text::TokenizerConfig& config = tokenizer.config();
  for (const bool setting : {config.clean_text, config.lowercase, config.strip_accents, config.chinese_chars,
                             config.basic_tokenize, config.token_types})
    add(checksum, setting);
  if (config.truncate_left) add(checksum, std::string_view("left"));
  if (config.model != text::ModelKind::wordpiece) {
    add(checksum, config.composition);
    add(checksum, config.layout.separators);
    add(checksum, config.layout.second_type);
  }
  add(checksum, config.max_word_chars);
  for (const auto& token : {config.prefix, config.unk, config.cls, config.sep}) add(checksum, token);
  auto added = config.added;  // tokenizer.json and the other files list them in different orders
  std::ranges::sort(added, {}, &text::AddedToken::content);
  for (const text::AddedToken& token : added) {
    add(checksum, token.content);
    for (const bool flag : {token.single_word, token.lstrip, token.rstrip, token.normalized})
      add(checksum, flag);
  }
}

void add(Checksum& checksum, const Config& config) {
  add(checksum, config.layers);
  add(checksum, config.heads);
  add(checksum, config.activation);
  add(checksum, config.norm_epsilon);
  add(checksum, config.causal);
  if (const auto& positions = config.relative_positions) {
    for (const int64_t number : {positions->span, positions->distances, config.convolution})
      add(checksum, number);
    for (const bool term : {positions->keys, positions->queries}) add(checksum, term);
    add(checksum, config.convolution_activation);
  }
  if (config.rotary.empty()) return;
  add(checksum, config.type->norms_first);
  for (const auto& rotary : config.rotary) {
    add(checksum, rotary.size);
    add(checksum, rotary.theta);
    add(checksum, rotary.scaling);
    add(checksum, rotary.factor);
    add(checksum, rotary.positions);
  }
  add(checksum, config.window);
  for (const bool near : config.in_window) add(checksum, near);
}

// The first and last number and some in between, by their places in row-major order.
void add(Checksum& checksum, const ckpt::Checkpoint& checkpoint, const ckpt::StoredTensor& tensor) {
  add(checksum, tensor.name);
  for (const int64_t size : tensor.shape) add(checksum, size);
  const int64_t count = tensor.count(), samples = std::min(count, kSamples);
  const size_t bytes = size_of(tensor.dtype);
  std::vector<std::byte> whole(tensor.data.size() <= kReadWhole ? tensor.data.size() : 0);
  if (!whole.empty()) checkpoint.read(tensor.data, whole.data());
  for (int64_t i = 0; i < samples; ++i) {
    int64_t place = samples == 1 ? 0 : i * (count - 1) / (samples - 1);
    if (tensor.transposed) place = place % tensor.shape[1] * tensor.shape[0] + place / tensor.shape[1];
    std::array<std::byte, sizeof(double)> stored;
    if (whole.empty()) {
      checkpoint.read(tensor.data.subspan(place * bytes, bytes), stored.data());
    } else {
      std::copy_n(whole.data() + place * bytes, bytes, stored.data());
    }
    float number = 0;
    if (tensor.scales.empty()) {
      to_f32(tensor.dtype, stored.data(), {&number, 1});
    } else {
      const size_t row = place / (count / tensor.scales.size());
      ckpt::widen(std::span(stored).first(1), std::span(tensor.scales).subspan(row, 1), {&number, 1});
    }
    add(checksum, number);
  }
}

void add(Checksum& checksum, const Module& module) {
  add(checksum, module.index());
  const auto* const dense = std::get_if<Dense>(&module);
  if (dense == nullptr) return;
  add(checksum, dense->activation);
  for (const auto* numbers : {&dense->weight, &dense->bias}) {
    add(checksum, numbers->size());
    checksum.add(std::as_bytes(std::span(*numbers)));
  }
}

// A decoder that is tied to the embeddings is stored twice in some formats.
bool is_of_head(std::string_view tensor, const Head& head, const Config& config) {
  const auto prefix = head.tensors(*config.type);
  if (!tensor.starts_with(prefix) || !tensor.substr(prefix.size()).starts_with('.')) return false;
  return !config.tied_embeddings || tensor.find(".decoder.") == tensor.npos;
}

}  // namespace

uint64_t fingerprint(const Directory& directory, const text::Tokenizer& tokenizer, const Needs& needs) {
  Checksum checksum;
  add(checksum, tokenizer);
  add(checksum, directory.config);
  const auto checkpoint = ckpt::Checkpoint::open(directory.path, ckpt::DataSums::leave);
  for (const ckpt::StoredTensor& tensor : checkpoint.tensors()) {
    const std::string_view name = tensor.name;
    const bool used = is_of_encoder(name) || (needs.pooler && is_of_pooler(name)) ||
                      std::ranges::any_of(needs.heads, [&](const Head* head) {
                        return is_of_head(name, *head, directory.config);
                      });
    if (used && tensor.is_real()) add(checksum, checkpoint, tensor);
  }
  for (const Module& module : directory.sentence.modules) add(checksum, module);
  return checksum.value();
}

}  // namespace bert::model
