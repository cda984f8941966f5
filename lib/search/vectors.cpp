#include "search/vectors.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/dtype.h"
#include "base/error.h"
#include "nn/dot.h"

namespace bert::search {
namespace {

io::ArrayShape shape_of(const MappedFile& file, std::optional<int64_t> width) {
  try {
    return io::shape_of_file(file.path(), file.text(), file.bytes().size(), width);
  } catch (const Error& error) {
    throw Error(file.path(), ": ", error.what());
  }
}

float* reserve(nn::Memory& memory, int64_t floats) {
  if (memory.size() < static_cast<size_t>(floats)) memory = nn::Memory(floats);
  return memory.data();
}

}  // namespace

float norm(std::span<const float> values) {
  const double norm = std::sqrt(nn::dot(values, values.data()));
  return norm > std::numeric_limits<float>::max() ? INFINITY : static_cast<float>(norm);
}

MappedVectors::MappedVectors(const std::string& path, std::optional<int64_t> width)
    : Vectors(0), file_(path), shape_(shape_of(file_, width)) {
  rows_ = shape_.rows;
  width_ = shape_.width;
}

MappedVectors::MappedVectors(const std::string& path, std::optional<int64_t> width, Pool& pool)
    : MappedVectors(path, width) {
  measure(pool);
}

void MappedVectors::measure(Pool& pool) {
  norms_.resize(rows());
  std::vector<nn::Memory> scratch(pool.size());
  std::atomic<int64_t> bad = rows();  // the first row with a number that is not finite
  pool.run_grid(blocks(), [&](int64_t b, int thread) {
    const float* numbers = block(b, scratch[thread]);
    for (int64_t i = b * kBlock; i < std::min(rows(), (b + 1) * kBlock); ++i, numbers += width_) {
      const std::span<const float> row(numbers, width_);
      norms_[i] = norm(row);
      if (std::isfinite(norms_[i]) || std::ranges::all_of(row, [](float x) { return std::isfinite(x); }))
        continue;
      for (int64_t first = bad; i < first && !bad.compare_exchange_weak(first, i);) {
      }
    }
  });
  if (bad < rows()) throw Error(file_.path(), ": row ", bad, " has a number that is not finite");
}

const std::byte* MappedVectors::bytes_of(int64_t row) const {
  return file_.bytes().data() + shape_.begin + row * shape_.row_bytes();
}

const float* MappedVectors::copy(int64_t begin, int64_t count, nn::Memory& scratch) const {
  float* const to = reserve(scratch, kBlock * width_);
  to_f32(shape_.dtype, bytes_of(begin), std::span(to, count * width_));
  return to;
}

bool MappedVectors::is_in_place(const std::byte* row) const {
  return shape_.dtype == Dtype::f32 && reinterpret_cast<uintptr_t>(row) % alignof(float) == 0;
}

const float* MappedVectors::block(int64_t b, nn::Memory& scratch) const {
  const int64_t begin = b * kBlock;
  const std::byte* const bytes = bytes_of(begin);
  if (is_in_place(bytes) && begin + kBlock <= rows()) return reinterpret_cast<const float*>(bytes);
  return copy(begin, std::min(kBlock, rows() - begin), scratch);
}

const float* MappedVectors::row(int64_t i, nn::Memory& scratch) const {
  const std::byte* const bytes = bytes_of(i);
  return is_in_place(bytes) ? reinterpret_cast<const float*>(bytes) : copy(i, 1, scratch);
}

void MappedVectors::release(int64_t b) const {
  const int64_t count = std::min(kBlock, rows() - b * kBlock);
  MappedFile::release({bytes_of(b * kBlock), count * shape_.row_bytes()});
}

void StoredVectors::add(std::span<const float> row) {
  const int64_t at = rows() % kBlock;
  if (at == 0) blocks_.emplace_back(kBlock * width_);
  std::ranges::copy(row, blocks_.back().data() + at * width_);
  norms_.push_back(norm(row));
  ++rows_;
}

const float* StoredVectors::block(int64_t b, nn::Memory&) const { return blocks_[b].data(); }

const float* StoredVectors::row(int64_t i, nn::Memory&) const {
  return blocks_[i / kBlock].data() + i % kBlock * width_;
}

SelectedVectors::SelectedVectors(const Vectors& from, std::vector<int64_t> rows)
    : Vectors(from.width()), from_(from), places_(std::move(rows)) {
  rows_ = std::ssize(places_);
  if (from.norms().empty()) return;
  norms_.reserve(places_.size());
  for (const int64_t place : places_) norms_.push_back(from.norms()[place]);
}

const float* SelectedVectors::block(int64_t b, nn::Memory& scratch) const {
  float* const to = reserve(scratch, kBlock * width_);
  nn::Memory one;
  const int64_t begin = b * kBlock, count = std::min(kBlock, rows() - begin);
  for (int64_t i = 0; i < count; ++i) std::copy_n(row(begin + i, one), width_, to + i * width_);
  return to;
}

const float* SelectedVectors::row(int64_t i, nn::Memory& scratch) const {
  return from_.row(places_[i], scratch);
}

}  // namespace bert::search
