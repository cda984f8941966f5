#include "nn/weights.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "nn/blocks.h"
#include "nn/params.h"

namespace bert::nn {
namespace {

int64_t floats_of(const Panels& panels) { return panels.count() * panels.bytes() / 4; }

void pack(const Panels& panels, const Stored& stored, Context& context) {
  context.pool().run_grid(panels.count(), [&](int64_t i, int) { panels.pack(context.kernels(), i, stored); });
}

}  // namespace

int64_t LayoutEntry::count() const {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  return count;
}

int Layout::add_matrix(std::string name, int64_t outputs, int64_t inputs) {
  return add({.name = std::move(name), .shape = {outputs, inputs}, .packed = true});
}

int Layout::add_kernel(std::string name, int64_t outputs, int64_t inputs, int64_t size) {
  return add({.name = std::move(name), .shape = {outputs, inputs / size, size}, .packed = true});
}

int Layout::add_plain(std::string name, std::vector<int64_t> shape) {
  return add({.name = std::move(name), .shape = std::move(shape)});
}

int Layout::add(LayoutEntry entry) {
  if (naming_) entry.name = naming_(std::move(entry.name));
  const auto known = std::ranges::find(entries_, entry.name, &LayoutEntry::name);
  const auto place = static_cast<int>(known - entries_.begin());
  if (known == entries_.end()) entries_.push_back(std::move(entry));
  return place;
}

Weights::Weights(const Layout& layout, const Source& source, Context& context, Dtype dtype)
    : layout_(layout), dtype_(dtype) {
  make_room();
  for (size_t i = 0; i < starts_.size(); ++i) {
    const auto& entry = layout.entries()[i];
    const Stored stored = source.find(entry);
    const size_t count = entry.count();
    if (entry.packed) {
      pack(forward(i), stored, context);
    } else {
      to_f32(stored.dtype, stored.data, {memory_.data() + starts_[i], count});
    }
    source.release({stored.data, count * size_of(stored.dtype)});
  }
}

Weights::Weights(const Params& params, Dtype dtype)
    : layout_(params.layout()), params_(&params), dtype_(dtype) {
  make_room();
}

void Weights::make_room() {
  int64_t total = 0;
  for (size_t i = 0; i < layout_.entries().size(); ++i) {
    const auto& entry = layout_.entries()[i];
    starts_.push_back(total);
    if (entry.packed) {
      Panels panels = shape(i);
      total += floats_of(panels);
      std::swap(panels.depth, panels.cols);
      if (params_ != nullptr && panels.dtype == Dtype::bf16) total += floats_of(panels);
    } else if (params_ == nullptr) {
      total += entry.count();
    }
    total = round_up(total, 64);
  }
  memory_ = Memory(total);
}

void Weights::refresh(Context& context) {
  for (size_t i = 0; i < starts_.size(); ++i) {
    if (!layout_.entries()[i].packed) continue;
    const int place = i;
    Stored stored = {.data = std::as_bytes(params_->tensor(place)).data()};
    pack(forward(place), stored, context);
    stored.transposed = true;
    if (dtype(place) == Dtype::bf16) pack(backward(place), stored, context);
  }
}

Dtype Weights::dtype(int place) const {
  const bool heads = layout_.entries()[place].name.find("encoder.") == std::string::npos;
  return heads ? Dtype::f32 : dtype_;
}

// Without data.
Panels Weights::shape(int place) const {
  const auto& entry = layout_.entries()[place];
  assert(entry.packed);
  return {.dtype = dtype(place), .depth = entry.count() / entry.shape[0], .cols = entry.shape[0]};
}

Panels Weights::forward(int place) const {
  Panels panels = shape(place);
  panels.data = reinterpret_cast<std::byte*>(memory_.data() + starts_[place]);
  return panels;
}

Panels Weights::backward(int place) const {
  assert(params_ != nullptr && dtype(place) == Dtype::bf16);
  Panels panels = forward(place);
  panels.data += panels.count() * panels.bytes();
  std::swap(panels.depth, panels.cols);
  return panels;
}

const float* Weights::plain(int place) const {
  if (params_ != nullptr) return params_->tensor(place).data();
  assert(!layout_.entries()[place].packed);
  return memory_.data() + starts_[place];
}

}  // namespace bert::nn
