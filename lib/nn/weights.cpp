#include "nn/weights.h"

#include <algorithm>
#include <cassert>

#include "nn/kernels.h"
#include "nn/params.h"

namespace bert::nn {
namespace {

Panels panels_of(const LayoutEntry& entry, const float* data) {
  return {.data = data, .outputs = entry.shape[0], .inputs = entry.shape[1]};
}

size_t floats_for(const LayoutEntry& entry) {
  if (!entry.packed) return static_cast<size_t>((entry.count() + 63) / 64 * 64);
  const auto panels = panels_of(entry, nullptr);
  return static_cast<size_t>(panels.count() * panels.panel_size());
}

// A few panels of one matrix, a few rows of one that is stored transposed, or a whole plain tensor: what one
// thread packs at a time.
struct Piece {
  const LayoutEntry* entry;
  Stored stored;
  float* to;
  int64_t first, end;  // panels or rows
};

// `count` numbers from `from`: themselves where f32 can be read in place, else a copy in `wide`.
const float* widened(Dtype dtype, const std::byte* from, int64_t count, std::vector<float>& wide) {
  if (dtype == Dtype::f32 && reinterpret_cast<uintptr_t>(from) % alignof(float) == 0) {
    return reinterpret_cast<const float*>(from);
  }
  wide.resize(static_cast<size_t>(count));
  to_f32(dtype, from, wide);
  return wide.data();
}

// Row i of the stored [K,N] holds row i of every panel. What lies beyond K and N in the panels is zero
// already.
void pack_transposed(const Piece& piece, const Weights::Source& source) {
  const auto panels = panels_of(*piece.entry, piece.to);
  const auto row_bytes = static_cast<size_t>(panels.outputs) * size_of(piece.stored.dtype);
  const std::byte* first = piece.stored.data + static_cast<size_t>(piece.first) * row_bytes;
  std::vector<float> wide;
  for (int64_t i = piece.first; i < piece.end; ++i) {
    const std::byte* from = piece.stored.data + static_cast<size_t>(i) * row_bytes;
    const float* row = widened(piece.stored.dtype, from, panels.outputs, wide);
    for (int64_t n = 0; n < panels.outputs; n += Panels::kWidth) {
      const int64_t width = std::min(Panels::kWidth, panels.outputs - n);
      std::copy_n(row + n, width, piece.to + n / Panels::kWidth * panels.panel_size() + i * Panels::kWidth);
    }
  }
  source.release({first, static_cast<size_t>(piece.end - piece.first) * row_bytes});
}

void pack(const Piece& piece, const Weights::Source& source) {
  const auto& entry = *piece.entry;
  const size_t width = size_of(piece.stored.dtype);
  if (!entry.packed) {
    to_f32(piece.stored.dtype, piece.stored.data, {piece.to, static_cast<size_t>(entry.count())});
    return;
  }
  if (piece.stored.transposed) {
    pack_transposed(piece, source);
    return;
  }
  const auto panels = panels_of(entry, piece.to);
  const int64_t inputs = panels.inputs;
  std::vector<float> wide;  // one panel's rows
  for (int64_t p = piece.first; p < piece.end; ++p) {
    const int64_t first = p * Panels::kWidth, count = std::min(Panels::kWidth, panels.outputs - first);
    const std::byte* from = piece.stored.data + static_cast<size_t>(first * inputs) * width;
    const float* numbers = widened(piece.stored.dtype, from, count * inputs, wide);
    kernels().pack_panel(numbers, inputs, count, inputs, piece.to + p * panels.panel_size());
  }
  const auto end_row = std::min(piece.end * Panels::kWidth, panels.outputs);
  const auto first_row = piece.first * Panels::kWidth;
  source.release({piece.stored.data + static_cast<size_t>(first_row * inputs) * width,
                  static_cast<size_t>((end_row - first_row) * inputs) * width});
}

constexpr int64_t kPieceFloats = 1 << 18;  // 1 MiB: enough to hide the cost of giving pages back

// Cuts a matrix into pieces of some panels, or rows, each.
void add_pieces(Piece piece, std::vector<Piece>& pieces) {
  const auto panels = panels_of(*piece.entry, nullptr);
  const int64_t count = piece.stored.transposed ? panels.inputs : panels.count();
  const int64_t numbers = piece.stored.transposed ? panels.outputs : panels.panel_size();  // of each
  const int64_t step = std::max<int64_t>(1, kPieceFloats / numbers);
  for (piece.first = 0; piece.first < count; piece.first = piece.end) {
    piece.end = std::min(piece.first + step, count);
    pieces.push_back(piece);
  }
}

void pack_all(const std::vector<Piece>& pieces, const Weights::Source& source, Pool& pool) {
  pool.run_grid(static_cast<int64_t>(pieces.size()),
                [&](int64_t i, int) { pack(pieces[static_cast<size_t>(i)], source); });
}

}  // namespace

int64_t LayoutEntry::count() const {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  return count;
}

int Layout::add_matrix(std::string name, int64_t outputs, int64_t inputs) {
  entries_.push_back({.name = std::move(name), .shape = {outputs, inputs}, .packed = true});
  return static_cast<int>(entries_.size()) - 1;
}

int Layout::add_plain(std::string name, std::vector<int64_t> shape) {
  entries_.push_back({.name = std::move(name), .shape = std::move(shape)});
  return static_cast<int>(entries_.size()) - 1;
}

Weights::Weights(const Layout& layout, const Source& source, Pool& pool) : layout_(layout) {
  size_t total = 0;
  for (const auto& entry : layout.entries()) {
    starts_.push_back(total);
    total += floats_for(entry);
  }
  memory_ = Memory(total);
  std::vector<Piece> pieces;
  for (size_t i = 0; i < starts_.size(); ++i) {
    const auto& entry = layout.entries()[i];
    Piece piece = {.entry = &entry, .stored = source.find(entry), .to = memory_.data() + starts_[i]};
    if (entry.packed) {
      add_pieces(piece, pieces);
    } else {
      pieces.push_back(piece);
    }
  }
  pack_all(pieces, source, pool);
}

Weights::Weights(const Params& params) : layout_(params.layout()), params_(&params) {
  size_t total = 0;
  for (const auto& entry : layout_.entries()) {
    starts_.push_back(total);
    if (entry.packed) total += floats_for(entry);
  }
  memory_ = Memory(total);
}

void Weights::refresh(Pool& pool) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < starts_.size(); ++i) {
    const auto& entry = layout_.entries()[i];
    const auto numbers = std::as_bytes(params_->tensor(static_cast<int>(i)));
    if (entry.packed) {
      add_pieces({.entry = &entry, .stored = {Dtype::f32, numbers.data()}, .to = memory_.data() + starts_[i]},
                 pieces);
    }
  }
  pack_all(pieces, {.find = {}, .release = [](auto) {}}, pool);
}

Panels Weights::panels(int place) const {
  const auto& entry = layout_.entries()[static_cast<size_t>(place)];
  assert(entry.packed);
  return panels_of(entry, memory_.data() + starts_[static_cast<size_t>(place)]);
}

const float* Weights::plain(int place) const {
  assert(!layout_.entries()[static_cast<size_t>(place)].packed);
  if (params_ != nullptr) return params_->tensor(place).data();
  return memory_.data() + starts_[static_cast<size_t>(place)];
}

const float* Weights::matrix(int place) const {
  assert(params_ != nullptr);
  return params_->tensor(place).data();
}

}  // namespace bert::nn
