#include <cassert>

#include "model/training_network_parts.h"
#include "nn/first_rows.h"

// The heads of TrainingNetwork.

namespace bert::model {
namespace {

// dy becomes dy∘act'(u), row by row. y receives act(u), but serves only as scratch space.
void backward_activation(nn::Context& context, nn::Activation activation, const nn::Tensor& u, nn::Tensor& y,
                         nn::Tensor& dy) {
  y.reshape(u.rows(), u.cols());
  context.pool().run_grid(u.rows(), [&](int64_t row, int) {
    context.kernels().activation_backward(u.cols(), activation, u.row(row), dy.row(row), y.row(row),
                                          dy.row(row));
  });
}

}  // namespace

// forward:  t = norm(act(u)), u = W·h + b at the rows; logits = t·Eᵀ + b
nn::Loss TrainingNetwork::masked_lm(std::span<const int64_t> rows, std::span<const int32_t> gold,
                                    std::optional<float> weight, const nn::TiedDecoder::Visit& visit) {
  auto& p = *parts_;
  auto& head = p.net.masked_lm.value();
  assert(rows.size() == gold.size());
  if (rows.empty()) return {};
  const auto words = p.parameters.tensor(p.words);
  transform(rows);
  if (!weight)
    return head.decoder.loss(p.context, p.weights, words, p.normed, gold, nullptr, p.vocab_logits, visit);

  const auto gradient = words_gradient(*weight);
  const auto loss =
      head.decoder.loss(p.context, p.weights, words, p.normed, gold, &gradient, p.vocab_logits, visit);
  transform_gradient();
  return loss;
}

// What the decoder of words reads: p.normed.
void TrainingNetwork::transform(std::span<const int64_t> rows) {
  auto& p = *parts_;
  auto& head = p.net.masked_lm.value();
  p.word_places = p.places(rows);
  nn::gather_rows(p.context, p.top(), p.word_places, p.rows);
  head.dense.forward(p.context, p.weights, p.rows, head.activation, p.transformed, &p.u);
  head.norm.forward(p.pass(), {}, p.transformed, nullptr, p.normed, p.normed);
}

// From that of p.normed, in p.drows.
void TrainingNetwork::transform_gradient() {
  auto& p = *parts_;
  auto& head = p.net.masked_lm.value();
  head.norm.backward(p.pass(), p.transformed, p.drows, p.drows, p.gradients);
  backward_activation(p.context, head.activation, p.u, p.scrap, p.drows);
  head.dense.backward_weights(p.context, p.weights, p.rows, p.drows, 0, p.gradients);
  if (!p.input_learns()) return;
  head.dense.backward_input(p.context, p.weights, p.drows, 0, nn::Into::replace, p.rows);
  nn::add_rows(p.context, p.rows, p.word_places, p.dtop);
}

void TrainingNetwork::word_logits(std::span<const int64_t> rows, const VisitLogits& visit) {
  auto& p = *parts_;
  transform(rows);
  p.net.masked_lm->decoder.each_part(
      p.context, p.weights, p.parameters.tensor(p.words), p.normed, p.vocab_logits,
      [&](const nn::TiedDecoder::Block& block, nn::Tensor& logits) { visit(block.first, logits); });
}

// That of the decoder of words.
nn::TiedDecoder::Gradient TrainingNetwork::words_gradient(float weight) {
  auto& p = *parts_;
  return {.weight = weight,
          .words = p.frozen ? std::nullopt : std::optional(p.gradients.target(p.words)),
          .gradients = p.gradients,
          .dx = p.drows};
}

void TrainingNetwork::word_logits_gradient(const nn::LogitEntries& dlogits) {
  auto& p = *parts_;
  p.net.masked_lm->decoder.backward(p.context, p.parameters.tensor(p.words), p.normed, dlogits,
                                    words_gradient(1));
  transform_gradient();
}

void TrainingNetwork::word_logits_gradient(const ReplaceLogits& replace) {
  auto& p = *parts_;
  p.net.masked_lm->decoder.backward(
      p.context, p.weights, p.parameters.tensor(p.words), p.normed, words_gradient(1), p.vocab_logits,
      [&](const nn::TiedDecoder::Block& block, nn::Tensor& logits) { replace(block.first, logits); });
  transform_gradient();
}

nn::Loss TrainingNetwork::next_sentence(std::span<const int32_t> labels, std::optional<float> weight) {
  nn::Tensor& dlogits = logits(pooled_rows(config(), *parts_->batch));
  assert(static_cast<int64_t>(labels.size()) == dlogits.rows());
  const auto loss = nn::softmax_loss(context(), {.gold = labels}, weight.value_or(0), dlogits);
  if (weight) logits_gradient(dlogits);
  return loss;
}

// forward:  logits = W·drop(x) + b; x = h at the rows, or act(Wp·drop(h) + bp), or act(Wp·norm(h + h0) + bp)
nn::Tensor& TrainingNetwork::logits(std::span<const int64_t> rows) {
  auto& p = *parts_;
  p.head_places = p.places(rows);
  p.head_offsets = offsets_among(rows, *p.batch);
  if (p.net.reads_means) {
    nn::mean_rows(p.context, p.top(), p.head_sequences = sequences_of(rows, *p.batch), p.rows);
  } else {
    nn::gather_rows(p.context, p.top(), p.head_places, p.rows);
  }
  nn::drop(p.head_pass(), p.input_dropout, p.rows, p.rows);
  if (const auto& norm = p.net.context_norm) {
    nn::add_first_rows(p.context, p.head_offsets, p.rows);
    std::swap(p.rows, p.in_context);
    norm->forward(p.head_pass(), {}, p.in_context, nullptr, p.rows, p.rows);
  }
  if (const auto& dense = p.net.dense)
    dense->forward(p.context, p.weights, p.rows, p.net.dense_activation, p.dense, &p.u);
  if (const auto& norm = p.net.dense_norm)
    norm->forward(p.head_pass(), {}, p.dense, nullptr, p.transformed, p.dense);
  nn::drop(p.head_pass(), p.head_dropout, p.head_input(), p.head_input());
  p.net.output.value().forward(p.context, p.weights, p.head_input(), nn::Activation::none, p.logits);
  return p.logits;
}

void TrainingNetwork::logits_gradient(const nn::Tensor& dlogits) {
  auto& p = *parts_;
  const auto& dense = p.net.dense;
  p.net.output->backward_weights(p.context, p.weights, p.head_input(), dlogits, 0, p.gradients);
  if (!dense && !p.input_learns()) return;
  p.net.output->backward_input(p.context, p.weights, dlogits, 0, nn::Into::replace, p.drows);
  nn::drop(p.head_pass(), p.head_dropout, p.drows, p.drows);
  if (dense) {
    if (const auto& norm = p.net.dense_norm)
      norm->backward(p.head_pass(), p.transformed, p.drows, p.drows, p.gradients);
    backward_activation(p.context, p.net.dense_activation, p.u, p.scrap, p.drows);
    dense->backward_weights(p.context, p.weights, p.rows, p.drows, 0, p.gradients);
    const auto& context_norm = p.net.context_norm;
    if (!context_norm && !p.input_learns()) return;
    dense->backward_input(p.context, p.weights, p.drows, 0, nn::Into::replace, p.rows);
    if (context_norm) {
      context_norm->backward(p.head_pass(), p.in_context, p.rows, p.rows, p.gradients);
      nn::add_first_rows_backward(p.context, p.head_offsets, p.rows);
    }
    if (!p.input_learns()) return;
    nn::drop(p.head_pass(), p.input_dropout, p.rows, p.rows);
  }
  const auto& gradient = dense ? p.rows : p.drows;
  if (p.net.reads_means) return nn::mean_rows_backward(p.context, gradient, p.head_sequences, p.dtop);
  nn::add_rows(p.context, gradient, p.head_places, p.dtop);
}

const nn::Tensor& TrainingNetwork::hidden() const { return parts_->top(); }
void TrainingNetwork::hidden_gradient(const nn::Tensor& gradient) {
  assert(gradient.rows() == parts_->dtop.rows() && gradient.cols() == parts_->dtop.cols());
  parts_->dtop.copy(gradient);
}

void TrainingNetwork::project(const nn::Tensor& x, nn::Tensor& y) {
  auto& p = *parts_;
  p.pooled.value().forward(p.context, p.weights, x, p.config.projection.activation, y, &p.pooled_u);
}

void TrainingNetwork::project_gradient(const nn::Tensor& x, const nn::Tensor& dy, nn::Tensor& dx) {
  auto& p = *parts_;
  p.dpooled_u.copy(dy);
  backward_activation(p.context, p.config.projection.activation, p.pooled_u, p.scrap, p.dpooled_u);
  p.pooled.value().backward_weights(p.context, p.weights, x, p.dpooled_u, 0, p.gradients);
  p.pooled->backward_input(p.context, p.weights, p.dpooled_u, 0, nn::Into::replace, dx);
}

std::span<float> TrainingNetwork::query_table() {
  return parts_->parameters.tensor(parts_->query_table.value());
}
std::span<float> TrainingNetwork::query_table_gradient() {
  return parts_->gradients.tensor(parts_->query_table.value());
}

}  // namespace bert::model
